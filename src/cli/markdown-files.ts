import { readdirSync, statSync } from 'node:fs'
import { CommandError } from './command.ts'

/** A file that is to become a page. */
export interface MarkdownFile {
  /** Where it lies, as the bytes that the file system has. */
  readonly file: Buffer
  /** Its name within the folder. */
  readonly name: string
  /** The path of its page: relative to the folder, without `.md`. */
  readonly path: string
}

/** Something that cannot become a page, and why. */
export interface RejectedFile {
  readonly name: string
  readonly reason: string
}

export interface Found {
  readonly files: readonly MarkdownFile[]
  readonly refused: readonly RejectedFile[]
  /** Files that are not Markdown, and hidden folders, by name. */
  readonly others: readonly string[]
  readonly links: readonly string[]
}

const SUFFIX = /\.md$/i
/** What `recto import` itself keeps beside the files. */
const RECORD = /^\.recto-import\.json/

/**
 * Every Markdown file below the folder, in the order of their names. Hidden folders, in which editors and version
 * control keep files of their own (`.git`, `.obsidian`, `.trash`), are left out. Symbolic links are not followed, the folder
 * itself excepted. Names are read as bytes: those that are not UTF-8 are refused by name, never opened wrongly.
 */
export function findMarkdown(folder: string): Found {
  const found = {
    files: [] as MarkdownFile[],
    refused: [] as RejectedFile[],
    others: [] as string[],
    links: [] as string[],
  }
  if (!isFolder(folder)) throw new CommandError(`${folder} is not a folder`)
  walk(Buffer.from(folder), '', found)
  return { ...found, ...withoutTwins(found) }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch (error) {
    throw new CommandError(`cannot read ${path}: ${(error as Error).message}`)
  }
}

function walk(
  folder: Buffer,
  prefix: string,
  found: { files: MarkdownFile[]; refused: RejectedFile[]; others: string[]; links: string[] },
): void {
  for (const entry of entriesOf(folder, prefix, found.refused)) {
    const file = Buffer.concat([folder, Buffer.from('/'), entry.name])
    const name = decode(entry.name)
    if (entry.isSymbolicLink()) found.links.push(prefix + (name ?? entry.name.toString('latin1')))
    else if (name === undefined) {
      found.refused.push({ name: prefix + entry.name.toString('latin1'), reason: 'its name is not UTF-8' })
    } else if (entry.isDirectory()) {
      if (name.startsWith('.')) found.others.push(`${prefix}${name}/`)
      else walk(file, `${prefix}${name}/`, found)
    } else if (!entry.isFile() || !SUFFIX.test(name)) {
      if (!RECORD.test(name)) found.others.push(prefix + name)
    }
    // A file with no other name than `.md` keeps it.
    else found.files.push({ file, name: prefix + name, path: prefix + (name.replace(SUFFIX, '') || name) })
  }
}

function entriesOf(folder: Buffer, prefix: string, refused: RejectedFile[]) {
  try {
    const entries = readdirSync(folder, { withFileTypes: true, encoding: 'buffer' })
    return entries.sort((a, b) => Buffer.compare(a.name, b.name))
  } catch (error) {
    refused.push({ name: prefix || '.', reason: (error as Error).message })
    return []
  }
}

/** Names that differ for the file system may be one address: paths are in Unicode NFC. */
function withoutTwins({ files, refused }: Pick<Found, 'files' | 'refused'>) {
  const taken = new Map<string, MarkdownFile>()
  const twins: RejectedFile[] = []
  for (const file of files) {
    const address = file.path.normalize('NFC')
    if (taken.has(address)) {
      twins.push({ name: file.name, reason: 'another file has the same name in other characters' })
    } else {
      taken.set(address, file)
    }
  }
  return { files: [...taken.values()], refused: [...refused, ...twins] }
}

function decode(name: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(name)
  } catch {
    return undefined
  }
}
