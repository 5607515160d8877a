import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import { read, write } from '../../platform/database/statement.ts'
import type { Tx, WriteDb } from '../../platform/database/transaction.ts'
import { longArrayKey } from './elements.ts'

/**
 * Up to so many pages with a long array of a key are looked up by their documents; of more, the index of the documents
 * is faster.
 */
const MAX_LONG_ARRAYS = 100

/** A row of metadata_element. */
export interface ElementRow {
  readonly space_id: number
  readonly page_id: number
  /** In hexadecimal. */
  readonly rank: string
}

const putRanks = (table: 'metadata_element' | 'metadata_entry') =>
  write(
    `put_${table}`,
    (a: { readonly deleted: string; readonly inserted: string }) => sql<Record<string, never>>`
    with deleted as (
      delete from ${sql.table(table)} element
      using jsonb_to_recordset(${a.deleted}::jsonb) as gone (space_id bigint, page_id bigint, rank text)
      where element.space_id = gone.space_id and element.page_id = gone.page_id and element.rank = decode(gone.rank, 'hex')
    )
    insert into ${sql.table(table)} (space_id, page_id, rank)
    select space_id, page_id, decode(rank, 'hex')
    from jsonb_to_recordset(${a.inserted}::jsonb) as made (space_id bigint, page_id bigint, rank text)
    on conflict do nothing`,
  )
const putElements = putRanks('metadata_element')
const putEntries = putRanks('metadata_entry')

/** Rows of pages that are deleted, and others that are inserted. */
export interface RankChanges {
  readonly deleted: readonly ElementRow[]
  readonly inserted: readonly ElementRow[]
}

/**
 * Deletes and inserts rows of elements of pages whose documents are new or locked. Where the rows are not complete yet,
 * some may be there or missing already. Nothing is sent where nothing changes.
 */
export async function writeElements(
  tx: Pick<Tx, 'db'>,
  deletedRows: readonly ElementRow[],
  insertedRows: readonly ElementRow[],
): Promise<void> {
  if (deletedRows.length === 0 && insertedRows.length === 0) return
  await putElements.enqueue(tx.db, {
    deleted: JSON.stringify(deletedRows),
    inserted: JSON.stringify(insertedRows),
  })
}

/** The same for entries, which belong to the same pages. */
export async function writeEntries(tx: Pick<Tx, 'db'>, { deleted, inserted }: RankChanges): Promise<void> {
  if (deleted.length === 0 && inserted.length === 0) return
  await putEntries.enqueue(tx.db, { deleted: JSON.stringify(deleted), inserted: JSON.stringify(inserted) })
}

const listIndexedKeys = read(
  'indexed_element_keys',
  (a: { readonly keys: readonly string[]; readonly ranks: readonly string[] }) => sql<{ key: string }>`
    select given.key from unnest(${a.keys}::text[], ${a.ranks}::text[]) as given (key, rank)
    where not exists (select from element_indexing) and not exists (
      select from metadata_element element where element.rank = decode(given.rank, 'hex') offset ${sql.lit(MAX_LONG_ARRAYS)})`,
)

/** Those of the keys whose elements are all in the table, and that few pages have with a long array. */
export async function indexedKeys(db: Db, keys: readonly string[]): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set()
  const rows = await listIndexedKeys.all(db, { keys, ranks: keys.map(longArrayKey) })
  return new Set(rows.map(({ key }) => key))
}

/** A position in the order of all documents. */
export interface DocumentPosition {
  readonly space_id: number
  readonly page_id: number
}

/** The last page whose elements are indexed; undefined: those of all pages are. */
export async function findElementIndexing(db: Db): Promise<DocumentPosition | undefined> {
  const { rows } = await sql<DocumentPosition>`select space_id, page_id from element_indexing`.execute(db)
  return rows[0]
}

/** The last of the next `limit` documents after a position; undefined: there are none. */
export async function endOfDocuments(
  db: Db,
  after: DocumentPosition,
  limit: number,
): Promise<DocumentPosition | undefined> {
  const { rows } = await sql<DocumentPosition>`
    select space_id, page_id from (
      select space_id, page_id from page_metadata
      where (space_id, page_id) > (${after.space_id}::bigint, ${after.page_id}::bigint) order by space_id, page_id limit ${limit}
    ) next order by space_id desc, page_id desc limit 1`.execute(db)
  return rows[0]
}

/** A document with the ranks of its elements and entries in the tables. */
export interface RanksOfPage extends DocumentPosition {
  /** The values, as far as ranks depend on them. */
  readonly values: Readonly<Record<string, unknown>> | null
  readonly elements: readonly string[]
  readonly entries: readonly string[]
}

/**
 * The documents after a position, until another one; locked until the transaction ends. One that was changed meanwhile
 * is read as it is then, but its ranks as they were: `writeElements` and `writeEntries` take both.
 */
export async function lockDocuments(
  tx: Pick<Tx, 'db'>,
  after: DocumentPosition,
  end: DocumentPosition,
): Promise<readonly RanksOfPage[]> {
  const ranks = (table: string) => sql`array(select encode(rank, 'hex') from ${sql.table(table)} element
    where element.space_id = document.space_id and element.page_id = document.page_id)`
  const { rows } = await sql<RanksOfPage>`
    select document.space_id, document.page_id,
      (select jsonb_object_agg(key, case jsonb_typeof(value) when 'object' then '{}'
        when 'string' then to_jsonb(left(value #>> '{}', 400)) else value end) from jsonb_each(document.doc)) as values,
      ${ranks('metadata_element')} as elements, ${ranks('metadata_entry')} as entries
    from page_metadata document
    where (document.space_id, document.page_id) > (${after.space_id}::bigint, ${after.page_id}::bigint)
      and (document.space_id, document.page_id) <= (${end.space_id}::bigint, ${end.page_id}::bigint)
    order by document.space_id, document.page_id for update of document`.execute(tx.db)
  return rows
}

/** Stores the position of the indexing. */
export async function advanceElementIndexing(tx: Pick<Tx, 'db'>, to: DocumentPosition): Promise<void> {
  await sql`update element_indexing set space_id = ${to.space_id}, page_id = ${to.page_id}`.execute(tx.db)
}

/** Records that the elements of all pages are in the table. */
export async function endElementIndexing(db: WriteDb): Promise<void> {
  await sql`delete from element_indexing`.execute(db)
}
