import type { Sweep } from '../../platform/database/sweeper.ts'
import { deleteEndedDrafts } from './store.ts'

/** A request has at most 500 drafts. */
const BATCH = 10

/** Deletes the drafts of requests that ended 90 days ago. */
export const draftSweep: Sweep = {
  name: 'draft sweep',
  batch: async (db, now) => (await deleteEndedDrafts.first(db, { now, limit: BATCH }))?.requests ?? 0,
}
