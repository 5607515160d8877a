import { autocommit } from '../../../platform/database/database.ts'
import type { Sweep } from '../../../platform/database/sweeper.ts'
import { inTransaction } from '../../../platform/database/transaction.ts'
import type { BytesCtx } from './download.ts'
import { requireObjects } from './object-store.ts'
import { deleteChunks, deleteUpload, endUpload, expireBlobs, nextExpiredUpload } from './store-sweep.ts'

/** A small batch, so that its locks are held for a short time: 64 MiB of chunks. */
const CHUNKS = 256
const BLOBS = 100

type Sweeping = BytesCtx

/** Deletes bytes to which nothing refers. */
export function fileSweep(runtime: Sweeping): Sweep {
  return { name: 'file sweep', batch: () => sweepFiles(runtime) }
}

/** One batch of the sweep; returns its size, 0 when nothing is left. */
export async function sweepFiles(runtime: Sweeping): Promise<number> {
  const expiredCount = await inTransaction(runtime, (tx) => expireBlobs(tx, BLOBS))
  const upload = await nextExpiredUpload.first(runtime.db, { bucket: runtime.files.objects !== undefined })
  const swept = upload ? await sweepUpload(runtime, upload.id) : false
  return expiredCount + Number(swept)
}

/** Deletes bytes of an upload whose lease has ended; false when there is no such upload any more. */
export async function sweepUpload(runtime: Sweeping, uploadId: string): Promise<boolean> {
  const endedUpload = await endUpload.first(autocommit(runtime.db), { uploadId })
  if (!endedUpload) return false
  if (endedUpload.in_s3) {
    const objects = requireObjects(runtime.files.objects)
    if (endedUpload.multipart_id !== null) await objects.abort({ key: uploadId, id: endedUpload.multipart_id })
    await objects.remove(uploadId)
    await deleteUpload.first(autocommit(runtime.db), { uploadId })
  } else await inTransaction(runtime, (tx) => deleteChunks(tx, uploadId, CHUNKS))
  return true
}
