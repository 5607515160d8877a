import { setTimeout as sleep } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import { type Db, partsOf, type Tables } from './database.ts'
import { databaseError, failureOf } from './failure.ts'
import { awayDeadline } from './request-scope.ts'

declare const autocommits: unique symbol

/** A handle whose every statement is a transaction of its own. */
export type Autocommit = Db & { readonly [autocommits]: true }

/** What statements that write are run on. */
export type WriteDb = Transaction<Tables> | Autocommit

/** The handle for a single write that needs no other one beside it; it is not run again where its connection is lost. */
export function autocommit(db: Db): Autocommit {
  return db as Autocommit // the brand exists in the type alone
}

/** What a write needs: `db` is the transaction, so that the compiler refuses a write outside one. */
export interface Tx {
  readonly db: Transaction<Tables>
  /**
   * True when an earlier run lost its connection while it committed: what it wrote may stand already. Whoever cannot
   * be run twice looks for the ids that it made before the first run.
   */
  readonly commitOutcomeUnknown: boolean
  /** Has something done once the transaction is known to be committed: a wake-up, never a duty. */
  readonly afterCommit: (task: () => void) => void
  /**
   * Keeps what the use case answers, where the request is to be done once: the change and its answer are committed together.
   * Without it only that there was a change is kept.
   */
  readonly saveIdempotentResult: (result: unknown) => Promise<void>
  /** Says that this run changed nothing, and that the use case goes on. */
  readonly noChange: () => undefined
}

/** A request that is done once, however often it is sent. */
export interface IdempotencyRecord {
  /** Notes in the transaction of the change that it was made; refuses where another attempt has taken over. */
  saveResult(db: Transaction<Tables>, result?: unknown): Promise<void>
}

/** What a use case takes along whose own answer is made from the result of another one. */
export function withResultMapped<C extends { readonly idempotency?: IdempotencyRecord }, T>(
  ctx: C,
  whole: (part: T) => unknown,
): C {
  const { idempotency } = ctx
  if (!idempotency) return ctx
  return {
    ...ctx,
    idempotency: {
      saveResult: (db, part) => idempotency.saveResult(db, part === undefined ? undefined : whole(part as T)),
    },
  } // as the caller says
}

const MAX_CONFLICTS = 5

/**
 * Runs `body` in one transaction. It is run again when the connection was lost or the database asks for it (deadlock,
 * serialisation), within the budget; then `database_unavailable`. Refused with `storage_full` while the disk is. `body` must have no effect outside the database.
 */
export async function inTransaction<
  C extends { readonly db: Db; readonly idempotency?: IdempotencyRecord },
  T,
>(ctx: C, body: (tx: Omit<C, 'db'> & Tx) => Promise<T>): Promise<T> {
  partsOf(ctx.db)?.checkDiskSpace?.()
  const until = awayDeadline()
  let uncertain = false
  for (let attempt = 1; ; attempt++) {
    let committing = false
    const tasks: (() => void)[] = []
    try {
      const result = await ctx.db.transaction().execute(async (db) => {
        let settled = false
        const result = await body({
          ...ctx,
          db,
          commitOutcomeUnknown: uncertain,
          afterCommit: (task) => tasks.push(task),
          saveIdempotentResult: async (result) => {
            settled = true
            await ctx.idempotency?.saveResult(db, result)
          },
          noChange: () => {
            settled = true
            return undefined
          },
        })
        if (!settled) await ctx.idempotency?.saveResult(db)
        committing = true
        return result
      })
      for (const task of tasks) task()
      return result
    } catch (error) {
      const failure = failureOf(error)
      const again =
        failure === 'away' ? performance.now() < until : failure === 'conflict' && attempt <= MAX_CONFLICTS
      if (!again) throw databaseError(error)
      if (failure === 'away' && committing) uncertain = true
      await sleep(Math.random() * 10 * 2 ** Math.min(attempt, 5))
    }
  }
}
