import { AppError, type ErrorCode } from '@recto/contract/errors.ts'
import { isCancelling } from '@recto/contract/job-status.ts'
import { isUuid } from '@recto/lib/encoding/uuid7.ts'
import type { Ctx } from '../../access/ctx.ts'
import { findJob, type JobRow } from './store-jobs.ts'

export const JOB_KINDS = ['import', 'export', 'move'] as const
export type JobKind = (typeof JOB_KINDS)[number]

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

export const JOB_STATUSES = ['running', 'done', 'failed', 'cancelled', 'interrupted'] as const
type JobStatus = (typeof JOB_STATUSES)[number]

/** Work that a person started, with its progress. */
export interface Job extends JobCounts {
  readonly kind: JobKind
  /** As the starter of the work wrote it. */
  readonly subject: unknown
  readonly status: JobStatus
  /** Whether it was asked to end, and has not ended yet. */
  readonly isCancelling: boolean
  readonly result: unknown
  readonly error: JobError | undefined
  readonly startedAt: Date
  readonly finishedAt: Date | undefined
}

/** The node of a running job says so every few seconds; after this time it has stopped. */
const LOST_AFTER_MS = 60_000

/** Since when the node of a running job has said so. */
export function runningSince(now: Date): Date {
  return new Date(now.getTime() - LOST_AFTER_MS)
}

/** A job of the caller. */
export async function readJob(ctx: Ctx, id: string): Promise<Job> {
  const row = isUuid(id) ? await findJob(ctx.db, ctx.actor.id, id) : undefined
  if (!row)
    throw new AppError('not_found', 'There is no such import, export or move of yours, or it is more than a week old.')
  return toJob(row, ctx.now())
}

function toStatus({ seen_at, finished_at, error }: JobRow, now: Date): JobStatus {
  if (finished_at === null) return seen_at < runningSince(now) ? 'interrupted' : 'running'
  if (error === null) return 'done'
  return (error as JobError).code === 'job_cancelled' ? 'cancelled' : 'failed' // as it was stored
}

/** A job as its row says. */
export function toJob(row: JobRow, now: Date): Job {
  const status = toStatus(row, now)
  return {
    kind: row.kind as JobKind, // as it was stored
    subject: row.subject,
    done: row.done,
    total: row.total ?? undefined,
    status,
    isCancelling: isCancelling({ status, cancelledAt: row.cancelled_at }),
    result: row.result,
    error: (row.error as JobError | null) ?? undefined, // as it was stored
    startedAt: row.started_at,
    finishedAt: row.finished_at ?? undefined,
  }
}
