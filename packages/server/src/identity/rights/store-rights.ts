import { type RawBuilder, sql } from 'kysely'
import type { Caller, Rank } from '../../access/caller.ts'
import {
  type AccessSubject,
  listRuleRanks,
  memberJoin,
  REVIEW_BITS,
  rankIn,
  readableSince,
} from '../../access/visibility.ts'
import { type Db, queryRows } from '../../platform/database/database.ts'
import { appOfToken, type CredentialRow, SESSION_IDLE, toCaller } from '../credentials/find-caller.ts'

export interface RightsQuestion {
  readonly actor: Caller
  readonly spaceIds: readonly number[]
}

/** The present permissions of a caller. */
export interface Rights {
  readonly actor: Caller
  /** The requested spaces. */
  readonly requested: ReadonlySet<number>
  /** The readable ones of these spaces, each with the time since when it is (milliseconds). */
  readonly visible: ReadonlyMap<number, number>
  /** The caller's ranks in them. */
  readonly ranks: ReadonlyMap<number, Rank>
  /** The caller's rank at a path of one of them, by the nearest folder rule; 0: they cannot read it. */
  rankAt(spaceId: number, path: string): Rank
}

interface RightsRow extends Omit<CredentialRow, 'stale'> {
  readonly n: number
  readonly session_id: string | null
  readonly visible: number[]
  readonly since: number[]
  readonly ranks: Rank[]
  readonly roles: Rank[]
  readonly rules: Readonly<Record<string, Rank>> | null
}

/** The row `holder` as a subject of the access rule: columns instead of values. */
export const HOLDER = {
  principalId: sql`holder.id`,
  ownerId: sql`(case when holder.personal and not holder.guest then holder.id end)`,
  agent: sql`(holder.kind = 'agent')`,
  guest: sql`holder.guest`,
  orgAdmin: sql`(holder.role = 'admin')`,
  maxRank: sql`(case when holder.scopes is null
    or 'admin' = any(holder.scopes) then 3 when 'write' = any(holder.scopes) then 2 else 1 end)`,
  reviewBit: sql`0`,
  spaceIds: sql`holder.space_ids`,
} as unknown as AccessSubject // the rule only puts them into its SQL

/** The row `holder` of a request as one who changes something. */
export const WRITER = {
  ...HOLDER,
  reviewBit: sql`(case when holder.kind = 'agent' or holder.app is not null then ${REVIEW_BITS.agent}
    when holder.key_id is not null and holder.session_id is null then ${REVIEW_BITS.key}
    else ${REVIEW_BITS.person} end)`,
} as unknown as AccessSubject // as above

/** The permissions of many callers, by one statement, in their order: undefined if a key or session has ended. */
export async function findRights(db: Db, questions: readonly RightsQuestion[]): Promise<(Rights | undefined)[]> {
  const rights: (Rights | undefined)[] = questions.map(() => undefined)
  for (const { n, session_id, visible, since, ranks, roles, rules, ...row } of await listRights(db, questions)) {
    const actor = { ...toCaller(row), ...(session_id !== null && { sessionId: session_id }) }
    // bigint[] has no parser of its own: its elements may be text.
    const ids = visible.map(Number)
    rights[n] = {
      actor,
      requested: new Set(questions[n]?.spaceIds),
      visible: new Map(ids.map((id, index) => [id, since[index] ?? Number.NEGATIVE_INFINITY])),
      ranks: new Map(ids.map((id, index) => [id, ranks[index] ?? 0])),
      rankAt: (spaceId, path) => rankByRules(rules, spaceId, path) ?? roles[ids.indexOf(spaceId)] ?? 0,
    }
  }
  return rights
}

/** The rank that the nearest of some rules leaves, which are named `<id of the space>/<prefix>`. */
function rankByRules(rules: RightsRow['rules'], spaceId: number, path: string): Rank | undefined {
  if (!rules) return undefined
  for (let prefix = path; ; prefix = prefix.slice(0, prefix.lastIndexOf('/'))) {
    const rank = rules[`${spaceId}/${prefix}`]
    if (rank !== undefined || !prefix.includes('/')) return rank
  }
}

async function listRights(db: Db, questions: readonly RightsQuestion[]): Promise<RightsRow[]> {
  return queryRows<RightsRow>(db)`
    with ${selectHolders(toRequests(questions))}
    select holder.*, readable.* from holder cross join lateral (
      select coalesce(array_agg(space.id order by space.id), '{}') as visible,
        coalesce(array_agg((extract(epoch from ${readableSince(HOLDER)}) * 1000)::float8 order by space.id),
          '{}') as since,
        coalesce(array_agg(${rankIn(HOLDER)} order by space.id), '{}') as ranks,
        coalesce(array_agg(least(${HOLDER.maxRank}, space_role.rank) order by space.id), '{}') as roles,
        ${listRuleRanks(HOLDER, sql`holder.spaces`)} as rules
      from space ${memberJoin(HOLDER)} where space.id = any(holder.spaces) and ${rankIn(HOLDER)} >= 1
    ) readable`
}

/** The parameter of `selectHolders`. */
export function toRequests(questions: readonly RightsQuestion[]): string {
  const requests = questions.map(({ actor, spaceIds }, n) => ({
    n,
    principal: actor.id,
    key: actor.keyId,
    session: actor.sessionId ?? null,
    token: actor.app?.tokenHash ?? null,
    visitor: actor.visitor !== undefined,
    spaces: spaceIds,
  }))
  return JSON.stringify(requests)
}

/** The rows `holder`: the requests whose credential is still valid, with what it allows now. */
export function selectHolders(requests: string): RawBuilder<unknown> {
  return sql`request as (
      select * from jsonb_to_recordset(${requests}::jsonb)
        as request (n int, principal uuid, key uuid, session uuid, token text, visitor boolean, spaces bigint[])
    ), holder as (
      select request.n, request.spaces, session.id as session_id, api_key.id as key_id,
        coalesce(api_key.scopes, token.scopes) as scopes,
        coalesce(api_key.space_ids, connection.space_ids) as space_ids,
        coalesce(api_key.personal, connection.personal, true) as personal,
        case when connection.id is not null then ${appOfToken}
        end as app, principal.id, principal.name, principal.kind, principal.role, principal.guest
      from request join lateral (
        select id, name, kind, role, guest, disabled_at from principal where id = request.principal
        union all select request.principal, 'Visitor', 'human', 'member', true, null where request.visitor
      ) principal on true
      left join session on session.id = request.session
      left join api_key on api_key.id = request.key
      left join oauth_token token on token.hash = decode(request.token, 'hex') and token.kind = 'AccessToken'
      left join app_connection connection on connection.id = token.connection_id
      where principal.disabled_at is null
        and (request.visitor or request.key is not null or request.session is not null or request.token is not null)
        and (request.token is null or (token.expires_at > now() and connection.ended_at is null))
        and (request.key is null
          or (api_key.id is not null and api_key.revoked_at is null
            and (api_key.expires_at is null or api_key.expires_at > now())))
        and (request.session is null
          or (session.expires_at > now() and session.last_seen_at > now() - ${SESSION_IDLE}::interval))
    )`
}
