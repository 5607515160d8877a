import { Lru } from '../lib/lru.ts'
import type { FileState, FoundFiles } from '../links/page-files.ts'
import type { HeadRow } from './store.ts'

/** The attributes of the files of a page. They are valid while the statement that reads the page finds the same stamp. */
export interface CachedFiles {
  readonly revisionId: string
  /** The page that the relative targets are resolved from. */
  readonly at: string
  /** As PostgreSQL writes arrays: it would be written anew with every read. */
  readonly paths: string
  readonly stamp: string
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
  const { paths, stamp } = valid
  return { paths: toArrayLiteral(paths), stamp, states, revisionId: row.revision_id, at: pageOf(row) }
}

function toArrayLiteral(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
}

/** Whether the cached files are those of the page as `row` has read it. */
export function isCurrent(
  cached: CachedFiles,
  row: HeadRow & { readonly files_stamp?: string | null },
): boolean {
  return (
    row.files_stamp === cached.stamp && row.revision_id === cached.revisionId && pageOf(row) === cached.at
  )
}

function pageOf({ space_slug: space, path }: HeadRow): string {
  return `${space}/${path}`
}
