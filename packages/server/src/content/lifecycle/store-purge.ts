import { sql } from 'kysely'
import { type Resource, TABLES } from '../../access/resource.ts'
import { queryRows, queryValues } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { releaseBlobs } from '../files/blobs/store-blobs.ts'

/** Purges pages or files from the trash with all rows that refer to them; returns the ids of those that existed. */
export async function purgeRows(
  tx: Pick<Tx, 'db'>,
  resource: Resource,
  { spaceId, ids }: { readonly spaceId: number; readonly ids: readonly number[] },
): Promise<number[]> {
  const { rows: table, addresses, movedId } = TABLES[resource]
  const digests = resource === 'file' ? await listDigests(tx, spaceId, ids) : []
  const rows = await queryRows<{ id: number; path: string; version: number }>(tx.db)`
    delete from ${table} where space_id = ${spaceId} and id = any(${ids}::bigint[]) and deleted_at is not null
    returning id, path, version`
  const purgedIds = rows.map(({ id }) => id)
  const [paths, versions] = [rows.map(({ path }) => path), rows.map(({ version }) => version)]
  // Proposals to restore them have copies: new ones at their paths that are based on a version.
  await sql`with gone as (
      delete from draft where space_id = ${spaceId} and resource = ${resource} and merged_version is null
        and coalesce(page_id, file_id) is null and (path, base_version) in (select *
          from unnest(${paths}::text[], ${versions}::int[]))
      returning number)
    update change_request set version = version + 1
    where space_id = ${spaceId} and number in (select number from gone)`.execute(tx.db)
  await sql`update ${addresses} set moved_space_id = null, ${movedId} = null
    where moved_space_id = ${spaceId} and ${movedId} = any(${purgedIds}::bigint[])`.execute(tx.db)
  await releaseBlobs(tx, spaceId, digests)
  return purgedIds
}

/** The bytes of deleted files, in all their versions. */
async function listDigests(tx: Pick<Tx, 'db'>, spaceId: number, fileIds: readonly number[]): Promise<Buffer[]> {
  return queryValues<Buffer>(tx.db)`
    select distinct version.digest from file
    join file_version version on version.space_id = file.space_id and version.file_id = file.id
    where file.space_id = ${spaceId} and file.id = any(${fileIds}::bigint[]) and file.deleted_at is not null`
}

/** Some pages or files that were deleted before a time, locked against those who restore them. */
export async function lockExpired(
  tx: Pick<Tx, 'db'>,
  resource: Resource,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<{ readonly space_id: number; readonly id: number }[]> {
  return queryRows<{ space_id: number; id: number }>(tx.db)`
    select space_id, id from ${TABLES[resource].rows} where deleted_at < ${before} order by deleted_at limit ${limit}
    for update skip locked`
}
