import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import { classifyFailure, databaseError, type Failure } from './availability/failure.ts'
import { awayDeadline, isLong } from './connections/request-scope.ts'
import { type Db, findParts, type Tables } from './database.ts'
import type { Topic } from './topics.ts'

/** The context of a write: `db` is the transaction, so that the compiler rejects a write outside one. */
export interface Tx {
  readonly db: Transaction<Tables>
  /**
   * True if an earlier attempt lost its connection during the commit, so that its rows may exist already. Code that
   * must not run twice looks for the ids that it generated before the first attempt.
   */
  readonly commitOutcomeUnknown: boolean
  /** Registers a task that runs after a successful commit. It may be lost in a crash, so it only notifies. */
  readonly afterCommit: (task: () => void) => void
  /** Tells the listeners of a topic, on every node, after a successful commit. */
  readonly publish: (topic: Topic) => void
  /** Stores the result for retries with the same Idempotency-Key; without it only the fact of success is stored. */
  readonly saveIdempotentResult: (result: unknown) => Promise<void>
  /** Reports that this attempt changed nothing, so that no idempotent result is stored. */
  readonly noChange: () => undefined
}

/** Makes retries of one request idempotent. */
export interface IdempotencyRecord {
  /** Stores the result in the transaction of the change; throws when another attempt owns the key by now. */
  saveResult(db: Transaction<Tables>, result?: unknown): Promise<void>
}

/** The context for a nested use case: `toResult` makes the result to be stored from that of the nested one. */
export function withResultMapped<C extends { readonly idempotency?: IdempotencyRecord }, T>(
  ctx: C,
  toResult: (nested: T) => unknown,
): C {
  const { idempotency } = ctx
  if (!idempotency) return ctx
  return {
    ...ctx,
    idempotency: {
      // as the caller declares
      saveResult: (db, nested) => idempotency.saveResult(db, nested === undefined ? undefined : toResult(nested as T)),
    },
  }
}

const MAX_CONFLICTS = 5

/** Decides in each transaction whether its caller may still write. */
export interface TransactionGuard {
  /** Pipelines a statement that fails if not. */
  enqueue(db: Transaction<Tables>): Promise<void>
  /** The error to report if that statement has failed. */
  errorFor(error: unknown): Promise<Error | undefined>
}

interface TransactionCtx {
  readonly db: Db
  readonly idempotency?: IdempotencyRecord
  readonly reauthorization?: TransactionGuard
  /** The default of the columns `via`. */
  readonly via?: string
  /** The transaction that this one is a part of: there is one commit, and one result, for both. */
  readonly outer?: Tx
}

/**
 * Runs `body` in one transaction. A lost connection, a deadlock or a serialisation failure runs it again within the
 * budget of the request, so `body` must have no effect outside the database. Throws `database_unavailable` after that,
 * and `storage_full` while the disk is nearly full.
 */
export async function inTransaction<C extends TransactionCtx, T>(
  ctx: C,
  body: (tx: Omit<C, 'db'> & Tx) => Promise<T>,
): Promise<T> {
  if (ctx.outer)
    return body({
      ...ctx.outer,
      ...ctx,
      db: ctx.outer.db,
      saveIdempotentResult: async () => {},
      noChange: () => undefined,
    })
  findParts(ctx.db)?.checkDiskSpace?.()
  let until = isLong() ? undefined : awayDeadline()
  let commitOutcomeUnknown = false
  for (let attempt = 1; ; attempt++) {
    let committing = false
    const tasksAfterCommit: (() => void)[] = []
    try {
      const result = await ctx.db.transaction().execute(async (db) => {
        const result = await runBody(ctx, db, body, { commitOutcomeUnknown, tasksAfterCommit })
        committing = true
        return result
      })
      for (const task of tasksAfterCommit) task()
      return result
    } catch (error) {
      const failure = await failureOfAttempt(ctx, error)
      // Work on many pages may wait for other work before its first statement.
      until ??= awayDeadline()
      const mayRetry: Partial<Record<Failure, boolean>> = {
        away: performance.now() < until,
        conflict: attempt <= MAX_CONFLICTS,
      }
      if (!mayRetry[failure]) throw databaseError(error)
      if (failure === 'away' && committing) commitOutcomeUnknown = true
      await sleep(Math.random() * 10 * 2 ** Math.min(attempt, 5))
    }
  }
}

/** Why an attempt failed; throws if its caller may no longer do this. */
async function failureOfAttempt({ reauthorization }: TransactionCtx, error: unknown): Promise<Failure> {
  const endError = await reauthorization?.errorFor(error)
  if (endError) throw endError
  return classifyFailure(error)
}

/** Runs the statements of one attempt, and stores the idempotent result unless `body` did. */
async function runBody<C extends TransactionCtx, T>(
  ctx: C,
  db: Transaction<Tables>,
  body: (tx: Omit<C, 'db'> & Tx) => Promise<T>,
  attempt: { readonly commitOutcomeUnknown: boolean; readonly tasksAfterCommit: (() => void)[] },
): Promise<T> {
  const { commitOutcomeUnknown, tasksAfterCommit } = attempt
  let resultSaved = false
  await ctx.reauthorization?.enqueue(db)
  if (ctx.via !== undefined) await sql`select set_config('recto.via', ${ctx.via}, true)`.execute(db)
  const result = await body({
    ...ctx,
    db,
    commitOutcomeUnknown,
    afterCommit: (task) => tasksAfterCommit.push(task),
    publish: (topic) => tasksAfterCommit.push(() => findParts(ctx.db)?.topics?.publish(topic)),
    saveIdempotentResult: async (result) => {
      resultSaved = true
      await ctx.idempotency?.saveResult(db, result)
    },
    noChange: () => {
      resultSaved = true
      return undefined
    },
  })
  if (!resultSaved) await ctx.idempotency?.saveResult(db)
  return result
}

/** The SQLSTATE of the function `overtaken` in the database, which a statement calls instead of changing nothing. */
const SQLSTATE = 'RO001'

/** What the transaction read has changed since: it is rolled back and repeated. */
export class OvertakenError extends Error {
  readonly code = SQLSTATE
}

/**
 * Runs `body` in a transaction; undefined, with nothing changed, if what it read has changed since. A compare-and-swap
 * that fails with `overtaken()` needs no round trip of its own: the statements after it, and the commit, are sent with
 * it, and do not run then.
 */
export async function unlessOvertaken<C extends Parameters<typeof inTransaction>[0], T>(
  ctx: C,
  body: (tx: Omit<C, 'db'> & Tx) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await inTransaction(ctx, body)
  } catch (error) {
    const isOvertaken = error instanceof Error && 'code' in error && error.code === SQLSTATE
    // The transaction that it is a part of is rolled back.
    if (isOvertaken && !ctx.outer) return undefined
    throw error
  }
}

/**
 * For the `from` of a statement: its transaction commits asynchronously, without waiting for the disk. A crash may lose
 * what it wrote, but only together with whatever was committed after it: for work that is done again then, and of which
 * nobody is told before a later commit.
 */
export const asynchronousCommit = sql`(select set_config('synchronous_commit', 'off', true)) asynchronous_commit`
