import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { WriteDb } from '../database/transaction.ts'

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
}

export interface NewJob {
  readonly id: string
  readonly principalId: string
  readonly kind: string
  readonly subject: object
  readonly now: Date
}

/** Inserts a job, and deletes those of the same principal that started before `expired`; false if there is one with its id. */
export async function insertJob(
  db: WriteDb,
  { id, principalId, kind, subject, now }: NewJob,
  expired: Date,
): Promise<boolean> {
  const { rows } = await sql`
    with old as (delete from job where principal_id = ${principalId}::uuid and started_at < ${expired})
    insert into job (id, principal_id, kind, subject, done, started_at, seen_at)
    values (${id}::uuid, ${principalId}::uuid, ${kind}, ${JSON.stringify(subject)}::jsonb, 0, ${now}, ${now})
    on conflict (id) do nothing returning id`.execute(db)
  return rows.length > 0
}

export async function updateProgress(
  db: WriteDb,
  job: { readonly id: string; readonly done: number; readonly total: number | undefined; readonly now: Date },
): Promise<void> {
  await sql`update job set done = ${job.done}, total = ${job.total ?? null}, seen_at = ${job.now}
    where id = ${job.id}::uuid and finished_at is null`.execute(db)
}

export async function finishJob(
  db: WriteDb,
  job: { readonly id: string; readonly now: Date } & (
    | { readonly result: unknown }
    | { readonly error: object }
  ),
): Promise<void> {
  const [result, error] = ['result' in job ? job.result : null, 'error' in job ? job.error : null].map(
    (value) => (value === null ? null : JSON.stringify(value)),
  )
  await sql`update job set result = ${result}::jsonb, error = ${error}::jsonb, finished_at = ${job.now}
    where id = ${job.id}::uuid and finished_at is null`.execute(db)
}

/** A job of a principal. */
export async function findJob(db: Db, principalId: string, id: string): Promise<JobRow | undefined> {
  const { rows } =
    await sql<JobRow>`select kind, subject, done, total, result, error, started_at, seen_at, finished_at
    from job where id = ${id}::uuid and principal_id = ${principalId}::uuid`.execute(db)
  return rows[0]
}
