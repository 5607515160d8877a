import { Lru } from '../lib/lru.ts'
import type { FileState, FoundFiles } from '../links/page-files.ts'
import { FIRST_TRANSACTION } from '../links/store-files.ts'
import type { HeadRow, LinkedHeadRow } from './store.ts'

/**
 * The attributes of the files of a page. They are valid while the statement that reads the page finds no event after `since`, or the same
 * stamp.
 */
export interface CachedFiles {
  readonly revisionId: string
  /** The page that the relative targets are resolved from. */
  readonly at: string
  /** As PostgreSQL writes arrays: it would be written anew with every read. */
  readonly paths: string
  readonly stamp: string
  readonly since: string
  /** When the stamp was found, by `performance.now()`. */
  readonly checkedAt: number
  readonly states: readonly FileState[]
}

/** The attributes of files, by the URLs of the pages that show them. */
export type FilesCache = Lru<string, CachedFiles>

/** Of an entry and of each of its files beside their texts, in bytes. */
const ENTRY_BYTES = 400
const FILE_BYTES = 300

export function createFilesCache(maxBytes: number): FilesCache {
  return new Lru({
    maxWeight: maxBytes,
    // A path is in the state of its file twice, and once more as a part of its URL.
    weigh: ({ paths, stamp, states }, key) =>
      ENTRY_BYTES + FILE_BYTES * states.length + 4 * paths.length + stamp.length + key.length,
  })
}

/** What a read found, to be cached; undefined where nothing tells later whether it is still so. */
export function cachedFiles(row: HeadRow, { states, valid }: FoundFiles): CachedFiles | undefined {
  if (!valid) return undefined
  const { paths, stamp, since } = valid
  return {
    paths: toArrayLiteral(paths),
    stamp,
    since,
    checkedAt: performance.now(),
    states,
    revisionId: row.revision_id,
    at: pageOf(row),
  }
}

function toArrayLiteral(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
}

/** A failover that loses the newest transactions gives their numbers again: so the stamps are compared now and then without an event. */
const MAX_UNCHECKED_MS = 10_000

/** The horizon that a read compares the last event with. */
export function horizonOf({ since, checkedAt }: CachedFiles): string {
  return performance.now() - checkedAt > MAX_UNCHECKED_MS ? FIRST_TRANSACTION : since
}

/** The cached files, if they are those of the page as `row` has read it. */
export function currentFiles(cached: CachedFiles, row: LinkedHeadRow): CachedFiles | undefined {
  if (row.revision_id !== cached.revisionId || pageOf(row) !== cached.at) return undefined
  if (!row.files_now) return cached
  const [since, stamp] = row.files_now
  return stamp === cached.stamp ? { ...cached, since, checkedAt: performance.now() } : undefined
}

function pageOf({ space_slug: space, path }: HeadRow): string {
  return `${space}/${path}`
}
