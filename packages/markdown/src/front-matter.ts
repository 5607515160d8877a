import { parseYaml } from '@recto/lib/yaml.ts'
import { type Document, isMap, isScalar } from 'yaml'
import { frontMatterBlock } from './front-matter-block.ts'

export interface FrontMatter {
  /** The parsed mapping, safe to store as JSON; empty if there is none or it is malformed. */
  readonly data: Readonly<Record<string, unknown>>
  /** The text of `title` as it is written: `1.0` is no `1`. Absent if it is neither text nor a number or boolean. */
  readonly title?: string | undefined
  /** The body after the block, and the number of lines of the block. */
  readonly content: string
  readonly lines: number
}

const MAX_LENGTH = 64 * 1024
const MAX_ALIASES = 100
const MAX_DEPTH = 32
const MAX_NODES = 10_000

/** Splits off the block between `---` lines at the start; `data` is empty unless it is a YAML mapping. */
export function splitFrontMatter(body: string): FrontMatter {
  const block = frontMatterBlock(body)
  if (!block) return { data: {}, content: body.replace(/^\uFEFF/, ''), lines: 0 }
  const parsedBlock = readMapping(block.yaml)
  return {
    data: parsedBlock?.data ?? {},
    ...(parsedBlock?.title !== undefined && { title: parsedBlock.title }),
    content: body.slice(block.end),
    lines: body.slice(0, block.end).split('\n').length - 1,
  }
}

/** Whether a body begins with a block that is no YAML mapping. */
export function isFrontMatterMalformed(body: string): boolean {
  const block = frontMatterBlock(body)
  return block !== undefined && readMapping(block.yaml) === undefined
}

/** The mapping and its title; undefined for any other text, an empty one for none. */
function readMapping(yaml: string): Pick<FrontMatter, 'data' | 'title'> | undefined {
  if (yaml.length > MAX_LENGTH) return undefined
  try {
    // JSON numbers are doubles to most programs: a number that would change becomes text.
    const document = parseYaml(yaml, { inexact: 'text', uniqueKeys: false })
    if (document.errors.length > 0) return undefined
    if (document.contents === null) return { data: {} }
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES })
    if (!isMapping(value)) return undefined
    return { data: jsonSafe(value, { nodes: 0 }, 0) as Record<string, unknown>, title: writtenTitle(document) }
  } catch {
    // Too many aliases, too deep, or a stack overflow.
    return undefined
  }
}

/** Of several titles the last one, as in the data. */
function writtenTitle({ contents }: Document): string | undefined {
  const pairs = isMap(contents) ? contents.items : []
  const { value } = pairs.findLast(({ key }) => isScalar(key) && key.value === 'title') ?? {}
  if (!isScalar(value) || value.value === null) return undefined
  return typeof value.value === 'string' ? value.value : value.source
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A bounded copy that jsonb of PostgreSQL can store: no NUL, no lone surrogate, no number outside JSON. */
function jsonSafe(value: unknown, budget: { nodes: number }, depth: number): unknown {
  budget.nodes++
  if (budget.nodes > MAX_NODES || depth > MAX_DEPTH) throw new RangeError('front matter is too large')
  if (typeof value === 'string') return storable(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'boolean' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => jsonSafe(item, budget, depth + 1))
  if (!isMapping(value)) return null
  const entries = Object.entries(value).map(([key, item]) => [storable(key), jsonSafe(item, budget, depth + 1)])
  // fromEntries defines members, so that a key `__proto__` is a key like any other.
  return Object.fromEntries(entries)
}

function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}
