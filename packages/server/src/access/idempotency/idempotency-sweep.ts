import { startSweeper } from '../../platform/database/sweeper.ts'
import { autocommit } from '../../platform/database/transaction.ts'
import type { Runtime } from '../ctx.ts'
import { deleteExpired } from './store.ts'

/** A small batch, so that its locks are held for a short time. */
const BATCH = 500

/** Deletes requests with an Idempotency-Key after a day, on one node at a time, until it is disposed. */
export function startIdempotencySweep({ db, log }: Pick<Runtime, 'db' | 'log'>): AsyncDisposable {
  return startSweeper({
    db,
    log,
    name: 'idempotency sweep',
    batch: (now) => deleteExpired(autocommit(db), now, BATCH),
  })
}
