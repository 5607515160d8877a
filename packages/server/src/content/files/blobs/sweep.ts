import type { Runtime } from '../../../access/ctx.ts'
import { startSweeper } from '../../../platform/database/sweeper.ts'
import { autocommit, inTransaction } from '../../../platform/database/transaction.ts'
import { purgeFiles } from '../trash/store-trash.ts'
import type { BytesCtx } from './download.ts'
import { requireObjects } from './object-store.ts'
import {
  deleteChunks,
  deleteUpload,
  endUpload,
  expireBlobs,
  lockExpiredFiles,
  nextExpiredUpload,
} from './store-sweep.ts'

/** A small batch, so that its locks are held for a short time: 64 MiB of chunks. */
const CHUNKS = 256
const FILES = 50
const BLOBS = 100
const DAY_MS = 24 * 3600_000

type Sweeping = BytesCtx

/** Deletes files after `days` in the trash (0: none), and unreferenced bytes. */
export function startFileSweep(runtime: Sweeping & Pick<Runtime, 'log'>, days: number): AsyncDisposable {
  const { db, log } = runtime
  return startSweeper({ db, log, name: 'file sweep', batch: (now) => sweepFiles(runtime, { now, days }) })
}

/** One batch of the sweep; returns its size, 0 when nothing is left. */
export async function sweepFiles(
  runtime: Sweeping,
  { now, days }: { readonly now: Date; readonly days: number },
): Promise<number> {
  const purged = days === 0 ? 0 : await purgeExpired(runtime, new Date(now.getTime() - days * DAY_MS))
  const expired = await inTransaction(runtime, (tx) => expireBlobs(tx, BLOBS))
  const upload = await nextExpiredUpload.first(runtime.db, { bucket: runtime.files.objects !== undefined })
  const swept = upload ? await sweepUpload(runtime, upload.id) : false
  return purged + expired + Number(swept)
}

async function purgeExpired(runtime: Sweeping, before: Date): Promise<number> {
  return inTransaction(runtime, async (tx) => {
    const expired = Map.groupBy(await lockExpiredFiles(tx, before, FILES), (row) => row.space_id)
    let count = 0
    for (const [spaceId, rows] of expired) {
      const ids = rows.map(({ id }) => id)
      count += (await purgeFiles(tx, spaceId, ids)).length
    }
    return count
  })
}

/** Deletes bytes of an upload whose lease has ended; false when there is no such upload any more. */
export async function sweepUpload(runtime: Sweeping, uploadId: string): Promise<boolean> {
  const ended = await endUpload.first(autocommit(runtime.db), { uploadId })
  if (!ended) return false
  if (ended.in_s3) {
    const objects = requireObjects(runtime.files.objects)
    if (ended.multipart_id !== null) await objects.abort({ key: uploadId, id: ended.multipart_id })
    await objects.remove(uploadId)
    await deleteUpload.first(autocommit(runtime.db), { uploadId })
  } else await inTransaction(runtime, (tx) => deleteChunks(tx, uploadId, CHUNKS))
  return true
}
