import { type RawBuilder, sql } from 'kysely'
import { type Caller, scopeRank } from './caller.ts'

/** What the rule needs to know of a caller. Values, or stand-ins for them in a prepared statement. */
export interface AccessSubject {
  readonly principalId: string
  readonly agent: boolean
  readonly orgAdmin: boolean
  readonly maxRank: number
  readonly spaceIds: readonly number[] | null
}

/** The caller as the rule sees it. */
export function accessSubjectOf(caller: Caller): AccessSubject {
  return {
    principalId: caller.id,
    agent: caller.kind === 'agent',
    orgAdmin: caller.orgRole === 'admin',
    maxRank: scopeRank(caller.scope),
    spaceIds: caller.spaceIds,
  }
}

/**
 * The one rule of who may do what (decisions, section 6), as an SQL expression: the caller's rank in the space of row
 * `s`, 0 for nobody. Needs `memberJoin` beside it. A personal space is its owner's alone. In a shared space an
 * organisation admin is an admin; others have the better of their membership and what the space gives to everybody.
 */
export function rankIn(sight: AccessSubject): RawBuilder<number> {
  return sql<number>`case
    when s.id <> all(${sight.spaceIds}::bigint[]) then 0
    else least(${sight.maxRank}::int, case
      when s.kind = 'personal' then case when s.owner_id = ${sight.principalId} then 3 else 0 end
      when ${sight.orgAdmin}::boolean then 3
      else greatest(
        case m.role when 'admin' then 3 when 'editor' then 2 when 'viewer' then 1 else 0 end,
        case when s.visibility <> 'org' then 0 when s.default_role = 'editor' and not ${sight.agent}::boolean then 2 else 1 end)
    end)
  end`
}

/** The caller's membership of the space `s`, as row `m`. */
export function memberJoin(sight: AccessSubject): RawBuilder<unknown> {
  return sql`left join space_member m on m.space_id = s.id and m.principal_id = ${sight.principalId}`
}

/** The ids of every space that the caller can read, as a subquery: personal ones only to their owner. */
export function visibleSpaces(sight: AccessSubject): RawBuilder<unknown> {
  return sql`(select s.id from space s ${memberJoin(sight)} where ${rankIn(sight)} >= 1)`
}

/** Which space an address means: `personal` is always the caller's own. */
export type SpaceAddress = 'slug' | 'personal'

/** The condition that picks the addressed space as row `s`; each form is served by a unique index. */
export function addressed(address: SpaceAddress, sight: AccessSubject, slug: string): RawBuilder<boolean> {
  return address === 'personal'
    ? sql<boolean>`s.owner_id = ${sight.principalId}`
    : sql<boolean>`s.slug = ${slug}`
}

/** The form of an address by its slug. */
export function spaceAddressOf(slug: string): SpaceAddress {
  return slug === 'personal' ? 'personal' : 'slug'
}

/** One space as such a subquery, for a caller who was found to see it. */
export function onlySpace(id: number): RawBuilder<unknown> {
  return sql`(select ${id}::bigint)`
}
