import type { Sweep } from '../../platform/database/sweeper.ts'
import { deleteOldNotifications } from './store.ts'

const BATCH = 1_000

/** Deletes notifications that are too old or too many. */
export const notificationSweep: Sweep = {
  name: 'notification sweep',
  batch: (db, now) => deleteOldNotifications(db, now, BATCH),
}
