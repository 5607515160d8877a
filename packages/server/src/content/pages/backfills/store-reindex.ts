import type { Language } from '@recto/lib/languages.ts'
import { sql } from 'kysely'
import { type AccessSubject, isVisible } from '../../../access/visibility.ts'
import { type Db, queryRow, queryRows, queryValues, type WriteDb } from '../../../platform/database/database.ts'
import type { Tx } from '../../../platform/database/transaction.ts'
import type { IndexedMetadata } from '../../search/index-text.ts'
import { indexedMetadata, indexedMetadataJoin } from '../../search/store-metadata.ts'

/** A space that is being indexed again, and the last processed page. */
export interface ReindexPosition {
  readonly space_id: number
  readonly page_id: number
  /** Changes when the space is requested again. */
  readonly fence: number
  /** Whether the wait for writers with the former settings of the space is over. */
  readonly begun: boolean
}

/** A page with its packed body, and the other inputs of its search text. */
export interface UnindexedRow {
  readonly space_id: number
  readonly page_id: number
  readonly version: number
  readonly path: string
  readonly title: string
  readonly language: Language
  readonly indexed_metadata: IndexedMetadata | null
  readonly data: Buffer
}

interface Batch {
  readonly limit: number
  readonly bytes: number
}

/** The space whose pages are indexed next; undefined: there is nothing to do. */
export async function findReindexing(db: Db): Promise<ReindexPosition | undefined> {
  return queryRow<ReindexPosition>(db)`
    select space_id, page_id, fence, horizon is not null as begun from reindexing
    where horizon is null or horizon <= shifted(pg_snapshot_xmin(pg_current_snapshot()))
    order by space_id limit 1`
}

/** How many of the readable pages of a space have been indexed again, of how many; undefined if none are to be. */
export async function countReindexed(
  db: Db,
  subject: AccessSubject,
  spaceId: number,
): Promise<{ readonly done: number; readonly total: number } | undefined> {
  return queryRow<{ done: number; total: number }>(db)`
    select (count(*) filter (where page.id <= reindexing.page_id))::int as done, count(*)::int as total
    from reindexing join page on page.space_id = reindexing.space_id and page.deleted_at is null
      and ${isVisible(subject, 'page.space_id', 'page.path')}
    where reindexing.space_id = ${spaceId} group by reindexing.space_id`
}

/** Delays the work on a space until all running transactions, which may know its former settings, have ended. */
export async function beginReindexing(db: WriteDb, { space_id, fence }: ReindexPosition): Promise<void> {
  await sql`
    update reindexing set horizon = shifted(pg_snapshot_xmax(pg_current_snapshot()))
    where space_id = ${space_id} and fence = ${fence}`.execute(db)
}

const unindexedColumns = sql`page.space_id, page.id as page_id, page.version, page.path, page.title, space.language,
  ${indexedMetadata}, coalesce(page.body, revision.data) as data`

/** The next pages of a space: at most `limit`, whose bodies have about `bytes` together. */
export async function listUnindexed(db: Db, after: ReindexPosition, { limit, bytes }: Batch): Promise<UnindexedRow[]> {
  return queryRows<UnindexedRow>(db)`
    with next as materialized (
      select page.id, page.version, revision.size from page
      join revision on revision.space_id = page.space_id and revision.page_id = page.id
        and revision.version = page.version
      where page.space_id = ${after.space_id} and page.id > ${after.page_id} and page.deleted_at is null
      order by page.id limit ${limit}
    ), fitting as (
      select *, sum(size) over (order by id) - size as bytes_before from next
    )
    select ${unindexedColumns}
    from fitting
    join page on page.space_id = ${after.space_id} and page.id = fitting.id
    join space on space.id = page.space_id ${indexedMetadataJoin}
    join revision on revision.space_id = page.space_id and revision.page_id = page.id
      and revision.version = fitting.version
    where fitting.bytes_before <= ${bytes} and page.version = fitting.version order by fitting.id`
}

/** A page with its entries in the log `search_pending`; `data` is null if the page is deleted. */
export type PendingRow = { readonly entries: readonly number[]; readonly pages: number } & (
  | UnindexedRow
  | { readonly page_id: number; readonly data: null }
)

/** Whether the search text of any page may be out of date. */
export async function hasPending(db: Db): Promise<boolean> {
  return (await queryRows(db)`select from search_pending limit 1`).length > 0
}

/** The pages of the oldest entries: at most `entries`, of at most `limit` pages, with about `bytes` of bodies. */
export async function listPending(
  db: Db,
  { limit, bytes, entries }: Batch & { readonly entries: number },
): Promise<PendingRow[]> {
  return queryRows<PendingRow>(db)`
    with pending as materialized (
      select space_id, page_id, array_agg(id) as entries, min(id) as first
      from (select * from search_pending order by id limit ${entries}) entry group by space_id, page_id
      order by first limit ${limit}
    ), fitting as (
      select pending.*, revision.version, count(*) over () as pages,
        sum(revision.size) over (order by first) - revision.size as bytes_before
      from pending
      join page on page.space_id = pending.space_id and page.id = pending.page_id
      join revision on revision.space_id = page.space_id and revision.page_id = page.id
        and revision.version = page.version
    )
    select fitting.entries, fitting.pages, page.space_id, page.id as page_id, page.version, page.path, page.title,
      space.language, ${indexedMetadata},
      case when page.deleted_at is null then coalesce(page.body, revision.data) end as data
    from fitting
    join page on page.space_id = fitting.space_id and page.id = fitting.page_id
    join space on space.id = page.space_id ${indexedMetadataJoin}
    join revision on revision.space_id = page.space_id and revision.page_id = page.id
      and revision.version = page.version
    where fitting.bytes_before <= ${bytes} order by page.space_id, page.id`
}

/** Deletes entries of the log. */
export async function deletePending(db: WriteDb, entries: readonly number[]): Promise<void> {
  await sql`delete from search_pending where id = any(${entries}::bigint[])`.execute(db)
}

/** Locks and returns the pages that were neither written, moved nor deleted meanwhile. */
export async function lockUnchanged(tx: Pick<Tx, 'db'>, pages: readonly UnindexedRow[]): Promise<ReadonlySet<number>> {
  const ids = await queryValues<number>(tx.db)`
    select page.id from page
    join unnest(${pages.map((page) => page.space_id)}::bigint[], ${pages.map((page) => page.page_id)}::bigint[],
      ${pages.map((page) => page.version)}::int[], ${pages.map((page) => page.path)}::text[],
      ${pages.map((page) => page.title)}::text[])
      as seen (space_id, id, version, path, title) on seen.space_id = page.space_id and seen.id = page.id
    where page.version = seen.version and page.path = seen.path and page.title = seen.title and page.deleted_at is null
    order by page.id for no key update of page`
  return new Set(ids)
}

/** Records the progress, unless the space was requested again meanwhile. */
export async function advanceReindexing(tx: Pick<Tx, 'db'>, to: ReindexPosition): Promise<void> {
  await sql`
    update reindexing set page_id = ${to.page_id}
    where space_id = ${to.space_id} and fence = ${to.fence}`.execute(tx.db)
}

/** Records that a space is done, unless it was requested again meanwhile. */
export async function endReindexing(db: WriteDb, { space_id, fence }: ReindexPosition): Promise<void> {
  await sql`delete from reindexing where space_id = ${space_id} and fence = ${fence}`.execute(db)
}
