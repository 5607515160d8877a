import type { Language } from '@recto/lib/languages.ts'
import { sql } from 'kysely'
import type { Db } from '../../../platform/database/database.ts'
import type { Tx, WriteDb } from '../../../platform/database/transaction.ts'
import type { IndexedMetadata } from '../../search/index-text.ts'
import { indexedMetadata, indexedMetadataJoin } from '../../search/store-metadata.ts'

/** A position in the order of all revisions. */
export interface RevisionPosition {
  readonly space_id: number
  readonly page_id: number
  readonly version: number
}

/** A revision with its packed body, and its stored title and front matter. */
export interface TitledRow extends RevisionPosition {
  readonly path: string
  readonly title: string
  /** The values of the page if this is its latest revision; else null. */
  readonly page_title: string | null
  readonly page_frontmatter: string | null
  readonly data: Buffer
  readonly base_data: Buffer | null
  /** Of its space. */
  readonly language: Language
  readonly indexed_metadata: IndexedMetadata | null
}

/** What the present rules derive from a revision. */
export interface Retitled extends RevisionPosition {
  readonly path: string
  readonly title: string
  readonly frontmatter: string
}

/** The last processed revision; undefined: there is nothing to do. */
export async function findRetitling(db: Db): Promise<RevisionPosition | undefined> {
  const { rows } = await sql<RevisionPosition>`select space_id, page_id, version from retitling`.execute(db)
  return rows[0]
}

/** The next revisions: at most `limit`, with bodies of about `bytes` in all. */
export async function listTitled(
  db: Db,
  after: RevisionPosition,
  { limit, bytes }: { readonly limit: number; readonly bytes: number },
): Promise<TitledRow[]> {
  const { rows } = await sql<TitledRow>`
    with next as materialized (
      select space_id, page_id, version, size from revision
      where (space_id, page_id, version) > (${after.space_id}::bigint, ${after.page_id}::bigint, ${after.version}::int)
      order by space_id, page_id, version limit ${limit}
    ), fitting as (
      select *, sum(size) over (order by space_id, page_id, version) - size as bytes_before from next
    )
    select fitting.space_id, fitting.page_id, fitting.version, page.path, revision.title, revision.data, base.data as base_data,
      space.language, ${indexedMetadata},
      case when page.version = fitting.version then page.title end as page_title,
      case when page.version = fitting.version then page.frontmatter end as page_frontmatter
    from fitting
    join page on page.space_id = fitting.space_id and page.id = fitting.page_id
    join space on space.id = fitting.space_id ${indexedMetadataJoin}
    join revision on revision.space_id = fitting.space_id and revision.page_id = fitting.page_id and revision.version = fitting.version
    left join revision base
      on base.space_id = fitting.space_id and base.page_id = fitting.page_id and base.version = revision.base
    where fitting.bytes_before <= ${bytes}
    order by fitting.space_id, fitting.page_id, fitting.version`.execute(db)
  return rows
}

/** Stores titles of revisions, which are immutable otherwise. */
export async function putRevisionTitles(tx: Tx, rows: readonly Retitled[]): Promise<void> {
  await sql`
    update revision set title = changed.title
    from unnest(${rows.map((row) => row.space_id)}::bigint[], ${rows.map((row) => row.page_id)}::bigint[],
      ${rows.map((row) => row.version)}::int[], ${rows.map((row) => row.title)}::text[])
      as changed (space_id, page_id, version, title)
    where revision.space_id = changed.space_id and revision.page_id = changed.page_id
      and revision.version = changed.version`.execute(tx.db)
}

/** Stores titles of pages; returns the ids of those that were neither written nor moved meanwhile. */
export async function putPageTitles(tx: Tx, rows: readonly Retitled[]): Promise<readonly number[]> {
  const columns = sql`unnest(${rows.map((row) => row.space_id)}::bigint[], ${rows.map((row) => row.page_id)}::bigint[],
      ${rows.map((row) => row.version)}::int[], ${rows.map((row) => row.path)}::text[],
      ${rows.map((row) => row.title)}::text[], ${rows.map((row) => row.frontmatter)}::text[])
      as changed (space_id, page_id, version, path, title, frontmatter)`
  // Locked in the order in which other transactions lock pages, against deadlocks.
  const { rows: updatedRows } = await sql<{ id: number }>`
    with locked as materialized (
      select page.space_id, page.id, changed.title, changed.frontmatter from page
      join ${columns} on page.space_id = changed.space_id and page.id = changed.page_id
        and page.version = changed.version and page.path = changed.path
      order by page.space_id, page.id for no key update of page
    )
    update page set title = locked.title, frontmatter = locked.frontmatter
    from locked
    where page.space_id = locked.space_id and page.id = locked.id returning page.id`.execute(tx.db)
  return updatedRows.map(({ id }) => id)
}

/** Stores the position. */
export async function advanceRetitling(tx: Pick<Tx, 'db'>, to: RevisionPosition): Promise<void> {
  await sql`
    update retitling set space_id = ${to.space_id}, page_id = ${to.page_id}, version = ${to.version}
    where (space_id, page_id, version) < (${to.space_id}::bigint, ${to.page_id}::bigint, ${to.version}::int)`.execute(
    tx.db,
  )
}

/** Records that everything is done. */
export async function endRetitling(db: WriteDb): Promise<void> {
  await sql`delete from retitling`.execute(db)
}
