import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { read } from '../database/statement.ts'
import { autocommit, type WriteDb } from '../database/transaction.ts'
import { type Caller, type OrgRole, type PrincipalKind, type Scope, widest } from './caller.ts'
import type { Log } from './ctx.ts'

/** The idle timeout of a session, and its maximum age. */
export const SESSION_IDLE = '12 hours'
export const SESSION_SECONDS = 7 * 24 * 3600

export interface CredentialRow {
  readonly key_id: string | null
  readonly scopes: Scope[] | null
  readonly space_ids: number[] | null
  readonly id: string
  readonly name: string
  readonly kind: PrincipalKind
  readonly role: OrgRole
  readonly stale: boolean
}

const findKey = read(
  'find_key',
  (args: { hash: Buffer }) => sql<CredentialRow>`
    select api_key.id as key_id, api_key.scopes, api_key.space_ids, principal.id, principal.name, principal.kind, principal.role,
      (api_key.last_used_at is null or api_key.last_used_at < date_trunc('minute', now())) as stale
    from api_key join principal on principal.id = api_key.principal_id
    where api_key.hash = ${args.hash} and api_key.revoked_at is null and principal.disabled_at is null
      and (api_key.expires_at is null or api_key.expires_at > now())`,
)

/** A session has the permissions of the key that opened it, and ends with that. */
const findSession = read(
  'find_session',
  (args: { hash: Buffer }) => sql<CredentialRow & { session_id: string }>`
    select session.id as session_id, session.key_id, api_key.scopes, api_key.space_ids, principal.id, principal.name, principal.kind, principal.role,
      session.last_seen_at < date_trunc('minute', now()) as stale
    from session join principal on principal.id = session.principal_id left join api_key on api_key.id = session.key_id
    where session.hash = ${args.hash} and session.expires_at > now() and session.last_seen_at > now() - ${SESSION_IDLE}::interval
      and principal.disabled_at is null
      and (session.key_id is null or (api_key.revoked_at is null and (api_key.expires_at is null or api_key.expires_at > now())))`,
)

/** The caller behind the hash of a key that is neither revoked nor expired, of a principal that is not disabled. */
export async function findByKey(db: Db, hash: Buffer, log: Log): Promise<Caller | undefined> {
  const row = await findKey.first(db, { hash })
  if (!row) return undefined
  // Updated once a minute, in the background: no response waits for it.
  if (row.stale && row.key_id) {
    touchKey(autocommit(db), row.key_id).catch((error) => log.warn({ err: error }, 'lastUsedAt was not kept'))
  }
  return toCaller(row)
}

/** The caller behind the hash of a session's token. */
export async function findBySession(db: Db, hash: Buffer, log: Log): Promise<Caller | undefined> {
  const row = await findSession.first(db, { hash })
  if (!row) return undefined
  if (row.stale) {
    touchSession(autocommit(db), row.session_id).catch((error) =>
      log.warn({ err: error }, 'a session was not kept'),
    )
  }
  return { ...toCaller(row), sessionId: row.session_id }
}

/** A session of an identity provider has no key: it has all permissions of the principal. */
export function toCaller(row: Omit<CredentialRow, 'stale'>): Caller {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    orgRole: row.role,
    scope: row.scopes ? widest(row.scopes) : 'admin',
    spaceIds: row.space_ids,
    keyId: row.key_id,
  }
}

async function touchKey(db: WriteDb, keyId: string): Promise<void> {
  await sql`update api_key set last_used_at = date_trunc('minute', now())
    where id = ${keyId} and (last_used_at is null or last_used_at < date_trunc('minute', now()))`.execute(db)
}

async function touchSession(db: WriteDb, sessionId: string): Promise<void> {
  await sql`update session set last_seen_at = now()
    where id = ${sessionId} and last_seen_at < date_trunc('minute', now())`.execute(db)
}
