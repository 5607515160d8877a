import { setTimeout as sleep } from 'node:timers/promises'
import type { Ctx, Runtime } from '../access/ctx.ts'
import { autocommit } from '../database/transaction.ts'
import { toAppError } from '../http/problems/framework-error.ts'
import { uuid7 } from '../lib/encoding/uuid7.ts'
import type { JobCounts, JobError, JobKind } from './job.ts'
import { finishJob, insertJob, updateProgress } from './store-jobs.ts'

/** Called while work is done. */
export type Progress = (counts: JobCounts) => void

interface NewWork<T> {
  readonly kind: JobKind
  /** For the screen of the job. */
  readonly subject: object
  /** How long to wait for the result before the work becomes a job. */
  readonly waitMs?: number | undefined
  /** Its result is stored as JSON. */
  work(progress: Progress): Promise<T>
}

/** Runs work that may outlive its request. */
export interface Jobs extends AsyncDisposable {
  /** The result of quick work; of other work the id of a job, which goes on and has the result later. */
  run<T extends object>(ctx: Ctx, work: NewWork<T>): Promise<{ readonly result: T } | { readonly id: string }>
}

const WAIT_MS = 3_000
const SAVE_EVERY_MS = 1_000
const KEPT_MS = 7 * 24 * 3_600_000
/** When the service stops, work may go on for this time. */
const STOP_MS = 5_000
const FINISH_ATTEMPTS = 10
/** Requests for further work wait for its result, as all others do. */
const MAX_RUNNING = 20
const INTERRUPTED: JobError = {
  code: 'shutting_down',
  detail: 'The service was stopped before the work was complete.',
}

/** Long-running operations (Google AIP-151): a row has the progress and, at the end, the result. */
export function createJobs(runtime: Pick<Runtime, 'db' | 'log' | 'now'>): Jobs {
  const running = new Map<string, Promise<void>>()
  return {
    async run(ctx, { kind, subject, waitMs = WAIT_MS, work }) {
      let counts: JobCounts = { done: 0, total: undefined }
      const working = work((now) => {
        counts = now
      })
      const isQuick = running.size >= MAX_RUNNING || (await settledWithin(working, waitMs))
      if (isQuick) return { result: await working }
      const [id, now] = [uuid7(), ctx.now()]
      const job = { id, principalId: ctx.actor.id, kind, subject, now }
      try {
        await insertJob(autocommit(runtime.db), job, new Date(now.getTime() - KEPT_MS))
      } catch (error) {
        runtime.log.warn({ err: error }, 'work could not become a job')
        return { result: await working }
      }
      const watched = watch(runtime, id, working, () => counts).finally(() => running.delete(id))
      running.set(id, watched)
      return { id }
    },
    async [Symbol.asyncDispose]() {
      await settledWithin(Promise.all(running.values()), STOP_MS)
      for (const id of running.keys()) await finish(runtime, { id, error: INTERRUPTED })
    },
  }
}

/** Stores the progress until the work ends, then its result. Never fails. */
async function watch(
  runtime: Pick<Runtime, 'db' | 'log' | 'now'>,
  id: string,
  working: Promise<object>,
  counts: () => JobCounts,
): Promise<void> {
  while (!(await settledWithin(working, SAVE_EVERY_MS))) {
    const progress = { id, ...counts(), now: runtime.now() }
    await updateProgress(autocommit(runtime.db), progress).catch((error: unknown) =>
      runtime.log.warn({ err: error }, 'the progress of a job was not stored'),
    )
  }
  try {
    await updateProgress(autocommit(runtime.db), { id, ...counts(), now: runtime.now() })
    await finish(runtime, { id, result: await working })
  } catch (thrown) {
    const error = toAppError(thrown)
    if (error.code === 'internal_error') runtime.log.error({ err: thrown }, 'a job failed')
    await finish(runtime, { id, error: { code: error.code, detail: error.message } satisfies JobError })
  }
}

/** Whether it ends within a time, successfully or not. */
async function settledWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const end = new AbortController()
  const settled = work.then(
    () => true,
    () => true,
  )
  try {
    return await Promise.race([settled, sleep(ms, false, { signal: end.signal })])
  } finally {
    end.abort()
  }
}

/** The database may be away for a moment. A job that cannot be finished is shown as interrupted. */
async function finish(
  runtime: Pick<Runtime, 'db' | 'log' | 'now'>,
  outcome: { readonly id: string } & ({ readonly result: object } | { readonly error: JobError }),
): Promise<void> {
  for (let attempt = 1; attempt <= FINISH_ATTEMPTS; attempt++) {
    try {
      return await finishJob(autocommit(runtime.db), { ...outcome, now: runtime.now() })
    } catch (error) {
      runtime.log.warn({ err: error }, 'the end of a job was not stored')
      await sleep(SAVE_EVERY_MS)
    }
  }
}
