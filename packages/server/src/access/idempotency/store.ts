import { sql } from 'kysely'
import { queryRows, read, type WriteDb, write } from '../../platform/database/database.ts'

/** Identifies a request and one attempt of it. */
export interface AttemptIds {
  readonly principalId: string
  readonly id: Buffer
  readonly attempt: string
}

export interface StoredResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface StoredRequest {
  readonly fingerprint: Buffer
  /** Whether the change was committed. */
  readonly done: boolean
  /** Whether the attempt may still be running. */
  readonly leased: boolean
  readonly status: number | null
  readonly headers: Record<string, string> | null
  readonly body: Buffer | null
}

/** Acquires a key that is new, expired, or of an attempt that ended without a change. No row: it is taken. */
export const acquireKey = write(
  'take_idempotency_key',
  (args: AttemptIds & { fingerprint: Buffer; leaseSeconds: number; keepSeconds: number }) => sql<{ taken: number }>`
    insert into idempotency as request (principal_id, id, fingerprint, attempt, leased_until, expires_at)
    values (${args.principalId}, ${args.id}, ${args.fingerprint}, ${args.attempt},
      now() + make_interval(secs => ${args.leaseSeconds}), now() + make_interval(secs => ${args.keepSeconds}))
    on conflict (principal_id, id) do update set fingerprint = excluded.fingerprint, attempt = excluded.attempt,
      leased_until = excluded.leased_until, expires_at = excluded.expires_at, done = false, status = null,
      headers = null, body = null
    where request.expires_at <= now() or (not request.done and request.leased_until <= now())
      or request.attempt = excluded.attempt
    returning 1 as taken`,
)

/** The request that owns a key. */
export const findRequest = read(
  'find_idempotent_request',
  (args: { principalId: string; id: Buffer }) => sql<StoredRequest>`
    select fingerprint, done, leased_until > now() as leased, status, headers, body
    from idempotency where principal_id = ${args.principalId} and id = ${args.id}`,
)

const markDone = write(
  'mark_idempotent_request',
  (args: AttemptIds) => sql<{ marked: number }>`
    update idempotency set done = true
    where principal_id = ${args.principalId} and id = ${args.id} and attempt = ${args.attempt}
    returning 1 as marked`,
)

const storeResponse = write(
  'keep_idempotent_answer',
  (args: AttemptIds & { status: number; headers: string; body: Buffer }) => sql<{ marked: number }>`
    update idempotency set done = true, status = ${args.status}, headers = ${args.headers}::jsonb, body = ${args.body}
    where principal_id = ${args.principalId} and id = ${args.id} and attempt = ${args.attempt}
    returning 1 as marked`,
)

/** Marks the attempt as done, with its response if known; false when another attempt owns the key. */
export async function markRequest(db: WriteDb, ids: AttemptIds, answer: StoredResponse | undefined): Promise<boolean> {
  const row = answer
    ? await storeResponse.first(db, { ...ids, ...answer, headers: JSON.stringify(answer.headers) })
    : await markDone.first(db, ids)
  return row !== undefined
}

export async function renewLease(
  db: WriteDb,
  { principalId, id, attempt, leaseSeconds }: AttemptIds & { readonly leaseSeconds: number },
): Promise<void> {
  await sql`update idempotency set leased_until = now() + make_interval(secs => ${leaseSeconds}::float8)
    where principal_id = ${principalId} and id = ${id} and attempt = ${attempt} and not done`.execute(db)
}

/** Releases the key of an attempt that changed nothing. */
export async function releaseKey(db: WriteDb, { principalId, id, attempt }: AttemptIds): Promise<void> {
  await sql`delete from idempotency
    where principal_id = ${principalId} and id = ${id} and attempt = ${attempt} and not done`.execute(db)
}

/** Deletes a batch of expired requests and returns how many. */
export async function deleteExpired(db: WriteDb, before: Date, limit: number): Promise<number> {
  const rows = await queryRows(db)`
    delete from idempotency where (principal_id, id) in (
      select principal_id, id from idempotency where expires_at <= ${before} order by expires_at limit ${limit}
      for update skip locked)
    returning 1`
  return rows.length
}
