import { newToken } from '@recto/lib/encoding/token.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { Ctx } from '../../access/ctx.ts'
import { queryRows } from '../../platform/database/database.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { SESSION_SECONDS } from '../credentials/find-caller.ts'
import { recordAuditEntry } from '../principals/audit.ts'
import { hashKey, SESSION_PREFIX } from '../principals/authenticate.ts'

const MAX_USER_AGENT = 300

/** What opening and ending a session needs: the audit log has the time and the client address. */
export type SessionDeps = Pick<Ctx, 'db' | 'now' | 'address'>

interface Session {
  readonly id: string
  readonly principal_id: string
  readonly name: string
}

/**
 * Creates a session for a browser and returns its token, of which only the hash is stored. A session of a key has the
 * permissions of that key, and ends with it. Expired sessions are deleted here.
 */
export async function openSession(
  deps: SessionDeps,
  who: {
    readonly principalId: string
    readonly keyId: string | null
    /** The name of the browser, for the list of sessions. */
    readonly userAgent?: string | undefined
    /** Whether the person has just proved who they are (`requireConfirmation`). */
    readonly confirmed: boolean
  },
): Promise<string> {
  const token = newToken(SESSION_PREFIX)
  const id = uuid7()
  const { principalId, keyId } = who
  const userAgent = who.userAgent?.slice(0, MAX_USER_AGENT) ?? null
  await inTransaction(deps, async (tx) => {
    const rows = await queryRows<Session>(tx.db)`
      with swept as (delete from session where expires_at < now())
      insert into session (id, principal_id, hash, key_id, address, user_agent, created_at, last_seen_at, confirmed_at,
        expires_at)
      values (${id}, ${principalId}, ${hashKey(token)}, ${keyId}, ${deps.address ?? null}, ${userAgent}, now(), now(),
        case when ${who.confirmed} then now() end, now() + make_interval(secs => ${SESSION_SECONDS}))
      on conflict do nothing
      returning id, principal_id, (select name from principal where principal.id = principal_id)
        as name`
    // No row: an earlier run was committed before its connection was lost.
    for (const session of rows) await record(tx, 'created', session, { apiKey: keyId })
  })
  return token
}

export async function endSession(deps: SessionDeps, token: string): Promise<void> {
  await inTransaction(deps, async (tx) => {
    const rows = await queryRows<Session>(tx.db)`
      delete from session using principal where session.hash = ${hashKey(token)} and principal.id = session.principal_id
      returning session.id, principal.id as principal_id, principal.name`
    for (const session of rows) await record(tx, 'ended', session, {})
  })
}

/** Ends every session of a principal, on all devices; its keys remain valid. */
export async function endAllSessions(deps: SessionDeps, principalId: string): Promise<void> {
  await inTransaction(deps, (tx) => deleteSessions(tx, principalId))
}

/** Ends the sessions of a principal, except for one, or only one, within a transaction. Returns how many. */
export async function deleteSessions(
  tx: SessionDeps & Pick<Tx, 'db' | 'publish'>,
  principalId: string,
  { except, only }: { readonly except?: string | undefined; readonly only?: string } = {},
): Promise<number> {
  const rows = await queryRows<Session>(tx.db)`
    delete from session using principal
    where principal.id = ${principalId} and session.principal_id = principal.id and session.id is distinct
    from ${except ?? null}::uuid
      and (${only ?? null}::uuid is null or session.id = ${only ?? null}::uuid)
    returning session.id, principal.id as principal_id, principal.name`
  for (const session of rows) await record(tx, 'ended', session, only === undefined ? { everywhere: true } : {})
  return rows.length
}

/** Records an attempt to sign in with a revoked or expired key; an unknown key is not recorded. */
export async function recordRejectedKey(deps: SessionDeps, key: string): Promise<void> {
  await inTransaction(deps, async (tx) => {
    const rows = await queryRows<{ id: string; key_name: string; principal_id: string; reason: string }>(tx.db)`
      select api_key.id, api_key.name as key_name, api_key.principal_id,
      case when api_key.revoked_at is not null then 'revoked'
        when principal.disabled_at is not null then 'disabled' else 'expired' end as reason
      from api_key join principal on principal.id = api_key.principal_id
      where api_key.hash = ${hashKey(key)}`
    for (const { id, key_name: name, principal_id: actor, reason } of rows) {
      const target = { type: 'api_key', id, name } as const
      await recordAuditEntry(
        { ...tx, actor: { id: actor } },
        { action: 'session.refused', target, details: { reason } },
      )
    }
  })
}

async function record(
  tx: SessionDeps & Pick<Tx, 'db' | 'publish'>,
  change: 'created' | 'ended',
  { id, principal_id: actor, name }: Session,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  const target = { type: 'session', id, name } as const
  await recordAuditEntry({ ...tx, actor: { id: actor } }, { action: `session.${change}`, target, details })
}
