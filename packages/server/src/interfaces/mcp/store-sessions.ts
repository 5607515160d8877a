import { sql } from 'kysely'
import { type Db, read, type WriteDb, write } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'

interface SessionArgs {
  readonly id: string
  /** Whether it is inserted if it has no row. */
  readonly isNew: boolean
  readonly principalId: string
  readonly streamId: string | null
  readonly expiresAt: Date
}

const upsertSession = write(
  'upsert_mcp_session',
  (args: SessionArgs) => sql<{ readonly inserted: boolean }>`
    insert into mcp_session (id, principal_id, stream_id, expires_at)
    select ${args.id}::uuid, ${args.principalId}::uuid, ${args.streamId}::uuid, ${args.expiresAt}::timestamptz
    where ${args.isNew}::boolean or exists (select from mcp_session where id = ${args.id}::uuid)
    on conflict (id) do update set stream_id = coalesce(excluded.stream_id, mcp_session.stream_id),
    expires_at = excluded.expires_at
    where mcp_session.principal_id = excluded.principal_id
    returning xmax = 0 as inserted`,
)

/**
 * Inserts or renews a session, and locks it. Deletes the sessions of the principal beyond `max`, those first that
 * expire first. False if the session has expired, or is of another principal.
 */
export async function putSession(
  tx: Pick<Tx, 'db'>,
  { max, ...session }: SessionArgs & { readonly max: number },
): Promise<boolean> {
  const row = await upsertSession.first(tx.db, session)
  if (row?.inserted) {
    await sql`delete from mcp_session where id in (
      select id from mcp_session where principal_id = ${session.principalId}
      order by expires_at desc offset ${max})`.execute(tx.db)
  }
  return row !== undefined
}

interface NewSubscription {
  readonly sessionId: string
  readonly resource: string
  readonly uri: string
}

/** Inserts a subscription of a locked session; false if it has `max` others. */
export async function putSubscription(
  tx: Pick<Tx, 'db'>,
  { sessionId, resource, uri, max }: NewSubscription & { readonly max: number },
): Promise<boolean> {
  const { rows } = await sql`
    insert into mcp_subscription (session_id, resource, uri)
    select ${sessionId}::uuid, ${resource}, ${uri}
    where (select count(*) from mcp_subscription where session_id = ${sessionId}::uuid
      and resource <> ${resource}) < ${max}
    on conflict (session_id, resource) do update set uri = excluded.uri returning 1`.execute(tx.db)
  return rows.length > 0
}

export async function deleteSubscription(
  db: WriteDb,
  args: { readonly sessionId: string; readonly principalId: string; readonly resource: string },
): Promise<void> {
  await sql`delete from mcp_subscription subscription using mcp_session session
    where subscription.session_id = ${args.sessionId}::uuid and subscription.resource = ${args.resource}
      and session.id = subscription.session_id and session.principal_id = ${args.principalId}`.execute(db)
}

/** A stream with one of its subscriptions, or without any. */
interface SubscribedRow {
  readonly stream_id: string | null
  readonly resource: string | null
  readonly uri: string | null
}

const readSubscribed = read(
  'find_mcp_subscriptions',
  (args: { sessionIds: readonly string[]; resources: readonly string[] }) => sql<SubscribedRow>`
    select session.stream_id, subscription.resource, subscription.uri
    from mcp_session session left join mcp_subscription subscription
      on subscription.session_id = session.id and subscription.resource = any(${args.resources}::text[])
    where session.id = any(${args.sessionIds}::uuid[])`,
)

/** The streams of some sessions, with their subscriptions to some resources. */
export function findSubscribed(
  db: Db,
  args: { readonly sessionIds: readonly string[]; readonly resources: readonly string[] },
): Promise<readonly SubscribedRow[]> {
  return readSubscribed.all(db, args)
}

/** Extends a session while it has this stream. */
export async function renewSession(
  db: WriteDb,
  session: { readonly id: string; readonly streamId: string; readonly expiresAt: Date },
): Promise<void> {
  await sql`update mcp_session set expires_at = ${session.expiresAt}
    where id = ${session.id}::uuid and stream_id = ${session.streamId}::uuid`.execute(db)
}

/** Deletes a batch of expired sessions with their subscriptions. */
export async function deleteExpiredSessions(db: WriteDb, now: Date, limit: number): Promise<number> {
  const { rows } = await sql`delete from mcp_session
    where id in (select id from mcp_session where expires_at < ${now} limit ${limit}) returning 1`.execute(db)
  return rows.length
}
