import { sql } from 'kysely'
import { currentVia } from '../../../access/via.ts'
import { queryRows, write } from '../../../platform/database/database.ts'
import type { Tx } from '../../../platform/database/transaction.ts'
import { binaryArray } from '../../../platform/database/values.ts'

export interface TakenRow {
  readonly path: string
  readonly page_id: number
  /** The highest version that any page had at this address. */
  readonly last_version: number
}

/** Inserts or updates the addresses without a page, in the order of their paths, which is that of `paths`. */
export const takeFree = write(
  'take_free_addresses',
  (a: { readonly spaceId: number; readonly paths: readonly string[] }) => sql<TakenRow>`
    insert into page_address (space_id, path, page_id)
    select ${a.spaceId}::bigint, path, nextval('page_id') from unnest(${a.paths}::text[])
    with ordinality as given (path, n)
    order by n
    on conflict (space_id, path) do update set page_id = excluded.page_id, moved_space_id = null, moved_page_id = null
      where page_address.page_id is null
    returning path, page_id, last_version`,
)

export interface NewPageRow {
  readonly id: number
  readonly path: string
  readonly version: number
  readonly revision_id: string
  readonly title: string
  readonly frontmatter: string
  readonly body: Buffer | null
  readonly keyframe: number
  readonly keyframe_id: string
  readonly note: string | null
  readonly created_at: Date
  readonly created_by: string
  readonly updated_at: Date
  readonly updated_by: string
  readonly links_digest: Buffer | null
}

const insertPageRows = write(
  'insert_pages',
  (a: Columns<NewPageRow>) => sql<unknown>`
    insert into page (space_id, id, path, version, revision_id, title, frontmatter, body, keyframe, keyframe_id, note,
      created_at, created_by, updated_at, updated_by, links_digest)
    select ${a.spaceId}::bigint, * from unnest(${a.id}::bigint[], ${a.path}::text[], ${a.version}::int[],
      ${a.revision_id}::uuid[], ${a.title}::text[], ${a.frontmatter}::text[], ${a.body}::bytea[],
      ${a.keyframe}::int[], ${a.keyframe_id}::uuid[], ${a.note}::text[], ${a.created_at}::timestamptz[],
      ${a.created_by}::uuid[], ${a.updated_at}::timestamptz[], ${a.updated_by}::uuid[],
      ${a.links_digest}::bytea[])`,
)

/** Inserts the rows of pages whose addresses were acquired. */
export async function insertPages(tx: Pick<Tx, 'db'>, spaceId: number, pages: readonly NewPageRow[]): Promise<void> {
  const of = columns(pages)
  await insertPageRows.enqueue(tx.db, {
    spaceId,
    id: of('id'),
    path: of('path'),
    version: of('version'),
    revision_id: of('revision_id'),
    title: of('title'),
    frontmatter: of('frontmatter'),
    body: binaryArray('bytea', of('body')),
    keyframe: of('keyframe'),
    keyframe_id: of('keyframe_id'),
    note: of('note'),
    created_at: of('created_at'),
    created_by: of('created_by'),
    updated_at: of('updated_at'),
    updated_by: of('updated_by'),
    links_digest: binaryArray('bytea', of('links_digest')),
  })
}

export interface ChangedPageRow extends Omit<NewPageRow, 'created_at' | 'created_by' | 'links_digest'> {
  /** The expected current version of the page. */
  readonly expected: number
}

/** Moves pages to their next version if they have the expected one; returns the ids of those. */
export async function changePages(
  tx: Pick<Tx, 'db'>,
  spaceId: number,
  pages: readonly ChangedPageRow[],
): Promise<number[]> {
  const of = columns(pages)
  const rows = await queryRows<{ id: number }>(tx.db)`
    with given as (
      select * from unnest(${of('id')}::bigint[], ${of('path')}::text[], ${of('expected')}::int[],
        ${of('version')}::int[],
        ${of('revision_id')}::uuid[], ${of('title')}::text[], ${of('frontmatter')}::text[], ${of('body')}::bytea[],
        ${of('keyframe')}::int[], ${of('keyframe_id')}::uuid[], ${of('note')}::text[],
        ${of('updated_at')}::timestamptz[],
        ${of('updated_by')}::uuid[])
        as given (id, path, expected, version, revision_id, title, frontmatter, body, keyframe, keyframe_id, note,
          updated_at, updated_by)
    ), locked as (
      select page.id from page join given on given.id = page.id
      where page.space_id = ${spaceId} and page.version = given.expected and page.path = given.path
        and page.deleted_at is null
      order by page.id for update of page
    )
    update page set version = given.version, revision_id = given.revision_id, title = given.title,
      frontmatter = given.frontmatter,
      body = given.body, keyframe = given.keyframe, keyframe_id = given.keyframe_id, note = given.note,
      updated_at = given.updated_at, updated_by = given.updated_by, updated_via = ${currentVia}
    from given where page.space_id = ${spaceId} and page.id = given.id and page.id in (select id from locked)
    returning page.id`
  return rows.map((row) => row.id)
}

export interface NewRevisionRow {
  readonly page_id: number
  readonly version: number
  readonly id: string
  readonly title: string
  readonly note: string | null
  readonly size: number
  readonly base: number | null
  readonly data: Buffer
  readonly restored_from: number | null
  readonly created_at: Date
  readonly created_by: string
}

const insertRevisionRows = write(
  'insert_revisions',
  (a: Columns<NewRevisionRow>) => sql<unknown>`
    insert into revision (space_id, page_id, version, id, title, note, size, base, data, restored_from, created_at,
      created_by)
    select ${a.spaceId}::bigint, * from unnest(${a.page_id}::bigint[], ${a.version}::int[], ${a.id}::uuid[],
      ${a.title}::text[], ${a.note}::text[], ${a.size}::int[], ${a.base}::int[], ${a.data}::bytea[],
      ${a.restored_from}::int[], ${a.created_at}::timestamptz[], ${a.created_by}::uuid[])`,
)

/** Inserts revisions of pages that this transaction created or changed. */
export async function insertRevisions(
  tx: Pick<Tx, 'db'>,
  spaceId: number,
  revisions: readonly NewRevisionRow[],
): Promise<void> {
  const of = columns(revisions)
  await insertRevisionRows.enqueue(tx.db, {
    spaceId,
    page_id: of('page_id'),
    version: of('version'),
    id: of('id'),
    title: of('title'),
    note: of('note'),
    size: of('size'),
    base: of('base'),
    data: binaryArray('bytea', of('data')),
    restored_from: of('restored_from'),
    created_at: of('created_at'),
    created_by: of('created_by'),
  })
}

/** The parameters of a statement that inserts rows into a space: an array for each column. */
type Columns<Row> = { readonly [Column in keyof Row]: readonly Row[Column][] | Buffer } & { readonly spaceId: number }

/** One member of all rows as an array, for `unnest`. */
function columns<Row>(rows: readonly Row[]): <K extends keyof Row>(key: K) => Row[K][] {
  return (key) => rows.map((row) => row[key])
}
