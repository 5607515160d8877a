import { type RawBuilder, sql } from 'kysely'
import { type Caller, scopeRank } from './caller.ts'

/** The properties of a caller that the access rule needs: values, or bind parameters of a prepared statement. */
export interface AccessSubject {
  readonly principalId: string
  /** The owner of the only personal space that is accessible; null: none is. */
  readonly ownerId: string | null
  readonly agent: boolean
  readonly orgAdmin: boolean
  readonly maxRank: number
  readonly spaceIds: readonly number[] | null
}

/** The subject of the access rule for a caller. */
export function toAccessSubject(caller: Caller): AccessSubject {
  return {
    principalId: caller.id,
    ownerId: caller.personal ? caller.id : null,
    agent: caller.kind === 'agent',
    orgAdmin: caller.orgRole === 'admin',
    maxRank: scopeRank(caller.scope),
    spaceIds: caller.spaceIds,
  }
}

/**
 * The access rule (decisions, section 6) as an SQL expression, the only definition of it: the caller's rank in the
 * row `space`, 0 for no access. Needs `memberJoin` in the same statement. A personal space is accessible to its
 * owner only. In a shared space an organisation admin is an admin; others have the highest of their membership, the
 * roles of their groups and the default role of the space.
 */
export function rankIn(subject: AccessSubject): RawBuilder<number> {
  return sql<number>`case
    when space.id <> all(${subject.spaceIds}::bigint[]) then 0
    else least(${subject.maxRank}::int, case
      when space.kind = 'personal' then case when space.owner_id = ${subject.ownerId}::uuid then 3 else 0 end
      when ${subject.orgAdmin}::boolean or member.role = 'admin' then 3
      else greatest(
        case member.role when 'editor' then 2 when 'viewer' then 1 else 0 end,
        ${groupRank(subject)},
        case when space.visibility <> 'org' then 0 when space.default_role = 'editor' and not ${subject.agent}::boolean then 2 else 1 end)
    end)
  end`
}

/**
 * The highest rank that groups of the caller have in the row `space`; null: none. The ids of the groups are read once
 * for a statement, into a hash table (`is true` keeps the planner from a join), in which the groups of each space are
 * looked up: the cost does not grow with the groups of the caller. Without groups the spaces are not looked up.
 */
function groupRank({ principalId }: AccessSubject): RawBuilder<number | null> {
  const groups = sql`select group_member.group_id from group_member where group_member.principal_id = ${principalId}`
  return sql<number | null>`case when exists (${groups}) then (
          select max(case space_group.role when 'admin' then 3 when 'editor' then 2 else 1 end) from space_group
          where space_group.space_id = space.id and (space_group.group_id in (${groups})) is true) end`
}

/** The caller's membership of the row `space`, as row `member`. */
export function memberJoin(subject: AccessSubject): RawBuilder<unknown> {
  return sql`left join space_member member on member.space_id = space.id and member.principal_id = ${subject.principalId}`
}

/**
 * Since when the caller can read the row `space`: as a member, by a group, or since it was opened to the organisation.
 * For a space that they can read; needs `memberJoin`.
 */
export function readableSince({ principalId, orgAdmin }: AccessSubject): RawBuilder<Date> {
  return sql<Date>`case when space.kind = 'personal' or ${orgAdmin}::boolean then '-infinity'::timestamptz
    else least(member.created_at,
      case when space.visibility = 'org' then coalesce(space.opened_at, '-infinity'::timestamptz) end,
      (select min(greatest(group_member.created_at, space_group.created_at)) from space_group
        join group_member on group_member.group_id = space_group.group_id
        where space_group.space_id = space.id and group_member.principal_id = ${principalId})) end`
}

/** The ids of every space that the caller can read, as a subquery: personal ones only to their owner. */
export function visibleSpaces(subject: AccessSubject): RawBuilder<unknown> {
  return sql`(select space.id from space ${memberJoin(subject)} where ${rankIn(subject)} >= 1)`
}

/** The form of a space address: `personal` is always the caller's own. */
export type SpaceAddress = 'slug' | 'personal'

/** The condition that selects the row `space`; each form uses a unique index. */
export function addressed(address: SpaceAddress, subject: AccessSubject, slug: string): RawBuilder<boolean> {
  return address === 'personal'
    ? sql<boolean>`space.owner_id = ${subject.principalId}`
    : sql<boolean>`space.slug = ${slug}`
}

/** The form of a space address. */
export function toSpaceAddress(slug: string): SpaceAddress {
  return slug === 'personal' ? 'personal' : 'slug'
}

/** One space as such a subquery, after the access check. */
export function onlySpace(id: number): RawBuilder<unknown> {
  return sql`(select ${id}::bigint)`
}
