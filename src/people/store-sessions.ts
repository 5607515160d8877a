import { sql } from 'kysely'
import { SESSION_IDLE } from '../access/credentials/find-caller.ts'
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
    select session.id, session.address, session.user_agent, session.key_id, session.created_at, session.last_seen_at,
      session.expires_at
    from session left join api_key on api_key.id = session.key_id
    where session.principal_id = ${window.principalId}
      and session.expires_at > now() and session.last_seen_at > now() - ${SESSION_IDLE}::interval
      and (session.key_id is null
        or (api_key.revoked_at is null and (api_key.expires_at is null or api_key.expires_at > now())))
      ${window.after === undefined ? sql`` : sql`and session.id > ${window.after}`}
    order by session.id limit ${window.limit}`.execute(db)
  return rows
}
