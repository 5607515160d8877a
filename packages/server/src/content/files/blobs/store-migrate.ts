import { sql } from 'kysely'
import { read, write } from '../../../platform/database/statement.ts'
import { type BlobPlace, ENDED, isComplete } from './store-blobs.ts'

/** A blob that is to be moved. */
export interface BlobToMove extends BlobPlace {
  readonly digest: Buffer
  readonly size: number
}

/** The next blob that is not where it is to be, by digest. */
export const findBlobToMove = read(
  'find_blob_to_move',
  (a: { after: Buffer; inS3: boolean }) => sql<BlobToMove>`
    select digest, size, upload_id, in_s3 from blob where digest > ${a.after}::bytea and in_s3 <> ${a.inS3}::boolean
    order by digest limit 1`,
)

/**
 * Lets a blob refer to the bytes of another upload; those of the old one are kept for an hour. No row: the blob has
 * changed, the lease ended, or chunks are lost.
 */
export const moveBlob = write(
  'move_blob',
  (a: BlobToMove & { uploadId: string; inS3: boolean }) => sql<{ digest: Buffer }>`
    with released as (
      delete from blob_upload where id = ${a.uploadId}::uuid and leased_until > ${ENDED}
        and ${isComplete(a)}
        and exists (select 1 from blob where digest = ${a.digest}::bytea and upload_id = ${a.upload_id}::uuid for update)
      returning id
    ), moved as (
      update blob set upload_id = released.id, in_s3 = ${a.inS3}::boolean from released
      where blob.digest = ${a.digest}::bytea and blob.upload_id = ${a.upload_id}::uuid
      returning blob.digest
    ), old as (
      insert into blob_upload (id, leased_until, in_s3)
      select ${a.upload_id}::uuid, now() + interval '1 hour', ${a.in_s3}::boolean from moved
    )
    select digest from moved`,
)
