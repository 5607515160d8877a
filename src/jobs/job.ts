import type { Ctx } from '../access/ctx.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { isUuid } from '../lib/encoding/uuid7.ts'
import { findJob } from './store-jobs.ts'

/** What a job does. */
export type JobKind = 'import' | 'export' | 'move'

/** Counts of pages and files; `total` is undefined until it is known. */
export interface JobCounts {
  readonly done: number
  readonly total: number | undefined
}

/** The error of a job, as it is stored. */
export interface JobError {
  readonly code: ErrorCode
  readonly detail: string
}

/** Work that a person started, with its progress. */
export interface Job extends JobCounts {
  readonly kind: JobKind
  /** As the starter of the work wrote it. */
  readonly subject: unknown
  readonly status: 'running' | 'done' | 'failed' | 'interrupted'
  readonly result: unknown
  readonly error: JobError | undefined
  readonly startedAt: Date
  readonly finishedAt: Date | undefined
}

/** The node of a running job says so every few seconds; after this time it has stopped. */
const LOST_AFTER_MS = 60_000

/** A job of the caller. */
export async function readJob(ctx: Ctx, id: string): Promise<Job> {
  const row = isUuid(id) ? await findJob(ctx.db, ctx.actor.id, id) : undefined
  if (!row)
    throw new AppError(
      'not_found',
      'There is no such import, export or move of yours, or it is more than a week old.',
    )
  const isLost = ctx.now().getTime() - row.seen_at.getTime() > LOST_AFTER_MS
  return {
    kind: row.kind as JobKind, // as it was stored
    subject: row.subject,
    done: row.done,
    total: row.total ?? undefined,
    status:
      row.finished_at === null
        ? isLost
          ? 'interrupted'
          : 'running'
        : row.error === null
          ? 'done'
          : 'failed',
    result: row.result,
    error: (row.error as JobError | null) ?? undefined, // as it was stored
    startedAt: row.started_at,
    finishedAt: row.finished_at ?? undefined,
  }
}
