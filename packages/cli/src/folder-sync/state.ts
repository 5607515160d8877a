/**
 * What a folder knows of its space, in `.recto`: `config.json`, and `base.json` with the base versions. A run appends
 * each change of them to a journal once both sides have it, and writes `base.json` at its end. A step that is not in
 * the journal after a crash is found again by comparing the two sides. See docs/adr/0018-folder-sync.md.
 */
import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject, tryParseJson } from '@recto/lib/json/json.ts'
import { makeFolder } from '@recto/lib/make-folder.ts'
import { CommandError } from '../command.ts'
import { computeSha256, type Entry, toKey } from './entry.ts'
import { createFileCache, type FileCache } from './file-cache.ts'
import type { Step } from './service-writes.ts'

export const STATE_FOLDER = '.recto'

export interface SyncConfig {
  readonly url: string
  readonly space: string
  /** Distinguishes the space from a later one with its slug. */
  readonly createdAt: string
  /** Where the metadata of pages is. */
  readonly metadata: 'file' | 'front-matter'
  /** The change request that the folder follows: the space as that makes it. */
  readonly changeRequest?: number
}

/** A position in the change feed that precedes `lastEvent`: if it is not found there, the service was restored. */
export interface Position {
  readonly cursor: string
  readonly lastEvent?: string
}

export interface SyncState {
  readonly config: SyncConfig
  readonly entries: ReadonlyMap<string, Entry>
  readonly cache: FileCache
  readonly position: Position | undefined
  /** Keys of pages and files that have changed in the space and were not pulled yet. */
  readonly pending: ReadonlySet<string>
  /** When all of the space was listed last, in milliseconds. */
  readonly listedAt: number
  readonly paths: ReturnType<typeof statePaths>
  /** Replaces the entry at `former`. */
  record(entry: Entry, former?: string): void
  drop(key: string): void
  /** Ends the run. */
  save(end: {
    readonly position: Position | undefined
    readonly pending: ReadonlySet<string>
    readonly listedAt: number
  }): void
}

interface SavedBase {
  readonly format: 'recto-base'
  readonly cursor?: string
  readonly lastEvent?: string
  readonly pending: readonly string[]
  readonly entries: readonly Entry[]
}

export function statePaths(root: string) {
  const folder = join(root, STATE_FOLDER)
  const local = join(folder, 'local')
  return { folder, metadata: join(folder, 'metadata.json'), lock: join(local, 'lock'), drafts: join(local, 'drafts') }
}

export function createState(root: string, config: SyncConfig): void {
  const { folder } = statePaths(root)
  makeFolder(join(folder, 'local'))
  writeFileSync(join(folder, '.gitignore'), '/local/\n')
  replaceFile(join(folder, 'base.json'), baseText({ pending: [], entries: [] }))
  // The folder has a state from here on.
  updateConfig(root, config)
}

export function updateConfig(root: string, config: SyncConfig): void {
  const file = join(statePaths(root).folder, 'config.json')
  replaceFile(file, `${JSON.stringify({ format: 'recto-sync', ...config }, undefined, 2)}\n`)
}

export function readConfig(root: string): SyncConfig | undefined {
  const file = join(statePaths(root).folder, 'config.json')
  const value = readJson(file)
  if (value === undefined) return undefined
  const isConfig =
    isJsonObject(value) &&
    value.format === 'recto-sync' &&
    [value.url, value.space, value.createdAt].every((member) => typeof member === 'string') &&
    (value.metadata === 'file' || value.metadata === 'front-matter') &&
    ['number', 'undefined'].includes(typeof value.changeRequest)
  if (!isConfig) throw new CommandError(`${file} is not the configuration of a folder of Recto`)
  return value as unknown as SyncConfig // as was checked
}

/** `base.json`, and the changes of its entries in the journal. */
function loadBase(files: { readonly base: string; readonly journal: string }) {
  const text = readText(files.base) ?? baseText({ pending: [], entries: [] })
  const base = parseBase(text, files.base)
  const entries = new Map(base.entries.map((entry) => [toKey(entry), entry]))
  const journal = openJournal(files.journal, computeSha256(Buffer.from(text)))
  for (const change of journal.changes) apply(entries, change)
  return { text, base, entries, journal }
}

/** Opens the state of a folder, with what a run that did not end has recorded. */
export function openState(root: string, config: SyncConfig, step: Step): SyncState {
  const paths = statePaths(root)
  const local = join(paths.folder, 'local')
  makeFolder(paths.drafts)
  const files = {
    base: join(paths.folder, 'base.json'),
    journal: join(local, 'journal.jsonl'),
    cache: join(local, 'cache.json'),
  }
  const { text, base, entries, journal } = loadBase(files)
  const savedState = (readJson(files.cache) ?? {}) as {
    listedAt?: number
    files?: Parameters<typeof createFileCache>[0]
  }
  const cache = createFileCache(savedState.files)
  const add = (change: StateChange) => {
    apply(entries, change)
    journal.append(change)
    step('journal')
  }
  return {
    config,
    entries,
    cache,
    paths,
    position: toPosition(base),
    pending: new Set(base.pending),
    listedAt: savedState.listedAt ?? 0,
    record: (entry, former) => add({ set: entry, ...(former !== undefined && { former }) }),
    drop: (key) => add({ drop: key }),
    save({ position, pending, listedAt }) {
      const sortedEntries = [...entries.values()].sort((one, other) => (toKey(one) < toKey(other) ? -1 : 1))
      const after = baseText({ ...position, pending: [...pending].sort(), entries: sortedEntries })
      if (after !== text) replaceFile(files.base, after)
      step('base')
      rmSync(files.journal, { force: true })
      replaceFile(files.cache, JSON.stringify({ listedAt, files: cache }))
    },
  }
}

function toPosition({ cursor, lastEvent }: SavedBase): Position | undefined {
  return cursor === undefined ? undefined : { cursor, ...(lastEvent !== undefined && { lastEvent }) }
}

type StateChange = { readonly set: Entry; readonly former?: string } | { readonly drop: string }

function apply(entries: Map<string, Entry>, change: StateChange): void {
  if ('drop' in change) {
    entries.delete(change.drop)
    return
  }
  if (change.former !== undefined) entries.delete(change.former)
  entries.set(toKey(change.set), change.set)
}

/** A file of changes on top of one `base.json`; another one, such as that of another branch, makes it void. */
function openJournal(file: string, base: string) {
  const [head, ...lines] = (readText(file) ?? '').split('\n')
  let isOwn = head === base
  return {
    changes: isOwn ? lines.flatMap(parseChange) : [],
    append(change: StateChange) {
      if (!isOwn) writeFileSync(file, base)
      isOwn = true
      // A line that a crash has cut off ends here.
      appendFileSync(file, `\n${JSON.stringify(change)}`)
    },
  }
}

function parseChange(line: string): StateChange[] {
  const change = tryParseJson(line) as StateChange | undefined // as `append` wrote it, unless a crash has cut it off
  return change ? [change] : []
}

/** One line for each entry, so that version control merges them. */
function baseText({ entries, ...head }: Omit<SavedBase, 'format'>): string {
  const start = JSON.stringify({ format: 'recto-base', ...head }).slice(0, -1)
  const lines = entries.map((entry) => JSON.stringify(entry)).join(',\n')
  return `${start},"entries":[\n${lines}\n]}\n`
}

function parseBase(text: string, file: string): SavedBase {
  const value = tryParseJson(text)
  if (isJsonObject(value) && value.format === 'recto-base' && Array.isArray(value.entries)) {
    return value as unknown as SavedBase // as `baseText` wrote it
  }
  throw new CommandError(
    `${file} cannot be read: restore it from version control, or delete it, so that the next run compares all files`,
  )
}

/** Undefined if there is no file. */
export function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Undefined if there is no file. */
function readJson(file: string): unknown {
  const text = readText(file)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new CommandError(`${file} is not JSON: ${(error as Error).message}`)
  }
}

export function replaceFile(file: string, text: string): void {
  writeFileSync(`${file}.draft`, text, { flush: true })
  renameSync(`${file}.draft`, file)
}
