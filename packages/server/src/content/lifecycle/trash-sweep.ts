import type { Runtime } from '../../access/ctx.ts'
import type { Resource } from '../../access/resource.ts'
import { startSweeper } from '../../platform/database/sweeper.ts'
import { inTransaction } from '../../platform/database/transaction.ts'
import { lockExpired, purgeRows } from './store-purge.ts'

/** A small batch, so that its locks are held for a short time. */
const BATCH = 50
const DAY_MS = 24 * 3600_000

/** Purges pages and files after their retention in the trash, on one node at a time, until it is disposed. */
export function startTrashSweep(runtime: Pick<Runtime, 'db' | 'log'>, days: number): AsyncDisposable {
  const { db, log } = runtime
  return startSweeper({
    db,
    log,
    name: 'trash sweep',
    async batch(now) {
      const before = new Date(now.getTime() - days * DAY_MS)
      return (await removeExpired(runtime, 'page', before)) + (await removeExpired(runtime, 'file', before))
    },
  })
}

/** Purges some of the pages or files that were deleted before a time; returns how many. */
export async function removeExpired(runtime: Pick<Runtime, 'db'>, resource: Resource, before: Date): Promise<number> {
  return inTransaction(runtime, async (tx) => {
    const expiredRows = await lockExpired(tx, resource, { before, limit: BATCH })
    let count = 0
    for (const [spaceId, rows] of Map.groupBy(expiredRows, (row) => row.space_id)) {
      const ids = rows.map(({ id }) => id)
      count += (await purgeRows(tx, resource, { spaceId, ids })).length
    }
    return count
  })
}
