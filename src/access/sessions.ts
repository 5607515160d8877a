import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { newToken } from '../lib/token.ts'
import { uuid7 } from '../lib/uuid7.ts'
import { hashKey, SESSION_PREFIX } from './authenticate.ts'
import { SESSION_SECONDS } from './find-caller.ts'

/**
 * Opens a session for a browser and returns its token, of which only the hash is kept. With a key it allows no more
 * than that key, and ends with it. Sessions that are over are swept on the way.
 */
export async function openSession(
  db: Db,
  who: { readonly principalId: string; readonly keyId: string | null },
): Promise<string> {
  const token = newToken(SESSION_PREFIX)
  await sql`
    with swept as (delete from session where expires_at < now())
    insert into session (id, principal_id, hash, key_id, created_at, last_seen_at, expires_at)
    values (${uuid7()}, ${who.principalId}, ${hashKey(token)}, ${who.keyId}, now(), now(),
      now() + make_interval(secs => ${SESSION_SECONDS}))`.execute(db)
  return token
}

/** Ends the session of a token. */
export async function endSession(db: Db, token: string): Promise<void> {
  await sql`delete from session where hash = ${hashKey(token)}`.execute(db)
}

/** Ends every session of a principal, on whatever device; its keys stay. */
export async function endAllSessions(db: Db, principalId: string): Promise<void> {
  await sql`delete from session where principal_id = ${principalId}`.execute(db)
}
