import type { Runtime } from '../../access/ctx.ts'
import { startSweeper } from '../../platform/database/sweeper.ts'
import { inTransaction } from '../../platform/database/transaction.ts'
import { lockExpired, removePages } from './store-trash.ts'

/** A small batch, so that its locks are held for a short time. */
const BATCH = 50
const DAY_MS = 24 * 3600_000

/** Purges pages after their retention in the trash, on one node at a time, until it is disposed. */
export function startTrashSweep(runtime: Pick<Runtime, 'db' | 'log'>, days: number): AsyncDisposable {
  const { db, log } = runtime
  return startSweeper({
    db,
    log,
    name: 'trash sweep',
    batch: (now) => removeExpired(runtime, new Date(now.getTime() - days * DAY_MS)),
  })
}

/** Purges some of the pages that were deleted before a time; returns how many. */
export async function removeExpired(runtime: Pick<Runtime, 'db'>, before: Date): Promise<number> {
  return inTransaction(runtime, async (tx) => {
    const expired = Map.groupBy(await lockExpired(tx, before, BATCH), (row) => row.space_id)
    let count = 0
    for (const [spaceId, rows] of expired) {
      const removed = await removePages(
        tx,
        spaceId,
        rows.map(({ id }) => id),
      )
      count += removed.length
    }
    return count
  })
}
