import type { Log } from '../../access/ctx.ts'
import { autocommit, type Db } from '../../platform/database/database.ts'
import { startSweeper } from '../../platform/database/sweeper.ts'
import { deleteOldDeliveries } from './store-sweep.ts'

const BATCH = 500
const RETENTION_DAYS = 30
const DAY_MS = 24 * 3600_000

/** Deletes deliveries after the retention time, on one node at a time, until it is disposed. */
export function startSweep(options: { readonly db: Db; readonly log: Log }): AsyncDisposable {
  return startSweeper({
    ...options,
    name: 'webhook delivery sweep',
    batch: (now) =>
      deleteOldDeliveries(autocommit(options.db), {
        bound: toFirstId(now.getTime() - RETENTION_DAYS * DAY_MS),
        limit: BATCH,
      }),
  })
}

/** The smallest UUIDv7 of a time. */
export function toFirstId(time: number): string {
  const hex = Math.trunc(time).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}
