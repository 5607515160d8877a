import { sql } from 'kysely'
import { type Db, read, write } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { longArrayKey } from './elements.ts'

/** Up to so many pages with a long array of a key are looked up by their documents; for more the index is faster. */
const MAX_LONG_ARRAYS = 100

export interface ElementRow {
  readonly space_id: number
  readonly page_id: number
  /** In hexadecimal. */
  readonly rank: string
}

const putElements = write(
  'put_metadata_element',
  (a: { readonly deleted: string; readonly inserted: string }) => sql<Record<string, never>>`
    with deleted as (
      delete from metadata_element element
      using jsonb_to_recordset(${a.deleted}::jsonb) as gone (space_id bigint, page_id bigint, rank text)
      where element.space_id = gone.space_id and element.page_id = gone.page_id
        and element.rank = decode(gone.rank, 'hex')
    )
    insert into metadata_element (space_id, page_id, rank)
    select space_id, page_id, decode(rank, 'hex')
    from jsonb_to_recordset(${a.inserted}::jsonb) as made (space_id bigint, page_id bigint, rank text)
    on conflict do nothing`,
)

/** Deletes and inserts rows of elements of pages whose documents are new or locked. Sends nothing without a change. */
export async function writeElements(
  tx: Pick<Tx, 'db'>,
  deletedRows: readonly ElementRow[],
  insertedRows: readonly ElementRow[],
): Promise<void> {
  if (deletedRows.length === 0 && insertedRows.length === 0) return
  await putElements.enqueue(tx.db, { deleted: JSON.stringify(deletedRows), inserted: JSON.stringify(insertedRows) })
}

const listIndexedKeys = read(
  'indexed_element_keys',
  (a: { readonly keys: readonly string[]; readonly ranks: readonly string[] }) => sql<{ key: string }>`
    select given.key from unnest(${a.keys}::text[], ${a.ranks}::text[]) as given (key, rank)
    where not exists (
      select from metadata_element element
      where element.rank = decode(given.rank, 'hex') offset ${sql.lit(MAX_LONG_ARRAYS)})`,
)

/** Those of the keys that few pages have with a long array: the others are looked up in their documents. */
export async function indexedKeys(db: Db, keys: readonly string[]): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set()
  const rows = await listIndexedKeys.all(db, { keys, ranks: keys.map(longArrayKey) })
  return new Set(rows.map(({ key }) => key))
}
