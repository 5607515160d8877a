import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { releaseBlobs } from './blobs/store-blobs.ts'
import type { StoredBytes } from './file.ts'

type Writing = Pick<Tx, 'db'>

/** A file to be moved. */
export interface MovingFile {
  readonly file_id: number
  readonly path: string
  readonly version: number
}

/** The paths of a space that have files. */
export async function listTakenFiles(db: Db, spaceId: number, paths: readonly string[]) {
  const { rows } = await sql<{ path: string; file_id: number }>`
    select path, file_id from file_address
    where space_id = ${spaceId} and path = any(${paths}::text[]) and file_id is not null
    order by path`.execute(db)
  return rows
}

/** Locks files that are not deleted until the transaction ends, in one order for all. */
export async function lockFiles(tx: Writing, spaceId: number, ids: readonly number[]) {
  const { rows } = await sql<{ id: number; version: number; path: string }>`
    select id, version, path from file where space_id = ${spaceId} and id = any(${ids}::bigint[]) and deleted_at is null
    order by id for update`.execute(tx.db)
  return rows
}

export interface FileAddressRow {
  readonly space_id: number
  readonly path: string
  readonly file_id: number | null
  readonly last_version: number
}

/** Locks addresses, creating missing ones, in one order for all. */
export async function lockFileAddresses(
  tx: Writing,
  { spaceIds, paths }: { readonly spaceIds: readonly number[]; readonly paths: readonly string[] },
): Promise<FileAddressRow[]> {
  const given = sql`(select distinct * from unnest(${spaceIds}::bigint[], ${paths}::text[]) as addressed (space_id, path)) given`
  await sql`insert into file_address (space_id, path) select * from ${given}
    where not exists (select 1 from file_address address where address.space_id = given.space_id and address.path = given.path collate "C")
    order by 1, 2 on conflict (space_id, path) do nothing`.execute(tx.db)
  const { rows } = await sql<FileAddressRow>`
    select address.space_id, address.path, address.file_id, address.last_version from file_address address
    join ${given} on given.space_id = address.space_id and given.path = address.path collate "C"
    order by address.space_id, address.path for update of address`.execute(tx.db)
  return rows
}

/** A file with its new path, and the version that it has there: versions never restart at a path. */
export interface FileMove extends MovingFile {
  readonly to: string
  readonly next: number
  /** Of the version that is a copy of the latest, where `next` is another one. */
  readonly copyId: string
}

/** Moves files, whose rows and addresses are locked, to other addresses; the old ones redirect. */
export async function moveFiles(
  tx: Writing,
  spaces: { readonly from: number; readonly to: number },
  moves: readonly FileMove[],
  by: { readonly actorId: string; readonly now: Date },
): Promise<void> {
  const ids = moves.map((move) => move.file_id)
  const given = sql`unnest(${ids}::bigint[], ${moves.map((move) => move.path)}::text[], ${moves.map((move) => move.to)}::text[],
    ${moves.map((move) => move.version)}::int[], ${moves.map((move) => move.next)}::int[],
    ${moves.map((move) => move.copyId)}::uuid[]) as moving (id, old, new, version, next, copy_id)`
  await sql`update file_address address set file_id = null, last_version = greatest(address.last_version, moving.version),
      moved_space_id = ${spaces.to}::bigint, moved_file_id = moving.id
    from ${given}
    where address.space_id = ${spaces.from} and address.path = moving.old collate "C"`.execute(tx.db)
  await sql`update file_address address set file_id = moving.id, moved_space_id = null, moved_file_id = null
    from ${given}
    where address.space_id = ${spaces.to} and address.path = moving.new collate "C"`.execute(tx.db)
  const digests = spaces.from === spaces.to ? [] : await shareBlobs(tx, spaces, ids)
  if (spaces.from !== spaces.to) {
    await sql`update file_address set moved_space_id = ${spaces.to}
      where moved_space_id = ${spaces.from} and moved_file_id = any(${ids}::bigint[])`.execute(tx.db)
  }
  await sql`update file set space_id = ${spaces.to}, path = moving.new, version = moving.next
    from ${given} where file.space_id = ${spaces.from} and file.id = moving.id`.execute(tx.db)
  await copyVersions(tx, spaces.to, given, by)
  await releaseBlobs(tx, spaces.from, digests)
}

async function copyVersions(
  tx: Writing,
  spaceId: number,
  given: RawBuilder<unknown>,
  { actorId, now }: { readonly actorId: string; readonly now: Date },
): Promise<void> {
  await sql`
    insert into file_version (space_id, file_id, version, id, digest, size, content_type, width, height, created_at, created_by)
    select version.space_id, version.file_id, moving.next, moving.copy_id, version.digest, version.size, version.content_type, version.width, version.height, ${now}, ${actorId}::uuid
    from ${given} join file_version version on version.space_id = ${spaceId} and version.file_id = moving.id and version.version = moving.version
    where moving.next <> moving.version`.execute(tx.db)
}

/** Adds references of the target space to the bytes of files before the files are moved. */
async function shareBlobs(
  tx: Writing,
  spaces: { readonly from: number; readonly to: number },
  ids: readonly number[],
): Promise<Buffer[]> {
  const { rows } = await sql<{ digest: Buffer }>`
    insert into space_blob (space_id, digest, size)
    select distinct ${spaces.to}::bigint, version.digest, version.size from file_version version
    where version.space_id = ${spaces.from} and version.file_id = any(${ids}::bigint[]) order by 2
    on conflict (space_id, digest) do update set size = space_blob.size returning digest`.execute(tx.db)
  return rows.map(({ digest }) => digest)
}

/** The data of events about some files. */
export async function readFacts(tx: Writing, spaceId: number, ids: readonly number[]) {
  const { rows } = await sql<StoredBytes & { id: number }>`
    select file.id, version.digest, version.size, version.content_type, version.width, version.height from file
    join file_version version on version.space_id = file.space_id and version.file_id = file.id and version.version = file.version
    where file.space_id = ${spaceId} and file.id = any(${ids}::bigint[])`.execute(tx.db)
  return rows
}
