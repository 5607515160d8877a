import { inTransaction, type Tx } from './transaction.ts'

/** The SQLSTATE of the function `overtaken` in the database, which a statement calls instead of changing nothing. */
const SQLSTATE = 'RO001'

/** Another writer was faster: the transaction is rolled back and repeated. */
export class OvertakenError extends Error {
  readonly code = SQLSTATE
}

/**
 * Runs `body` in a transaction; undefined, with nothing changed, if another writer was faster. A compare-and-swap that fails with
 * `overtaken()` needs no round trip of its own: the statements behind it, and the commit, are sent with it, and do not run then.
 */
export async function unlessOvertaken<C extends Parameters<typeof inTransaction>[0], T>(
  ctx: C,
  body: (tx: Omit<C, 'db'> & Tx) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await inTransaction(ctx, body)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === SQLSTATE) return undefined
    throw error
  }
}
