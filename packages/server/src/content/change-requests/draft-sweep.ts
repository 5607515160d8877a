import type { Runtime } from '../../access/ctx.ts'
import { autocommit } from '../../platform/database/database.ts'
import { startSweeper } from '../../platform/database/sweeper.ts'
import { deleteEndedDrafts } from './store.ts'

/** A request has at most 500 drafts. */
const BATCH = 10

/** Deletes the drafts of requests that ended 90 days ago, on one node at a time, until it is disposed. */
export function startDraftSweep({ db, log }: Pick<Runtime, 'db' | 'log'>): AsyncDisposable {
  return startSweeper({
    db,
    log,
    name: 'draft sweep',
    batch: async (now) => (await deleteEndedDrafts.first(autocommit(db), { now, limit: BATCH }))?.requests ?? 0,
  })
}
