import { sql } from 'kysely'
import { type AddressArgs, pageStatement } from '../../../access/addressed-page.ts'
import type { Actor, Rank } from '../../../access/caller.ts'
import { memberJoin, rankIn } from '../../../access/visibility.ts'
import type { Db } from '../../../platform/database/database.ts'
import { read, write } from '../../../platform/database/statement.ts'
import type { Tx } from '../../../platform/database/transaction.ts'
import { releaseBlobs } from '../blobs/store-blobs.ts'
import type { FileRow } from '../file.ts'
import { actorJoins, fileColumns, type WrittenRow } from '../store.ts'

interface TrashArgs {
  readonly spaceId: number
  readonly fileId: number
  readonly path: string
  readonly expected: number
  readonly actorId: string
  readonly now: Date
}

/** Moves a file to the trash (soft delete) and releases its address, while its version is still `expected`; no row: it is not. */
export const trashFile = write(
  'trash_file',
  (a: TrashArgs) => sql<{ version: number }>`
    with trashed as (
      update file set deleted_at = ${a.now}::timestamptz, deleted_by = ${a.actorId}::uuid
      where space_id = ${a.spaceId} and id = ${a.fileId} and version = ${a.expected} and path = ${a.path} and deleted_at is null
      returning id, version
    ), released_address as (
      update file_address address set file_id = null, last_version = greatest(address.last_version, trashed.version)
      from trashed where address.space_id = ${a.spaceId} and address.path = ${a.path} and address.file_id = trashed.id
    )
    select version from trashed`,
)

/** Whether this deletion has moved the file to the trash; no row: it is purged. */
export const findTrashedBy = read(
  'find_trashed_file',
  (a: Pick<TrashArgs, 'spaceId' | 'fileId' | 'actorId' | 'now'>) => sql<{ trashed: boolean }>`
    select coalesce(deleted_at = ${a.now}::timestamptz and deleted_by = ${a.actorId}::uuid, false) as trashed
    from file where space_id = ${a.spaceId} and id = ${a.fileId}`,
)

/** The file that was deleted last at an address. `id` is null if there is none, `file_id` if there is no file now. */
export interface TrashedFileRow extends FileRow {
  readonly space_id: number
  readonly space_slug: string
  readonly rank: Rank
  readonly file_id: number | null
  readonly id: number | null
}

export const readTrashed = pageStatement<AddressArgs, TrashedFileRow>(
  'read_trashed_file',
  (args) => sql`
    select space.id as space_id, coalesce(space.slug, 'personal') as space_slug, ${rankIn(args)} as rank, address.file_id, ${fileColumns}, file.id
    from space ${memberJoin(args)}
    left join file_address address on address.space_id = space.id and address.path = ${args.path}
    left join lateral (
      select * from file trashed where trashed.space_id = space.id and trashed.path = ${args.path} and trashed.deleted_at is not null
      order by trashed.deleted_at desc, trashed.version desc limit 1
    ) file on true
    left join file_version version on version.space_id = file.space_id and version.file_id = file.id and version.version = file.version ${actorJoins}`,
)

/**
 * Restores a file to its path as its next version with the same bytes; no row: it is not in the trash any more, or another
 * file is at the path.
 */
export const restoreTrashed = write(
  'restore_file',
  (a: TrashArgs & { versionId: string }) => sql<WrittenRow>`
    with old as (
      select id, version from file
      where space_id = ${a.spaceId} and id = ${a.fileId} and version = ${a.expected} and path = ${a.path} and deleted_at is not null
      for update
    ), taken as (
      update file_address address set file_id = old.id, moved_space_id = null, moved_file_id = null
      from old where address.space_id = ${a.spaceId} and address.path = ${a.path} and address.file_id is null
      returning greatest(address.last_version, old.version) + 1 as version
    ), back as (
      update file set deleted_at = null, deleted_by = null, version = taken.version,
        updated_at = ${a.now}::timestamptz, updated_by = ${a.actorId}::uuid
      from old, taken where file.space_id = ${a.spaceId} and file.id = old.id
      returning file.id, file.version
    )
    insert into file_version (space_id, file_id, version, id, digest, size, content_type, width, height, created_at, created_by)
    select version.space_id, version.file_id, back.version, ${a.versionId}::uuid, version.digest, version.size, version.content_type, version.width, version.height,
      ${a.now}::timestamptz, ${a.actorId}::uuid
    from file_version version join back on back.id = version.file_id
    where version.space_id = ${a.spaceId} and version.version = ${a.expected}
    returning file_id, version`,
)

/** Purges files from the trash, with their versions and the references to bytes that no other file of the space has. */
export async function purgeFiles(
  tx: Pick<Tx, 'db'>,
  spaceId: number,
  ids: readonly number[],
): Promise<number[]> {
  const { rows: versions } = await sql<{ digest: Buffer }>`
    select distinct version.digest from file join file_version version on version.space_id = file.space_id and version.file_id = file.id
    where file.space_id = ${spaceId}
      and file.id = any(${ids}::bigint[]) and file.deleted_at is not null`.execute(tx.db)
  const { rows } = await sql<{ id: number }>`
    delete from file where space_id = ${spaceId} and id = any(${ids}::bigint[]) and deleted_at is not null
    returning id`.execute(tx.db)
  const purged = rows.map(({ id }) => id)
  await sql`update file_address set moved_space_id = null, moved_file_id = null
    where moved_space_id = ${spaceId} and moved_file_id = any(${purged}::bigint[])`.execute(tx.db)
  const digests = versions.map(({ digest }) => digest)
  await releaseBlobs(tx, spaceId, digests)
  return purged
}

export interface TrashListRow extends FileRow {
  readonly deleted_at: Date
  readonly deleted_by: Actor
  readonly restorable: boolean
}

/** The deleted files of a space, latest deletion first; files of one deletion by path and version. */
export async function listTrashedFiles(
  db: Db,
  window: {
    readonly spaceId: number
    readonly after: readonly [string, string, number] | undefined
    readonly limit: number
  },
): Promise<TrashListRow[]> {
  const { spaceId, after, limit } = window
  const { rows } = await sql<TrashListRow>`
    select ${fileColumns}, file.deleted_at, jsonb_build_object('id', deleter.id, 'name', deleter.name, 'kind', deleter.kind) as deleted_by,
      address.file_id is null and not exists (
        select 1 from file later where later.space_id = file.space_id and later.path = file.path and later.deleted_at is not null
          and (later.deleted_at, later.version) > (file.deleted_at, file.version)
      ) as restorable
    from file
    join file_version version on version.space_id = file.space_id and version.file_id = file.id and version.version = file.version
    left join file_address address on address.space_id = file.space_id and address.path = file.path
    join principal deleter on deleter.id = file.deleted_by ${actorJoins}
    where file.space_id = ${spaceId} and file.deleted_at is not null
      ${
        after === undefined
          ? sql``
          : sql`and file.deleted_at <= ${after[0]}::timestamptz
        and (file.deleted_at < ${after[0]}::timestamptz or (file.path, file.version) > (${after[1]}, ${after[2]}::int))`
      }
    order by file.deleted_at desc, file.path, file.version limit ${limit}`.execute(db)
  return rows
}
