import { AppError } from '@recto/contract/errors.ts'
import { isUuid } from '@recto/lib/encoding/uuid7.ts'
import { type Static, Type } from 'typebox'
import { requireOrgAdmin } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { actorSchema, timeSchema } from '../../access/schema.ts'
import { recordAuditEntry } from '../../identity/principals/audit.ts'
import { inTransaction } from '../../platform/database/transaction.ts'
import { buildPage, type List, type PageQuery, parseWindow, toKeyset } from '../../platform/http/paging.ts'
import { enumSchema, nullable } from '../../platform/http/schemas.ts'
import { JOB_KINDS, JOB_STATUSES, runningSince, toJob } from './job.ts'
import { cancelJob, listJobs, lockJob, type OwnedJobRow } from './store-jobs.ts'

export const jobSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  kind: enumSchema(JOB_KINDS),
  space: Type.String({ description: 'The slug when it began; `personal`: the own space of the principal.' }),
  principal: actorSchema,
  status: enumSchema(JOB_STATUSES),
  done: Type.Integer({ description: 'Pages and files that are done.' }),
  total: nullable(Type.Integer(), 'Null: not known yet.'),
  startedAt: timeSchema,
  finishedAt: nullable(timeSchema),
  cancelledAt: nullable(timeSchema, 'When an admin asked it to end.'),
  error: nullable(Type.String(), 'The code of the error with which it ended.'),
})

/** Long work of anybody, as organisation admins see it: never what is in it. */
export type AnyJob = Static<typeof jobSchema>

/** The jobs of everybody, the latest first. For organisation admins. */
export async function listAllJobs(
  ctx: Ctx,
  { running = false, ...query }: PageQuery & { readonly running?: boolean },
): Promise<List<AnyJob>> {
  requireOrgAdmin(ctx)
  const window = parseWindow(ctx, `jobs/${running}`, query, ['id'])
  const now = ctx.now()
  const rows = await listJobs(ctx.db, { seenSince: running ? runningSince(now) : undefined, ...toKeyset(window) })
  return buildPage(window, rows, ['id'], (row) => toAnyJob(row, now))
}

/** Asks a job to end: it does with its next batch. One that has ended stays as it is. For organisation admins. */
export async function cancelAnyJob(ctx: Ctx, id: string): Promise<AnyJob> {
  requireOrgAdmin(ctx)
  if (!isUuid(id)) throw noSuchJob()
  return inTransaction(ctx, async (tx) => {
    const row = await lockJob(tx, id)
    if (!row) throw noSuchJob()
    const now = ctx.now()
    if (row.finished_at !== null || row.cancelled_at !== null) return toAnyJob(row, now)
    await cancelJob(tx, id, now)
    const { principal, kind } = row
    const target = { type: 'job', id, name: `${kind} of ${principal.name}` } as const
    await recordAuditEntry(tx, { action: 'job.cancelled', target, details: { principal, space: readSpaceName(row) } })
    return toAnyJob({ ...row, cancelled_at: now }, now)
  })
}

function readSpaceName({ subject }: OwnedJobRow): string {
  const { space } = subject as { readonly space: string } // every kind of job stores it
  return space
}

function toAnyJob(row: OwnedJobRow, now: Date): AnyJob {
  const { kind, status, done, total, error, startedAt, finishedAt } = toJob(row, now)
  return {
    id: row.id,
    kind,
    space: readSpaceName(row),
    principal: row.principal,
    status,
    done,
    total: total ?? null,
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    cancelledAt: row.cancelled_at?.toISOString() ?? null,
    error: error?.code ?? null,
  }
}

function noSuchJob(): AppError {
  return new AppError('not_found', 'There is no job with this id; jobs are kept for a week.')
}
