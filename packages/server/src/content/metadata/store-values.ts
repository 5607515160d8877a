import { sql } from 'kysely'
import { isPageOutside, type ReadableParts } from '../../access/visibility.ts'
import { type Db, queryRows } from '../../platform/database/database.ts'
import { entryKeyBytes, isOfKey } from './matches/store-condition-kinds.ts'
import { inSpaces, notInTrash } from './matches/store-conditions.ts'
import type { SortKey } from './sort-key.ts'

/** A value of a key with the number of pages that have it. */
export interface ValueRow {
  readonly sort: SortKey
  /** Orders the values with one sort key. */
  readonly digest: string
  readonly value: unknown
  readonly pages: number
  /** More pages have a value with this sort key than were read. */
  readonly is_cut: boolean
}

export interface ValuePosition {
  readonly sort: SortKey
  readonly digest?: string | undefined
}

interface ValueQuery extends ReadableParts {
  readonly key: string
  readonly after: ValuePosition | undefined
  readonly limit: number
  /** The maximum of pages that are read, in the order of their values. */
  readonly scanLimit: number
}

/**
 * The next values of a key on pages that the caller can read. Rows of one sort key may be of several values, and of no
 * exact one (sort-key.ts): documents have the values. Plan: entries of the key in index order until `scanLimit` visible
 * ones are read, then their documents by primary key.
 */
export async function listValues(db: Db, query: ValueQuery): Promise<ValueRow[]> {
  const { key, spaceIds, hidden, after, limit, scanLimit } = query
  const isNext = after
    ? sql`and entry.rank ${after.digest === undefined ? sql`>` : sql`>=`} ${entryKeyBytes(key, after.sort)}`
    : sql``
  const isNextValue =
    after?.digest === undefined
      ? sql``
      : sql`and (rank, md5(value::text)) > (${entryKeyBytes(key, after.sort)}, ${after.digest}::text)`
  const entries = sql`
    select entry.rank, page.space_id, page.id from metadata_entry entry
    cross join lateral (select entry.space_id, entry.page_id as id) page
    where ${isOfKey(key, sql.ref('entry'))} ${isNext} and ${inSpaces(spaceIds)} and ${notInTrash}
    order by entry.rank`
  const visibleEntries =
    hidden === null
      ? entries
      : sql`select * from (${entries} offset 0) page where ${isPageOutside(hidden, 'page.space_id', 'page.id')}
        order by rank`
  return queryRows<ValueRow>(db)`
    with entry as materialized (${visibleEntries} limit ${scanLimit + 1}),
    cut as (select rank from entry order by rank offset ${scanLimit}),
    counted as (
      select entry.rank, document.value, count(*) as pages from entry
      cross join lateral (
        select metadata.doc -> ${key}::text as value from page_metadata metadata
        where metadata.space_id = entry.space_id and metadata.page_id = entry.id offset 0
      ) document
      where document.value is not null group by entry.rank, document.value
    )
    select encode(substring(rank from ${Buffer.byteLength(key) + 2}::int), 'hex') as sort, md5(value::text) as digest,
      value, pages, coalesce(rank = (select rank from cut), false) as is_cut
    from counted where true ${isNextValue}
    order by rank, digest limit ${limit}`
}
