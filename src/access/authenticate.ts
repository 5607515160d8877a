import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { AppError } from '../errors.ts'
import { Lru } from '../lib/lru.ts'
import { isToken } from '../lib/token.ts'
import { type Caller, type OrgRole, type PrincipalKind, type Scope, widest } from './caller.ts'
import type { Log } from './ctx.ts'

export const KEY_PREFIX = 'svc_'

/** A known key is asked for again after this time: so long may a revoked key or a disabled principal still pass. */
const FRESH_MS = 900
const MAX_KNOWN_KEYS = 10_000

/** Finds out who sends a request. */
export interface Authenticator {
  /** The caller of an `Authorization` header; refuses with `unauthorized`, and never says why. */
  byHeader(header: string | undefined): Promise<Caller>
}

interface Known {
  readonly asked: number
  readonly caller: Promise<Caller | undefined>
}

interface KeyRow {
  readonly key_id: string
  readonly scopes: Scope[]
  readonly space_ids: number[] | null
  readonly id: string
  readonly name: string
  readonly kind: PrincipalKind
  readonly role: OrgRole
  readonly stale: boolean
}

/** Keeps callers for less than a second, so that most requests cost no question of their own. */
export function createAuthenticator(db: Db, log: Log): Authenticator {
  const known = new Lru<string, Known>({ maxWeight: MAX_KNOWN_KEYS, weigh: () => 1 })

  async function byKey(key: string): Promise<Caller | undefined> {
    const hash = hashKey(key)
    const id = hash.toString('base64')
    const asked = performance.now()
    const before = known.get(id)
    if (before && asked - before.asked < FRESH_MS) return before.caller
    const caller = findCaller(db, hash, log)
    known.set(id, { asked, caller })
    caller.then(
      (found) => found ?? known.delete(id),
      () => known.delete(id),
    )
    return caller
  }

  return {
    async byHeader(header) {
      if (header === undefined)
        throw unauthorized('This needs an API key: send `Authorization: Bearer <key>`.')
      const key = /^Bearer +([!-~]+) *$/i.exec(header)?.[1]
      const caller = key !== undefined && isToken(KEY_PREFIX, key) ? await byKey(key) : undefined
      if (!caller) throw unauthorized('The API key is not valid.', 'invalid_token')
      return caller
    },
  }
}

/** The SHA-256 under which a key is stored. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** RFC 6750, section 3: the challenge names an error only when a credential was sent. */
function unauthorized(detail: string, error?: string): AppError {
  const challenge = `Bearer realm="recto"${error ? `, error="${error}"` : ''}`
  return new AppError('unauthorized', detail, { headers: { 'WWW-Authenticate': challenge } })
}

const findKey = statement(
  'find_key',
  (args: { hash: Buffer }) => sql<KeyRow>`
    select k.id as key_id, k.scopes, k.space_ids, p.id, p.name, p.kind, p.role,
      (k.last_used_at is null or k.last_used_at < date_trunc('minute', now())) as stale
    from api_key k join principal p on p.id = k.principal_id
    where k.hash = ${args.hash} and k.revoked_at is null and p.disabled_at is null
      and (k.expires_at is null or k.expires_at > now())`,
)

async function findCaller(db: Db, hash: Buffer, log: Log): Promise<Caller | undefined> {
  const row = await findKey.first(db, { hash })
  if (!row) return undefined
  // Kept to the minute, beside the request: an answer never waits for it.
  if (row.stale) touch(db, row.key_id).catch((error) => log.warn({ err: error }, 'lastUsedAt was not kept'))
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    orgRole: row.role,
    scope: widest(row.scopes),
    spaceIds: row.space_ids,
    keyId: row.key_id,
  }
}

async function touch(db: Db, keyId: string): Promise<void> {
  await sql`update api_key set last_used_at = date_trunc('minute', now())
    where id = ${keyId} and (last_used_at is null or last_used_at < date_trunc('minute', now()))`.execute(db)
}
