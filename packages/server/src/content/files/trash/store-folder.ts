import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/database/database.ts'
import type { Tx } from '../../../platform/database/transaction.ts'
import type { StoredBytes } from '../file.ts'
import type { MovingFile } from '../store-move.ts'

type Writing = Pick<Tx, 'db'>

export interface FilesFolder {
  readonly spaceId: number
  readonly path: string
}

/** Whether a row is below the path of a folder: in the order of bytes `0` follows `/`. */
function isBelow(row: 'address' | 'file', path: string): RawBuilder<boolean> {
  const column = sql.ref(`${row}.path`)
  return sql<boolean>`(${column} > ${`${path}/`} collate "C" and ${column} < ${`${path}0`} collate "C")`
}

/** The files below a path, in the order of their paths. */
export async function listFilesBelow(db: Db, { spaceId, path }: FilesFolder): Promise<MovingFile[]> {
  const { rows } = await sql<MovingFile>`
    select file.id as file_id, file.path, file.version from file_address address
    join file on file.space_id = address.space_id and file.id = address.file_id
    where address.space_id = ${spaceId} and address.file_id is not null and ${isBelow('address', path)}
    order by address.path`.execute(db)
  return rows
}

/** A file that is moved to the trash, with the members of its event. */
export interface TrashingFile extends MovingFile, StoredBytes {}

const trashing = sql`file.id as file_id, file.path, file.version, version.digest, version.size, version.content_type, version.width,
  version.height`
const latest = sql`join file_version version on version.space_id = file.space_id and version.file_id = file.id
  and version.version = file.version`

/** The same files, locked until the transaction ends; in the order of their ids, as everywhere, against deadlocks. */
export async function lockFilesBelow(tx: Writing, { spaceId, path }: FilesFolder): Promise<number[]> {
  // The rechecked path and deleted_at show whether a file was moved or deleted while this waited for its lock.
  const { rows } = await sql<{ id: number }>`select id from file
    where space_id = ${spaceId} and deleted_at is null and ${isBelow('file', path)} and id = any(array(
      select address.file_id from file_address address
      where address.space_id = ${spaceId} and address.file_id is not null and ${isBelow('address', path)}))
    order by id for update`.execute(tx.db)
  return rows.map(({ id }) => id)
}

/** Moves locked files to the trash and releases their addresses; returns them in the order of their paths. */
export async function trashFiles(
  tx: Writing,
  spaceId: number,
  ids: readonly number[],
  { actorId, now }: { readonly actorId: string; readonly now: Date },
): Promise<TrashingFile[]> {
  await sql`select 1 from file_address where space_id = ${spaceId} and path = any(array(
    select path from file
    where space_id = ${spaceId} and id = any(${ids}::bigint[]))) order by path for update`.execute(tx.db)
  await sql`
    with trashed as (
      update file set deleted_at = ${now}::timestamptz, deleted_by = ${actorId}::uuid
      where space_id = ${spaceId} and id = any(${ids}::bigint[])
      returning id, path, version
    )
    update file_address address set file_id = null, last_version = greatest(address.last_version, trashed.version)
    from trashed where address.space_id = ${spaceId}
      and address.path = trashed.path and address.file_id = trashed.id`.execute(tx.db)
  const { rows } = await sql<TrashingFile>`select ${trashing} from file ${latest}
    where file.space_id = ${spaceId} and file.id = any(${ids}::bigint[]) order by file.path`.execute(tx.db)
  return rows
}

/** The files below a path that this deletion has moved to the trash. */
export async function listTrashedBelow(
  tx: Writing,
  { spaceId, path }: FilesFolder,
  { actorId, now }: { readonly actorId: string; readonly now: Date },
): Promise<TrashingFile[]> {
  const { rows } = await sql<TrashingFile>`select ${trashing} from file ${latest}
    where file.space_id = ${spaceId} and file.deleted_at = ${now}::timestamptz and file.deleted_by = ${actorId}::uuid
      and ${isBelow('file', path)} order by file.path`.execute(tx.db)
  return rows
}
