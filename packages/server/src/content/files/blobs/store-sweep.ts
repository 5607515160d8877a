import { sql } from 'kysely'
import { queryRows, read, write } from '../../../platform/database/database.ts'
import type { Tx } from '../../../platform/database/transaction.ts'
import { ENDED } from './store-blobs.ts'

type Writing = Pick<Tx, 'db'>

/** Neither a space nor a template refers to the row `blob`. */
const isUnreferenced = sql`not exists (select 1 from space_blob where space_blob.digest = blob.digest)
  and not exists (select 1 from space_template_file where space_template_file.digest = blob.digest)`

/**
 * Deletes blobs that neither a space nor a template refers to: their chunks become those of an expired upload. Two
 * statements, since the second one sees only what was committed before it started: it finds any reference from before
 * the lock, and the lock prevents later ones.
 */
export async function expireBlobs(tx: Writing, limit: number): Promise<number> {
  const { rows: lockedBlobs } = await sql<{ digest: Buffer }>`
    select digest from blob where ${isUnreferenced}
    limit ${limit} for update skip locked`.execute(tx.db)
  if (lockedBlobs.length === 0) return 0
  const digests = lockedBlobs.map(({ digest }) => digest)
  const rows = await queryRows(tx.db)`
    with unreferenced as (
      delete from blob where blob.digest = any(${digests}::bytea[])
        and ${isUnreferenced}
      returning upload_id, in_s3
    )
    insert into blob_upload (id, leased_until, in_s3) select upload_id, ${ENDED}, in_s3
    from unreferenced returning 1`
  return rows.length
}

/** An upload whose lease has ended. */
export interface ExpiredUpload {
  readonly id: string
  readonly in_s3: boolean
  readonly multipart_id: string | null
}

/** One of them; those in the bucket only where there is one. */
export const nextExpiredUpload = read(
  'next_expired_upload',
  (a: { bucket: boolean }) => sql<ExpiredUpload>`
    select id, in_s3, multipart_id from blob_upload where leased_until <= now() and (${a.bucket}::boolean or not in_s3)
    order by leased_until limit 1`,
)

/** Ends an expired upload, so that nobody renews it; no row: it is not expired, or gone. */
export const endUpload = write(
  'end_upload',
  (a: { uploadId: string }) => sql<ExpiredUpload>`
    update blob_upload set leased_until = ${ENDED} where id = ${a.uploadId}::uuid and leased_until <= now()
    returning id, in_s3, multipart_id`,
)

/** Removes an upload whose object is removed. */
export const deleteUpload = write(
  'delete_upload',
  (a: { uploadId: string }) =>
    sql<unknown>`delete from blob_upload where id = ${a.uploadId}::uuid and leased_until = ${ENDED}`,
)

/** Deletes some chunks of an upload that has ended, and the upload with the last of them. */
export async function deleteChunks(tx: Writing, uploadId: string, limit: number): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    delete from blob_chunk where upload_id = ${uploadId} and seq = any(array(
      select seq from blob_chunk where upload_id = ${uploadId} order by seq limit ${limit}))`.execute(tx.db)
  if (numAffectedRows < limit) await sql`delete from blob_upload where id = ${uploadId}`.execute(tx.db)
}
