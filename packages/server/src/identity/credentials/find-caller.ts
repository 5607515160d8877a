import { sql } from 'kysely'
import {
  type Actor,
  type Caller,
  type CallerApp,
  type OrgRole,
  type PrincipalKind,
  type Scope,
  widest,
} from '../../access/caller.ts'
import type { Log } from '../../access/ctx.ts'
import { autocommit, type Db, read, type WriteDb } from '../../platform/database/database.ts'

/** The idle timeout of a session, and its maximum age. */
export const SESSION_IDLE = '12 hours'
export const SESSION_SECONDS = 7 * 24 * 3600

/** The app of a credential; null where there is none. */
type AppRow = Omit<CallerApp, 'requestedScope'> & { readonly requestedScopes: Scope[] }

export interface CredentialRow {
  readonly key_id: string | null
  readonly scopes: Scope[] | null
  readonly space_ids: number[] | null
  readonly personal: boolean
  readonly id: string
  readonly name: string
  readonly kind: PrincipalKind
  readonly role: OrgRole
  readonly guest: boolean
  readonly stale: boolean
  readonly app?: AppRow | null
}

/** The rows `connection` and `token` as the app of a caller. */
export const appOfToken = sql<AppRow>`json_build_object('connectionId', connection.id, 'tokenHash',
  encode(token.hash, 'hex'), 'name', connection.client_name,
  'audience', connection.audience, 'requestedScopes', connection.requested_scopes)`

const findKey = read(
  'find_key',
  (args: { hash: Buffer }) => sql<CredentialRow>`
    select api_key.id as key_id, api_key.scopes, api_key.space_ids, api_key.personal, principal.id, principal.name,
      principal.kind, principal.role, principal.guest,
      (api_key.last_used_at is null or api_key.last_used_at < date_trunc('minute', now())) as stale
    from api_key join principal on principal.id = api_key.principal_id
    where api_key.hash = ${args.hash} and api_key.revoked_at is null and principal.disabled_at is null
      and (api_key.expires_at is null or api_key.expires_at > now())`,
)

/** A session has the permissions of the key that opened it, and ends with that. */
const findSession = read(
  'find_session',
  (args: { hash: Buffer }) => sql<CredentialRow & { session_id: string; language: string | null }>`
    select session.id as session_id, session.key_id,
      (select language from person_setting where principal_id = session.principal_id) as language, api_key.scopes,
      api_key.space_ids,
      coalesce(api_key.personal, true) as personal, principal.id, principal.name, principal.kind, principal.role,
      principal.guest,
      session.last_seen_at < date_trunc('minute', now()) as stale
    from session join principal on principal.id = session.principal_id left join api_key on api_key.id = session.key_id
    where session.hash = ${args.hash} and session.expires_at > now()
      and session.last_seen_at > now() - ${SESSION_IDLE}::interval
      and principal.disabled_at is null
      and (session.key_id is null or (api_key.revoked_at is null
        and (api_key.expires_at is null or api_key.expires_at > now())))`,
)

/** An access token of an app: it has the permissions of its connection, and ends with that. */
const findAccessToken = read(
  'find_access_token',
  (args: { hash: Buffer }) => sql<CredentialRow & { app: AppRow }>`
    select null as key_id, token.scopes, connection.space_ids, connection.personal, principal.id, principal.name,
      principal.kind, principal.role, principal.guest,
      ${appOfToken} as app,
      (connection.last_used_at is null or connection.last_used_at < date_trunc('minute', now())) as stale
    from oauth_token token join app_connection connection on connection.id = token.connection_id
    join principal on principal.id = connection.principal_id
    where token.hash = ${args.hash} and token.kind = 'AccessToken' and token.expires_at > now()
      and connection.ended_at is null and principal.disabled_at is null`,
)

const findScimToken = read(
  'find_scim_token',
  (args: { hash: Buffer }) => sql<Actor & { readonly key_id: string; readonly stale: boolean }>`
    select scim_token.id as key_id, principal.id, principal.name, principal.kind,
      (scim_token.last_used_at is null or scim_token.last_used_at < date_trunc('minute', now())) as stale
    from scim_token join principal on principal.id = scim_token.principal_id
    where scim_token.hash = ${args.hash} and principal.disabled_at is null`,
)

/** The caller by the hash of a key that is neither revoked nor expired, of a principal that is not disabled. */
export async function findByKey(db: Db, hash: Buffer, log: Log): Promise<Caller | undefined> {
  const row = await findKey.first(db, { hash })
  if (!row) return undefined
  if (row.stale && row.key_id) inBackground(touch(autocommit(db), 'api_key', row.key_id), log, 'an API key')
  return toCaller(row)
}

/** The caller by the hash of a session's token. */
export async function findBySession(db: Db, hash: Buffer, log: Log): Promise<Caller | undefined> {
  const row = await findSession.first(db, { hash })
  if (!row) return undefined
  if (row.stale) inBackground(touchSession(autocommit(db), row.session_id), log, 'a session')
  return { ...toCaller(row), sessionId: row.session_id, ...(row.language !== null && { language: row.language }) }
}

/** The person by the hash of an access token, with the app that acts for them. */
export async function findByAccessToken(db: Db, hash: Buffer, log: Log): Promise<Caller | undefined> {
  const row = await findAccessToken.first(db, { hash })
  if (!row) return undefined
  if (row.stale) {
    const touchPromise = touch(autocommit(db), 'app_connection', row.app.connectionId)
    inBackground(touchPromise, log, 'a connected app')
  }
  return toCaller(row)
}

/** The identity provider by the hash of its token. It has access to no space. */
export async function findByScimToken(db: Db, hash: Buffer, log: Log): Promise<Caller | undefined> {
  const row = await findScimToken.first(db, { hash })
  if (!row) return undefined
  if (row.stale) inBackground(touch(autocommit(db), 'scim_token', row.key_id), log, 'the SCIM token')
  const { id, name, kind, key_id: keyId } = row
  return { id, name, kind, orgRole: 'member', guest: false, scope: 'read', spaceIds: [], personal: false, keyId }
}

/** The time of the last use is updated once a minute, and no response waits for it. */
function inBackground(update: Promise<void>, log: Log, credential: string): void {
  update.catch((error) => log.warn({ err: error }, `the last use of ${credential} was not kept`))
}

/** A session of an identity provider has no key: it has all permissions of the principal. */
export function toCaller(row: Omit<CredentialRow, 'stale'>): Caller {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    orgRole: row.role,
    guest: row.guest,
    scope: row.scopes ? widest(row.scopes) : 'admin',
    spaceIds: row.space_ids,
    personal: row.personal,
    keyId: row.key_id,
    ...(row.app && { app: toApp(row.app), via: row.app.name }),
  }
}

function toApp({ requestedScopes, ...app }: AppRow): CallerApp {
  return { ...app, requestedScope: widest(requestedScopes) }
}

async function touch(db: WriteDb, table: 'api_key' | 'scim_token' | 'app_connection', id: string): Promise<void> {
  await sql`update ${sql.table(table)} set last_used_at = date_trunc('minute', now())
    where id = ${id} and (last_used_at is null or last_used_at < date_trunc('minute', now()))`.execute(db)
}

async function touchSession(db: WriteDb, sessionId: string): Promise<void> {
  await sql`update session set last_seen_at = now()
    where id = ${sessionId} and last_seen_at < date_trunc('minute', now())`.execute(db)
}
