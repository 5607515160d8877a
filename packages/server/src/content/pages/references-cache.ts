import { Lru } from '@recto/lib/lru.ts'
import type { FileState, FoundFiles } from '../links/page-files.ts'
import { FIRST_TRANSACTION } from '../links/store-files.ts'
import type { LinkState } from '../links/store-states.ts'
import type { HeadRow, LinkedHeadRow, VersionedHeadRow } from './store.ts'

/**
 * The states of what a page refers to: its files, and its links to pages of its own space. Those of files are valid
 * while a statement finds no event after `since`, or the same stamp; those of links while it finds no event.
 */
export interface CachedReferences {
  readonly revisionId: string
  /** Of the space: a new folder rule may decide about what the page refers to. */
  readonly rulesVersion: number
  /** The page that the relative targets are resolved from. */
  readonly at: string
  /** The missing pages that it links to, as `missingPaths`: there may be files. */
  readonly missing: string
  /** As PostgreSQL writes arrays: it would be written anew with every read. */
  readonly paths: string
  readonly stamp: string
  readonly since: string
  /** When the stamp was found, by `performance.now()`. */
  readonly checkedAt: number
  readonly files: readonly FileState[]
  /**
   * Null: no link is missing. Undefined: not read yet, or the page has other links, whose states depend on the caller.
   */
  readonly links: readonly LinkState[] | null | undefined
  /**
   * Whether the last read found no event: then the next one asks for that first, and for nothing else if there is none.
   */
  readonly wasUnchanged: boolean
}

/** The references of pages, by their URLs. */
export type ReferencesCache = Lru<string, CachedReferences>

/** Of an entry, and of each of its files and links beside their texts, in bytes. */
const ENTRY_BYTES = 400
const FILE_BYTES = 300
const LINK_BYTES = 300

export function createReferencesCache(maxBytes: number): ReferencesCache {
  return new Lru({
    maxWeight: maxBytes,
    // A path is in the state of its file twice, and once more as a part of its URL.
    weigh: ({ missing, paths, stamp, files, links }, key) =>
      ENTRY_BYTES +
      FILE_BYTES * files.length +
      4 * paths.length +
      missing.length +
      stamp.length +
      key.length +
      (links ?? []).reduce((sum, [, path, , nowPath]) => sum + LINK_BYTES + path.length + nowPath.length, 0),
  })
}

/** What a read found, to be cached; undefined where nothing tells later whether it is still so. */
export function buildCachedReferences(
  row: LinkedHeadRow,
  { states, valid }: FoundFiles,
  missing: string,
): CachedReferences | undefined {
  if (!valid) return undefined
  const { paths, stamp, since } = valid
  return {
    missing,
    paths: toArrayLiteral(paths),
    stamp,
    since,
    checkedAt: performance.now(),
    files: states,
    revisionId: row.revision_id,
    rulesVersion: row.rules_version,
    at: formatPage(row),
    links: undefined,
    wasUnchanged: false,
  }
}

function toArrayLiteral(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
}

/**
 * A failover that loses the newest transactions gives their numbers again: so all is compared now and then without an
 * event.
 */
const MAX_UNCHECKED_MS = 10_000

/** The horizon that a read compares the last event with. */
export function toHorizon(cachedReferences: CachedReferences): string {
  return isRecent(cachedReferences) ? cachedReferences.since : FIRST_TRANSACTION
}

function isRecent({ checkedAt }: CachedReferences): boolean {
  return performance.now() - checkedAt <= MAX_UNCHECKED_MS
}

/** Whether the next read probably finds no event either. */
export function isProbablyUnchanged(cachedReferences: CachedReferences): boolean {
  return cachedReferences.wasUnchanged && cachedReferences.links !== undefined && isRecent(cachedReferences)
}

/** Whether they are those of the page, and of the revision, that `row` has read. */
export function belongsTo(cachedReferences: CachedReferences, row: VersionedHeadRow): boolean {
  return (
    row.revision_id === cachedReferences.revisionId &&
    row.rules_version === cachedReferences.rulesVersion &&
    formatPage(row) === cachedReferences.at
  )
}

/**
 * The cached references with `links`, if the files are those of the page as `row` has read it; `links` are undefined
 * where they depend on the caller.
 */
export function currentReferences(
  cachedReferences: CachedReferences,
  row: LinkedHeadRow,
  links: CachedReferences['links'],
): CachedReferences | undefined {
  if (!belongsTo(cachedReferences, row)) return undefined
  if (!row.files_now) {
    return cachedReferences.wasUnchanged && cachedReferences.links === links
      ? cachedReferences
      : { ...cachedReferences, links, wasUnchanged: true }
  }
  const [since, stamp] = row.files_now
  if (stamp !== cachedReferences.stamp) return undefined
  return {
    ...cachedReferences,
    links,
    since,
    checkedAt: performance.now(),
    wasUnchanged: !isRecent(cachedReferences),
  }
}

function formatPage({ space_slug: space, path }: HeadRow): string {
  return `${space}/${path}`
}
