import { compareText } from '@recto/lib/text/text-order.ts'
import { type RawBuilder, sql } from 'kysely'
import { type Resource, TABLES } from '../../access/resource.ts'
import { type AccessSubject, isVisible } from '../../access/visibility.ts'
import { type Db, queryRows } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import type { Deletion } from './store-trash.ts'

export interface Folder {
  readonly spaceId: number
  readonly path: string
}

/** A page or file of a folder. */
export interface FolderRow {
  readonly id: number
  readonly path: string
  readonly version: number
  /** Of a page. */
  readonly title: string
}

/** The pages or files of a folder that the caller can read by path, including the page at its own path. */
export async function listFolder(
  db: Db,
  subject: AccessSubject,
  resource: Resource,
  folder: Folder,
): Promise<FolderRow[]> {
  const { rows: row, addresses, id } = TABLES[resource]
  return queryRows<FolderRow>(db)`select ${folderColumns(resource)} from ${addresses} address
    join ${row} on ${row}.space_id = address.space_id and ${row}.id = address.${id}
    where address.space_id = ${folder.spaceId} and address.${id} is not null
      and ${inFolder(resource, sql`address.path`, folder.path)}
      and ${isVisible(subject, 'address.space_id', 'address.path')}
    order by address.path`
}

/** The same, locked until the transaction ends; in the order of their ids, as everywhere, against deadlocks. */
export async function lockFolder(
  tx: Pick<Tx, 'db'>,
  subject: AccessSubject,
  resource: Resource,
  folder: Folder,
): Promise<FolderRow[]> {
  const { rows: row, addresses, id } = TABLES[resource]
  // The rechecked path and deleted_at show whether one was moved or deleted while this waited for its lock.
  const rows = await queryRows<FolderRow>(tx.db)`select ${folderColumns(resource)} from ${row}
    where ${row}.space_id = ${folder.spaceId} and ${row}.deleted_at is null
      and ${inFolder(resource, sql`${row}.path`, folder.path)}
      and ${isVisible(subject, `${resource}.space_id`, `${resource}.path`)} and ${row}.id = any(array(
        select address.${id} from ${addresses} address
        where address.space_id = ${folder.spaceId} and address.${id} is not null
          and ${inFolder(resource, sql`address.path`, folder.path)}))
    order by ${row}.id for update of ${row}`
  return rows.sort((one, other) => compareText(one.path, other.path))
}

/** The pages or files of a folder that this deletion has moved to the trash. */
export async function listTrashedFolder(
  tx: Pick<Tx, 'db'>,
  resource: Resource,
  folder: Folder,
  { actorId, now }: Deletion,
): Promise<FolderRow[]> {
  const { rows: row } = TABLES[resource]
  return queryRows<FolderRow>(tx.db)`select ${folderColumns(resource)} from ${row}
    where ${row}.space_id = ${folder.spaceId} and ${row}.deleted_at = ${now}::timestamptz
      and ${row}.deleted_by = ${actorId}::uuid and ${inFolder(resource, sql`${row}.path`, folder.path)}
    order by ${row}.path`
}

function folderColumns(resource: Resource): RawBuilder<unknown> {
  const { rows } = TABLES[resource]
  return sql`${rows}.id, ${rows}.path, ${rows}.version, ${resource === 'page' ? sql`page.title` : sql`''`} as title`
}

/** Whether a page is at the path of a folder or below it, or a file below it: in the order of bytes `0` follows `/`. */
function inFolder(resource: Resource, column: RawBuilder<unknown>, path: string): RawBuilder<boolean> {
  const below = sql<boolean>`${column} > ${`${path}/`} collate "C" and ${column} < ${`${path}0`} collate "C"`
  return resource === 'page' ? sql`(${column} = ${path} or ${below})` : sql`(${below})`
}
