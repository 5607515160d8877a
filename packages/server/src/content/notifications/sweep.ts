import type { Runtime } from '../../access/ctx.ts'
import { autocommit } from '../../platform/database/database.ts'
import { startSweeper } from '../../platform/database/sweeper.ts'
import { deleteOldNotifications } from './store.ts'

const BATCH = 1_000

/** Deletes notifications that are too old or too many, on one node at a time, until it is disposed. */
export function startNotificationSweep({ db, log }: Pick<Runtime, 'db' | 'log'>): AsyncDisposable {
  const batch = (now: Date) => deleteOldNotifications(autocommit(db), now, BATCH)
  return startSweeper({ db, log, name: 'notification sweep', batch })
}
