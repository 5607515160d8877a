import { AppError } from '@recto/contract/errors.ts'
import { byteSize } from '@recto/lib/text/byte-size.ts'
import type { Ctx } from '../../access/ctx.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { lockUsage, readUsage } from './blobs/store-blobs.ts'

/** Rejects a change with which a space would exceed its quota. Writers that add to one space are serialised here. */
export async function checkQuota(tx: Ctx & Tx, spaceId: number): Promise<void> {
  const { spaceQuotaBytes: quotaBytes } = tx.config
  if (quotaBytes === 0) return
  await lockUsage(tx, spaceId)
  if ((await readUsage(tx.db, spaceId)) <= quotaBytes) return
  throw new AppError(
    'quota_exceeded',
    `The files of the space would take more than its quota of ${byteSize(quotaBytes)}. Nothing was changed.`,
    { members: { quotaBytes } },
  )
}
