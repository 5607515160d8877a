import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { Tx, WriteDb } from '../database/transaction.ts'

/** A space that is being indexed again, and the last page that is done. */
export interface ReindexPosition {
  readonly space_id: number
  readonly page_id: number
}

/** A page with its packed body. */
export interface UnindexedRow {
  readonly page_id: number
  readonly version: number
  readonly path: string
  readonly title: string
  readonly data: Buffer
}

/** The space whose pages are indexed next; undefined: there is nothing to do. */
export async function findReindexing(db: Db): Promise<ReindexPosition | undefined> {
  const { rows } = await sql<ReindexPosition>`
    select space_id, page_id from reindexing order by space_id limit 1`.execute(db)
  return rows[0]
}

/** The next pages of a space: at most `limit`, whose bodies have about `bytes` together. */
export async function listUnindexed(
  db: Db,
  after: ReindexPosition,
  { limit, bytes }: { readonly limit: number; readonly bytes: number },
): Promise<UnindexedRow[]> {
  const { rows } = await sql<UnindexedRow>`
    with next as materialized (
      select page.id, page.version, page.path, page.title, revision.size from page
      join revision on revision.space_id = page.space_id and revision.page_id = page.id and revision.version = page.version
      where page.space_id = ${after.space_id} and page.id > ${after.page_id} and page.deleted_at is null
      order by page.id limit ${limit}
    ), fitting as (
      select *, sum(size) over (order by id) - size as bytes_before from next
    )
    select fitting.id as page_id, fitting.version, fitting.path, fitting.title, coalesce(page.body, revision.data) as data
    from fitting
    join page on page.space_id = ${after.space_id} and page.id = fitting.id
    join revision on revision.space_id = page.space_id and revision.page_id = page.id and revision.version = fitting.version
    where fitting.bytes_before <= ${bytes} and page.version = fitting.version order by fitting.id`.execute(db)
  return rows
}

/** The ids of those pages that were neither written, moved nor deleted meanwhile; they are not until the end of the transaction. */
export async function lockUnchanged(
  tx: Pick<Tx, 'db'>,
  spaceId: number,
  pages: readonly UnindexedRow[],
): Promise<readonly number[]> {
  const { rows } = await sql<{ id: number }>`
    select page.id from page
    join unnest(${pages.map((page) => page.page_id)}::bigint[], ${pages.map((page) => page.version)}::int[],
      ${pages.map((page) => page.path)}::text[], ${pages.map((page) => page.title)}::text[])
      as seen (id, version, path, title) on seen.id = page.id
    where page.space_id = ${spaceId} and page.version = seen.version and page.path = seen.path
      and page.title = seen.title and page.deleted_at is null
    order by page.id for no key update of page`.execute(tx.db)
  return rows.map(({ id }) => id)
}

/** Notes how far the work is, unless the space was noted again meanwhile. */
export async function advanceReindexing(tx: Pick<Tx, 'db'>, to: ReindexPosition): Promise<void> {
  await sql`
    update reindexing set page_id = ${to.page_id}
    where space_id = ${to.space_id} and page_id < ${to.page_id}`.execute(tx.db)
}

/** Notes that a space is done. */
export async function endReindexing(db: WriteDb, at: ReindexPosition): Promise<void> {
  await sql`delete from reindexing where space_id = ${at.space_id} and page_id = ${at.page_id}`.execute(db)
}
