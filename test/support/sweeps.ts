import { randomUUID } from 'node:crypto'
import { takeNodeLease } from '../../src/database/lease.ts'
import type { WriteDb } from '../../src/database/transaction.ts'
import { until } from './embedded.ts'

/** Keeps nodes from their periodic sweep for a minute, for a test that sweeps by itself and asserts how many rows it deletes. */
export async function holdSweep(db: WriteDb, name: string): Promise<void> {
  const lease = { name, holder: randomUUID(), seconds: 60 }
  await until(() => takeNodeLease(db, lease))
}
