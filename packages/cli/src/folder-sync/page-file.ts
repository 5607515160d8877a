/** Metadata in the front matter of a file: a member `metadata`, which is not part of the Markdown of the page. */
import { isJsonObject, jsonEqual } from '@recto/lib/json/json.ts'
import { splitLines } from '@recto/lib/text/split-lines.ts'
import { parseYaml } from '@recto/lib/yaml.ts'
import { frontMatterBlock } from '@recto/markdown/front-matter-block.ts'
import { CommandError } from '../command.ts'
import { type Metadata, withoutNull } from './entry.ts'

/** A file that cannot be synchronised; the message says why. */
export class UnsyncableFileError extends CommandError {}

export interface PageFile {
  /** The Markdown of the page, byte for byte. */
  readonly body: string
  readonly metadata: Metadata
}

const MEMBER = /^metadata[ \t]*:/
const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_-]*$/
const WORDS = new Set(['true', 'false', 'null'])

/** Separates the metadata from the Markdown. Throws UnsyncableFileError if it is not YAML. */
export function splitPageFile(text: string): PageFile {
  const block = findBlock(text)
  const from = block?.lines.findIndex((line) => MEMBER.test(line)) ?? -1
  if (!block || from === -1) return { body: text, metadata: {} }
  const next = block.lines.findIndex((line, at) => at > from && /^[^ \t\r\n]/.test(line))
  const to = next === -1 ? block.lines.length : next
  // Counted from 1, after the opening fence.
  const metadata = parseMember(block.lines.slice(from, to).join(''), from + 1)
  if (!metadata) return { body: text, metadata: {} }
  const others = [...block.lines.slice(0, from), ...block.lines.slice(to)].join('')
  if (others === '') return { body: block.after, metadata }
  return { body: block.opening + others + block.closing + block.after, metadata }
}

/** The file of a page: `splitPageFile` returns both again. */
export function joinPageFile({ body, metadata }: PageFile): string {
  const none = Object.keys(metadata).length === 0
  if (none && fits(body, body, metadata)) return body
  const member = formatMember(metadata)
  const block = findBlock(body)
  const insertedBlock =
    block && block.lines.length > 0
      ? `${block.opening}${block.lines.join('')}${member}${block.closing}${block.after}`
      : undefined
  if (insertedBlock !== undefined && fits(insertedBlock, body, metadata)) return insertedBlock
  return `---\n${member}---\n${body}`
}

function fits(text: string, body: string, metadata: Metadata): boolean {
  try {
    const split = splitPageFile(text)
    return split.body === body && jsonEqual(split.metadata, metadata)
  } catch (error) {
    if (error instanceof UnsyncableFileError) return false
    throw error
  }
}

/** A front matter block by lines, with their ends. */
function findBlock(text: string) {
  const block = frontMatterBlock(text)
  if (!block) return undefined
  const lines = splitLines(text.slice(block.start, block.end))
  const closing = lines.pop() ?? ''
  return { opening: text.slice(0, block.start), lines, closing, after: text.slice(block.end) }
}

function formatMember(metadata: Metadata): string {
  const lines = Object.entries(metadata).map(([key, value]) => {
    const name = PLAIN_KEY.test(key) && !WORDS.has(key) ? key : JSON.stringify(key)
    return `  ${name}: ${JSON.stringify(value)}\n`
  })
  return lines.length === 0 ? 'metadata: {}\n' : `metadata:\n${lines.join('')}`
}

/** Undefined if the member is not a mapping, and so is of the page. */
function parseMember(yaml: string, firstLine: number): Metadata | undefined {
  const document = parseYaml(yaml, { inexact: 'error', uniqueKeys: true })
  const [error] = document.errors
  if (error) {
    const line = yaml.slice(0, error.pos[0]).split('\n').length
    throw new UnsyncableFileError(`its metadata cannot be read, in line ${firstLine + line}: ${error.message}`)
  }
  const value: unknown = document.toJS({ maxAliasCount: 100 })
  return isJsonObject(value) && isJsonObject(value.metadata) ? withoutNull(value.metadata) : undefined
}
