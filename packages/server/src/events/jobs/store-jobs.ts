import { sql } from 'kysely'
import { actorJson } from '../../access/authors.ts'
import type { Actor } from '../../access/caller.ts'
import type { Keyset } from '../../platform/database/conditions.ts'
import { type Db, hasRows, queryRow, queryRows, queryValue, type WriteDb } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'

export interface JobRow {
  readonly kind: string
  readonly subject: unknown
  readonly done: number
  readonly total: number | null
  readonly result: unknown
  readonly error: unknown
  readonly started_at: Date
  readonly seen_at: Date
  readonly finished_at: Date | null
  readonly cancelled_at: Date | null
}

export interface OwnedJobRow extends JobRow {
  readonly id: string
  readonly principal: Actor
}

export interface NewJob {
  readonly id: string
  readonly principalId: string
  readonly kind: string
  readonly subject: object
  readonly now: Date
}

/** Inserts a job, and deletes those of its principal that started before `expiredBefore`; false if the id exists. */
export async function insertJob(
  db: WriteDb,
  { id, principalId, kind, subject, now }: NewJob,
  expiredBefore: Date,
): Promise<boolean> {
  return hasRows(db)`
    with old as (delete from job where principal_id = ${principalId}::uuid and started_at < ${expiredBefore})
    insert into job (id, principal_id, kind, subject, done, started_at, seen_at)
    values (${id}::uuid, ${principalId}::uuid, ${kind}, ${JSON.stringify(subject)}::jsonb, 0, ${now}, ${now})
    on conflict (id) do nothing returning id`
}

/** Stores the progress; returns whether an admin has cancelled the job. */
export async function updateProgress(
  db: WriteDb,
  job: { readonly id: string; readonly done: number; readonly total: number | undefined; readonly now: Date },
): Promise<boolean> {
  return queryValue<boolean>(db, false)`
    update job set done = ${job.done}, total = ${job.total ?? null}, seen_at = ${job.now}
    where id = ${job.id}::uuid and finished_at is null returning cancelled_at is not null as cancelled`
}

const OWNED = sql`select job.id, job.kind, job.subject, job.done, job.total, job.result, job.error, job.started_at,
  job.seen_at,
    job.finished_at, job.cancelled_at, ${actorJson('owner')} as principal
  from job join principal owner on owner.id = job.principal_id`

/** The jobs of everybody, the latest first (primary key); with `seenSince` those that run. */
export async function listJobs(
  db: Db,
  { seenSince, ...window }: Keyset & { readonly seenSince: Date | undefined },
): Promise<OwnedJobRow[]> {
  return queryRows<OwnedJobRow>(db)`${OWNED}
    where ${seenSince === undefined ? sql`true` : sql`job.finished_at is null and job.seen_at >= ${seenSince}`}
      ${window.after === undefined ? sql`` : sql`and job.id < ${window.after}`}
    order by job.id desc limit ${window.limit}`
}

/** The job of an id, locked until the transaction ends. */
export async function lockJob(tx: Pick<Tx, 'db'>, id: string): Promise<OwnedJobRow | undefined> {
  return queryRow<OwnedJobRow>(tx.db)`${OWNED} where job.id = ${id}::uuid for update of job`
}

/** Asks a job to end. */
export async function cancelJob(tx: Pick<Tx, 'db'>, id: string, now: Date): Promise<void> {
  await sql`update job set cancelled_at = ${now} where id = ${id}::uuid`.execute(tx.db)
}

export async function finishJob(
  db: WriteDb,
  job: { readonly id: string; readonly now: Date } & ({ readonly result: unknown } | { readonly error: object }),
): Promise<void> {
  const [result, error] = ['result' in job ? job.result : null, 'error' in job ? job.error : null].map((value) =>
    value === null ? null : JSON.stringify(value),
  )
  await sql`update job set result = ${result}::jsonb, error = ${error}::jsonb, finished_at = ${job.now}
    where id = ${job.id}::uuid and finished_at is null`.execute(db)
}

export async function findJob(db: Db, principalId: string, id: string): Promise<JobRow | undefined> {
  return queryRow<JobRow>(
    db,
  )`select kind, subject, done, total, result, error, started_at, seen_at, finished_at, cancelled_at
    from job where id = ${id}::uuid and principal_id = ${principalId}::uuid`
}
