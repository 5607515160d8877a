import { setTimeout as sleep } from 'node:timers/promises'
import { isFault } from '@recto/contract/errors.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { Ctx, Runtime } from '../../access/ctx.ts'
import { WorkEnded } from '../../identity/rights/reauthorization.ts'
import { autocommit } from '../../platform/database/database.ts'
import { toAppError } from '../../platform/http/problems/framework-error.ts'
import type { JobCounts, JobError, JobKind } from './job.ts'
import { finishJob, insertJob, type NewJob, updateProgress } from './store-jobs.ts'

/** Called while work is done. */
export type Progress = (counts: JobCounts) => void

interface TrackedWork<T> {
  readonly kind: JobKind
  /** For the screen of the job. */
  readonly subject: object
  /** Its result is stored as JSON. It ends when the signal says so: an admin has cancelled it. */
  work(progress: Progress, signal: AbortSignal): Promise<T>
}

interface NewWork<T> extends TrackedWork<T> {
  /** How long to wait for the result before the work becomes a job. */
  readonly waitMs?: number | undefined
}

type JobsRuntime = Pick<Runtime, 'db' | 'log' | 'now'>

const WAIT_MS = 3_000
const SAVE_EVERY_MS = 1_000
const KEPT_MS = 7 * 24 * 3_600_000
/** When the service stops, work may go on for this time. */
const STOP_MS = 5_000
const FINISH_ATTEMPTS = 10
/** Requests for further work wait for its result, as all others do. */
const MAX_RUNNING = 20
const INTERRUPTED: JobError = { code: 'shutting_down', detail: 'The service was stopped before the work was complete.' }

/** Runs work that may outlive its request as a long-running operation (AIP-151): a row has progress and result. */
export class Jobs implements AsyncDisposable {
  readonly #runtime: JobsRuntime
  readonly #running = new Map<string, Promise<void>>()

  constructor(runtime: JobsRuntime) {
    this.#runtime = runtime
  }

  /** The result of quick work; of other work the id of a job, which continues and has the result later. */
  async run<T extends object>(ctx: Ctx, { kind, subject, waitMs = WAIT_MS, work }: NewWork<T>) {
    if (this.#running.size >= MAX_RUNNING) return { result: await this.attend(ctx, { kind, subject, work }) }
    const startedWork = start(work)
    const isQuick = await settledWithin(startedWork.working, waitMs)
    const id = uuid7()
    if (isQuick || !(await this.#begin(ctx, { id, kind, subject }, startedWork)))
      return { result: await startedWork.working }
    return { id }
  }

  /** Makes work with a response of its own, such as a download, a job with an id that its screen knows. */
  async track<T extends object>(ctx: Ctx, id: string, { kind, subject, work }: TrackedWork<T>): Promise<void> {
    const startedWork = start(work)
    startedWork.working.catch(() => {}) // its response reports the error
    await this.#begin(ctx, { id, kind, subject }, startedWork)
  }

  /** Runs work whose own response has its result; what takes long is also a job, for admins to see and cancel. */
  async attend<T extends object>(ctx: Ctx, { kind, subject, work }: TrackedWork<T>): Promise<T> {
    const startedWork = start(work)
    if (!(await settledWithin(startedWork.working, WAIT_MS)))
      await this.#begin(ctx, { id: uuid7(), kind, subject }, { ...startedWork, result: () => null })
    return startedWork.working
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await settledWithin(Promise.all(this.#running.values()), STOP_MS)
    for (const id of this.#running.keys()) await finish(this.#runtime, { id, error: INTERRUPTED })
  }

  /** Whether the work has become a job. */
  async #begin(ctx: Ctx, job: Omit<NewJob, 'principalId' | 'now'>, startedWork: Started): Promise<boolean> {
    const now = ctx.now()
    try {
      const isNew = await insertJob(
        autocommit(this.#runtime.db),
        { ...job, principalId: ctx.actor.id, now },
        new Date(now.getTime() - KEPT_MS),
      )
      if (!isNew) return false
    } catch (error) {
      this.#runtime.log.warn({ err: error }, 'work could not become a job')
      return false
    }
    const watchEnd = watch(this.#runtime, job.id, startedWork).finally(() => this.#running.delete(job.id))
    this.#running.set(job.id, watchEnd)
    return true
  }
}

/** Work in progress. */
interface Started<T extends object = object> {
  readonly working: Promise<T>
  counts(): JobCounts
  /** What the row keeps of the result. */
  result(storedResult: object): object | null
  cancel(): void
}

function start<T extends object>(work: TrackedWork<T>['work']): Started<T> {
  const cancelled = new AbortController()
  let counts: JobCounts = { done: 0, total: undefined }
  const working = work((now) => {
    counts = now
  }, cancelled.signal)
  const cancel = () => cancelled.abort(new WorkEnded('job_cancelled', 'An organisation admin cancelled this.'))
  return { working, counts: () => counts, result: (storedResult) => storedResult, cancel }
}

/** Stores the progress until the work ends, then its result. Never fails. */
async function watch(runtime: JobsRuntime, id: string, { working, counts, result, cancel }: Started): Promise<void> {
  while (!(await settledWithin(working, SAVE_EVERY_MS))) {
    const progress = { id, ...counts(), now: runtime.now() }
    const isCancelled = await updateProgress(autocommit(runtime.db), progress).catch((error: unknown) =>
      runtime.log.warn({ err: error }, 'the progress of a job was not stored'),
    )
    if (isCancelled) cancel()
  }
  try {
    await updateProgress(autocommit(runtime.db), { id, ...counts(), now: runtime.now() })
    await finish(runtime, { id, result: result(await working) })
  } catch (thrownError) {
    const error = toAppError(thrownError)
    if (isFault(error)) runtime.log.error({ err: thrownError }, 'a job failed')
    await finish(runtime, { id, error: { code: error.code, detail: error.message } satisfies JobError })
  }
}

/** Whether it ends within a time, successfully or not. */
async function settledWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const end = new AbortController()
  const isSettled = work.then(
    () => true,
    () => true,
  )
  try {
    return await Promise.race([isSettled, sleep(ms, false, { signal: end.signal })])
  } finally {
    end.abort()
  }
}

/** The database may be away for a moment. A job that cannot be finished is shown as interrupted. */
async function finish(
  runtime: JobsRuntime,
  outcome: { readonly id: string } & ({ readonly result: object | null } | { readonly error: JobError }),
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
