import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { Caller } from './caller.ts'
import { type CredentialRow, SESSION_IDLE, toCaller } from './find-caller.ts'
import { type AccessSubject, memberJoin, rankIn } from './visibility.ts'

/** A caller, and the spaces of its response. */
export interface RightsQuestion {
  readonly actor: Caller
  readonly spaceIds: readonly number[]
}

/** The present permissions of a caller. */
export interface Rights {
  readonly actor: Caller
  /** The requested spaces. */
  readonly asked: ReadonlySet<number>
  /** The readable ones of these spaces. */
  readonly visible: ReadonlySet<number>
}

interface RightsRow extends Omit<CredentialRow, 'stale'> {
  readonly n: number
  readonly session_id: string | null
  readonly visible: number[]
}

/** The row `h` as a subject of the access rule: columns in place of values. */
const sight = {
  principalId: sql`h.id`,
  agent: sql`(h.kind = 'agent')`,
  orgAdmin: sql`(h.role = 'admin')`,
  maxRank: sql`(case when h.scopes is null or 'admin' = any(h.scopes) then 3 when 'write' = any(h.scopes) then 2 else 1 end)`,
  spaceIds: sql`h.space_ids`,
} as unknown as AccessSubject // the rule only puts them into its SQL

/**
 * The permissions of many callers, with one statement, in the order of the input: undefined if the key or session has
 * ended, or the principal is disabled.
 */
export async function findRights(
  db: Db,
  questions: readonly RightsQuestion[],
): Promise<(Rights | undefined)[]> {
  const asked = questions.map(({ actor, spaceIds }, n) => ({
    n,
    principal: actor.id,
    key: actor.keyId,
    session: actor.sessionId ?? null,
    spaces: spaceIds,
  }))
  const { rows } = await sql<RightsRow>`
    with asked as (
      select * from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb)
        as a (n int, principal uuid, key uuid, session uuid, spaces bigint[])
    ), holder as (
      select a.n, a.spaces, x.id as session_id, k.id as key_id, k.scopes, k.space_ids, p.id, p.name, p.kind, p.role
      from asked a join principal p on p.id = a.principal
      left join session x on x.id = a.session
      left join api_key k on k.id = a.key
      where p.disabled_at is null and (a.key is not null or a.session is not null)
        and (a.key is null
          or (k.id is not null and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())))
        and (a.session is null
          or (x.expires_at > now() and x.last_seen_at > now() - ${SESSION_IDLE}::interval))
    )
    select h.*, array(
      select space.id from space ${memberJoin(sight)} where space.id = any(h.spaces) and ${rankIn(sight)} >= 1
    ) as visible
    from holder h`.execute(db)
  const rights: (Rights | undefined)[] = questions.map(() => undefined)
  for (const { n, session_id, visible, ...row } of rows) {
    const actor = { ...toCaller(row), ...(session_id !== null && { sessionId: session_id }) }
    // bigint[] has no parser of its own: its elements may be text.
    rights[n] = { actor, asked: new Set(questions[n]?.spaceIds), visible: new Set(visible.map(Number)) }
  }
  return rights
}
