import { startSweeper } from '../database/sweeper.ts'
import { autocommit } from '../database/transaction.ts'
import type { Runtime } from './ctx.ts'
import { deleteExpired } from './store-idempotency.ts'

/** Some hundred rows: nobody waits for what they lock. */
const BATCH = 500

/** Forgets requests with an Idempotency-Key once they are a day old, on one node at a time, until it is disposed. */
export function startIdempotencySweep({ db, log }: Pick<Runtime, 'db' | 'log'>): AsyncDisposable {
  return startSweeper({
    db,
    log,
    name: 'idempotency sweep',
    batch: (now) => deleteExpired(autocommit(db), now, BATCH),
  })
}
