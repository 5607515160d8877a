import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { AppError } from '@recto/contract/errors.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { requireOrgAdmin } from '../../../access/caller.ts'
import { withNeededRoles } from '../../../identity/rights/reauthorization.ts'
import { inTransaction } from '../../../platform/database/transaction.ts'
import type { FilesCtx } from '../ctx.ts'
import { discardUpload, hashing, storeChunks } from '../upload/upload.ts'
import { streamBytes } from './download.ts'
import { type BlobToMove, findBlobToMove, moveBlob } from './store-blobs.ts'

/** How long one request moves blobs. */
const WORK_MS = 10_000
const BEFORE_ALL: Buffer = Buffer.alloc(32)

/**
 * Moves blobs between the database and the bucket for some seconds, while all nodes serve: who reads the old bytes has
 * an hour until the sweep deletes them. `next` is the digest to continue after; null: all are where they are to be. For
 * admins of the organisation.
 */
export async function migrateFiles(
  whole: FilesCtx,
  { to, after }: { readonly to: 's3' | 'database'; readonly after?: string },
) {
  requireOrgAdmin(whole)
  const ctx = withNeededRoles(whole, [])
  if (!ctx.files.objects) throw new AppError('invalid_request', 'The service has no bucket: set SVC_FILES_S3_URL.')
  const inS3 = to === 's3'
  const deadline = performance.now() + WORK_MS
  let last = after === undefined ? BEFORE_ALL : Buffer.from(after, 'hex')
  let [moved, bytes] = [0, 0]
  while (performance.now() < deadline) {
    const blob = await findBlobToMove.first(ctx.db, { after: last, inS3 })
    if (!blob) return { moved, bytes, next: null }
    // One that was not moved is found again, unless it is gone.
    if (!(await moveOne(ctx, blob, inS3))) continue
    last = blob.digest
    moved++
    bytes += blob.size
  }
  return { moved, bytes, next: last.toString('hex') }
}

/** Copies the bytes as a new upload for the blob; false: the blob is gone, or a crash of the database lost chunks. */
async function moveOne(ctx: FilesCtx, blob: BlobToMove, inS3: boolean): Promise<boolean> {
  const uploadId = uuid7()
  try {
    const hash = createHash('sha256')
    const bytes =
      blob.size === 0 ? Readable.from([]) : streamBytes(ctx, blob.digest, [{ start: 0, end: blob.size - 1 }])
    await storeChunks(ctx, { id: uploadId, inS3 }, hashing(bytes, hash), blob.size)
    if (!hash.digest().equals(blob.digest)) throw new Error('the bytes of a blob do not have its digest')
    return await inTransaction(
      ctx,
      async (tx) => (await moveBlob.first(tx.db, { ...blob, uploadId, inS3 })) !== undefined,
    )
  } finally {
    // What a blob refers to is no upload any more.
    await discardUpload(ctx, uploadId)
  }
}
