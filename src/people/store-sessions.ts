import { sql } from 'kysely'
import { SESSION_IDLE } from '../access/find-caller.ts'
import type { Db } from '../database/database.ts'

export interface SessionRow {
  readonly id: string
  readonly address: string | null
  readonly user_agent: string | null
  readonly key_id: string | null
  readonly created_at: Date
  readonly last_seen_at: Date
  readonly expires_at: Date
}

/** The sessions of a principal that still work, the oldest first (index `session_principal`). */
export async function listSessions(
  db: Db,
  window: { readonly principalId: string; readonly after: string | undefined; readonly limit: number },
): Promise<SessionRow[]> {
  const { rows } = await sql<SessionRow>`
    select x.id, x.address, x.user_agent, x.key_id, x.created_at, x.last_seen_at, x.expires_at
    from session x left join api_key k on k.id = x.key_id
    where x.principal_id = ${window.principalId}
      and x.expires_at > now() and x.last_seen_at > now() - ${SESSION_IDLE}::interval
      and (x.key_id is null or (k.revoked_at is null and (k.expires_at is null or k.expires_at > now())))
      ${window.after === undefined ? sql`` : sql`and x.id > ${window.after}`}
    order by x.id limit ${window.limit}`.execute(db)
  return rows
}
