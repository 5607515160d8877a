import { type RawBuilder, sql } from 'kysely'
import { type AccessSubject, hidesIn, isVisible } from '../../../access/visibility.ts'
import { type Db, queryValue, queryValues, read, write } from '../../../platform/database/database.ts'
import type { Tx } from '../../../platform/database/transaction.ts'

/*
 * Bytes by their SHA-256. An upload writes its chunks under its own id, in transactions of their own, and holds a lease
 * in `blob_upload`. The transaction of the file then makes the upload a blob, or takes the blob that has the same
 * digest.
 *
 * A reference (`space_blob`) is written after its blob is locked, and the sweep (`store-sweep.ts`) locks a blob before
 * it looks for references: so no row ever refers to bytes that are gone.
 */

/** Rows of this size keep the memory of an upload small, and delay other statements only briefly. */
export const CHUNK_BYTES = 256 * 1024
/** The maximum time between two chunks of an upload. */
const LEASE = sql`interval '10 minutes'`
/** The lease of an upload that is being deleted: it cannot be renewed. */
export const ENDED = sql`'-infinity'::timestamptz`

/** Begins an upload of no bytes, or to the bucket. */
export const insertUpload = write(
  'insert_upload',
  (a: { uploadId: string; inS3: boolean }) => sql<unknown>`
    insert into blob_upload (id, leased_until, in_s3)
    values (${a.uploadId}::uuid, now() + ${LEASE}, ${a.inS3}::boolean)`,
)

/** Renews the lease of an upload to the bucket, and notes its multipart upload; no row: the lease had ended. */
export const renewUpload = write(
  'renew_upload',
  (a: { uploadId: string; multipartId: string }) => sql<{ id: string }>`
    update blob_upload set leased_until = now() + ${LEASE}, multipart_id = ${a.multipartId}
    where id = ${a.uploadId}::uuid and leased_until > ${ENDED}
    returning id`,
)

/**
 * Writes a chunk and renews the lease; no row: the lease had ended. It commits asynchronously: only a later transaction
 * refers to the chunk, which finds it there (`isComplete`) and makes it durable.
 */
export const insertChunk = write(
  'insert_chunk',
  (a: { uploadId: string; seq: number; data: Buffer }) => sql<{ seq: number }>`
    with renewed as (
      update blob_upload set leased_until = now() + ${LEASE} where id = ${a.uploadId}::uuid and leased_until > ${ENDED}
      returning id, set_config('synchronous_commit', 'off', true)
    )
    insert into blob_chunk (upload_id, seq, data) select id, ${a.seq}::int, ${a.data}::bytea from renewed
    returning seq`,
)

/** Begins an upload with its first chunk, asynchronously as well. */
export const insertFirstChunk = write(
  'insert_first_chunk',
  (a: { uploadId: string; data: Buffer }) => sql<{ seq: number }>`
    with begun as (
      insert into blob_upload (id, leased_until) values (${a.uploadId}::uuid, now() + ${LEASE})
      returning id, set_config('synchronous_commit', 'off', true)
    )
    insert into blob_chunk (upload_id, seq, data) select id, 0, ${a.data}::bytea from begun
    returning seq`,
)

/** Ends the lease of an upload, so that its chunks are deleted; no row: it is a blob, or has no chunks. */
export const expireUpload = write(
  'expire_upload',
  (a: { uploadId: string }) => sql<{ id: string }>`
    update blob_upload set leased_until = ${ENDED} where id = ${a.uploadId}::uuid returning id`,
)

export interface ClaimedRow {
  /** Whether the blob has the chunks of this upload; false: it was there, the lease had ended, or chunks are lost. */
  readonly claimed: boolean
  /** Whether the blob was there already. */
  readonly known: boolean
  /** Whether it is new to the space. */
  readonly added: boolean
}

/**
 * Whether an upload has all its chunks. Their commits are asynchronous: a crash of the database during an upload loses
 * those that were not flushed, although the upload continues after it.
 */
function isComplete(a: { uploadId: string; size: number; inS3: boolean }): RawBuilder<boolean> {
  const chunks = sql`(${a.size}::bigint + ${CHUNK_BYTES - 1}::bigint) / ${CHUNK_BYTES}::bigint`
  return sql`(${a.inS3}::boolean
    or (select count(*) from blob_chunk where upload_id = ${a.uploadId}::uuid) = ${chunks})`
}

/** Makes the upload a blob unless there is one with its digest, and locks the blob for the space. */
export const claimBlob = write(
  'claim_blob',
  (a: { spaceId: number; uploadId: string; digest: Buffer; size: number; inS3: boolean; now: Date }) => sql<ClaimedRow>`
    with stored as (
      insert into blob (digest, upload_id, size, created_at, in_s3)
      values (${a.digest}::bytea, ${a.uploadId}::uuid, ${a.size}::bigint, ${a.now}::timestamptz, ${a.inS3}::boolean)
      on conflict (digest) do update set size = blob.size
      returning digest, upload_id, size
    ), released as (
      delete from blob_upload using stored
      where blob_upload.id = ${a.uploadId}::uuid and stored.upload_id = blob_upload.id and leased_until > ${ENDED}
        and ${isComplete(a)}
      returning blob_upload.id
    ), referenced as (
      insert into space_blob (space_id, digest, size) select ${a.spaceId}::bigint, digest, size from stored
      on conflict (space_id, digest) do update set size = space_blob.size
      returning xmax = 0 as added
    )
    select exists (select 1 from released) as claimed, stored.upload_id <> ${a.uploadId}::uuid as known,
      (select added from referenced) as added
    from stored`,
)

/** Serialises the writers that add blobs to a space, so that its quota is never exceeded. */
export async function lockUsage(tx: Pick<Tx, 'db'>, spaceId: number): Promise<void> {
  await sql`select 1 from space where id = ${spaceId} for no key update`.execute(tx.db)
}

/** The bytes that a space refers to, each blob once. */
export async function readUsage(db: Db, spaceId: number): Promise<number> {
  return queryValue(db, 0)`
    select coalesce(sum(size), 0)::bigint as bytes from space_blob where space_id = ${spaceId}`
}

/** The same of the files that the caller can read; those of others are looked at only where a rule hides some. */
export async function readVisibleUsage(db: Db, subject: AccessSubject, spaceId: number): Promise<number> {
  return queryValue(db, 0)`
    select case when ${hidesIn(subject, spaceId)} then (
        select coalesce(sum(size), 0)::bigint from (
          select distinct version.digest, version.size from file
          join file_version version on version.space_id = file.space_id and version.file_id = file.id
          where file.space_id = ${spaceId} and ${isVisible(subject, 'file.space_id', 'file.path')}) visible)
      else (select coalesce(sum(size), 0)::bigint from space_blob where space_id = ${spaceId}) end as bytes`
}

/** Where the bytes of a blob are: in chunks of its upload, or in the object of the bucket that is named by it. */
export interface BlobPlace {
  readonly upload_id: string
  readonly in_s3: boolean
}

export const findBlob = read(
  'find_blob',
  (a: { digest: Buffer }) => sql<BlobPlace>`select upload_id, in_s3 from blob where digest = ${a.digest}::bytea`,
)

/** Some chunks of an upload, in order; none where they are gone. Through the pool: short reads do not wait then. */
export async function readChunks(
  db: Db,
  a: { readonly uploadId: string; readonly from: number; readonly until: number },
): Promise<Buffer[]> {
  const { uploadId, from, until } = a
  return queryValues<Buffer>(db)`copy (select data from blob_chunk
    where upload_id = ${sql.lit(uploadId)} and seq between ${sql.lit(from)} and ${sql.lit(until)} order by seq)
    to stdout (format binary)`
}

/** Deletes the references of a space to those of some blobs that none of its files and drafts has any more. */
export async function releaseBlobs(tx: Pick<Tx, 'db'>, spaceId: number, digests: readonly Buffer[]): Promise<void> {
  if (digests.length === 0) return
  // A writer that adds a version with one of them waits for the lock, or holds it first: then the next statement sees
  // its version.
  await sql`select 1 from space_blob where space_id = ${spaceId} and digest = any(${digests}::bytea[])
    order by digest for update`.execute(tx.db)
  await sql`delete from space_blob reference where reference.space_id = ${spaceId}
    and reference.digest = any(${digests}::bytea[])
    and not exists (select 1 from file_version version
    where version.space_id = reference.space_id and version.digest = reference.digest)
    and not exists (select from draft where draft.space_id = reference.space_id
    and draft.digest = reference.digest)`.execute(tx.db)
}

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

/** Lets a blob refer to another upload; the old one is kept for an hour. No row: it has changed, or chunks are lost. */
export const moveBlob = write(
  'move_blob',
  (a: BlobToMove & { uploadId: string; inS3: boolean }) => sql<{ digest: Buffer }>`
    with released as (
      delete from blob_upload where id = ${a.uploadId}::uuid and leased_until > ${ENDED}
        and ${isComplete(a)}
        and exists (select 1 from blob
          where digest = ${a.digest}::bytea and upload_id = ${a.upload_id}::uuid for update)
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
