import type { Sweep } from '../../platform/database/sweeper.ts'
import { deleteOldDeliveries } from './store-sweep.ts'

const BATCH = 500
const RETENTION_DAYS = 30
const DAY_MS = 24 * 3600_000

/** Deletes deliveries after the retention time. */
export const deliverySweep: Sweep = {
  name: 'webhook delivery sweep',
  batch: (db, now) =>
    deleteOldDeliveries(db, { bound: toFirstId(now.getTime() - RETENTION_DAYS * DAY_MS), limit: BATCH }),
}

/** The smallest UUIDv7 of a time. */
export function toFirstId(time: number): string {
  const hex = Math.trunc(time).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}
