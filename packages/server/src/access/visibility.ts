import { type RawBuilder, sql } from 'kysely'
import { type Caller, scopeRank } from './caller.ts'

/** The properties of a caller that the access rule needs: values, or bind parameters of a prepared statement. */
export interface AccessSubject {
  readonly principalId: string
  /** The owner of the only personal space that is accessible; null: none is. */
  readonly ownerId: string | null
  readonly agent: boolean
  /** Whether only what names the caller, or is public, is accessible. */
  readonly guest: boolean
  readonly orgAdmin: boolean
  readonly maxRank: number
  /** The bit of \`space.reviewed\` for what the caller changes; 0: it is reviewed already. */
  readonly reviewBit: number
  readonly spaceIds: readonly number[] | null
  /** Whether each of many callers is compared with one space: their own groups are fewer than those of the space. */
  readonly isOneOfMany?: boolean
}

/** The subject of the access rule for a caller. */
export function toAccessSubject(caller: Caller): AccessSubject {
  return {
    principalId: caller.id,
    ownerId: caller.personal && !caller.guest ? caller.id : null,
    agent: caller.kind === 'agent',
    guest: caller.guest,
    orgAdmin: caller.orgRole === 'admin',
    maxRank: scopeRank(caller.scope),
    reviewBit: toReviewBit(caller),
    spaceIds: caller.spaceIds,
  }
}

/** Apps count as agents; the space decides as whose changes those by a person's key count. */
function toReviewBit({ kind, app, keyId, sessionId, merges }: Caller): number {
  if (merges) return 0
  if (kind === 'agent' || app) return REVIEW_BITS.agent
  return keyId === null || sessionId !== undefined ? REVIEW_BITS.person : REVIEW_BITS.key
}

/** The bits of `space.reviewed`. */
export const REVIEW_BITS = { person: 1, key: 2, agent: 4 } as const

/*
 * The access rule (decisions, sections 6 and 17) as SQL expressions: this file is the only definition of it. A caller
 * has a role in a space. At a place of the space (the path of a page or file) the nearest folder rule caps it. The
 * rank is what remains with the scope of the credential.
 *
 * Statements about one address join `ruleJoin` and select `rankAt`. Those about many rows select the spaces by
 * `visibleSpaces`, and from them the places by `isVisible`. `isReadable` is both.
 */

/**
 * What a caller can read: the ids of the spaces, and the places that folder rules hide there. As values, the planner
 * knows how many rows they have.
 */
export interface ReadableParts {
  readonly spaceIds: readonly number[]
  /** The text of `joinHidden`; null: none. */
  readonly hidden: string | null
}

/** In place of a subject, in a statement that begins with `readableTables` or `materializeReadable`. */
export const READABLE_TABLES = Symbol('readableTables')
export type ListSubject = AccessSubject | typeof READABLE_TABLES

/**
 * The tables `seen` and `hidden`: what the caller can read. A statement that asks at many places takes longer to plan
 * than to run if each of them has the rule in full.
 */
export function readableTables({ spaceIds, hidden }: ReadableParts): RawBuilder<unknown> {
  return sql`seen as materialized (select unnest(${spaceIds}::bigint[]) as id),
    hidden as materialized (select ${hidden}::place_multirange as places)`
}

/** The same tables, read by the statement itself: for one that is planned once. */
export function materializeReadable(subject: AccessSubject): RawBuilder<unknown> {
  return sql`seen as materialized ${visibleSpaces(subject)},
    hidden as materialized (select ${hiddenPlaces(subject)} as places)`
}

/** The groups of the caller. They are read once for a statement, into a hash table. */
function groups({ principalId }: AccessSubject): RawBuilder<unknown> {
  return sql`(select group_member.group_id from group_member where group_member.principal_id = ${principalId})`
}

/**
 * The caller's role in the row `space`, from 0 (none) to 3 (admin). A personal space is accessible to its owner only.
 * In a shared space an organisation admin is an admin; others have the highest of their membership, the roles of their
 * groups and what the visibility of the space gives.
 */
function roleIn(subject: AccessSubject): RawBuilder<number> {
  return sql<number>`case
    when space.id <> all(${subject.spaceIds}::bigint[]) then 0
    when space.kind = 'personal' then case when space.owner_id = ${subject.ownerId}::uuid then 3 else 0 end
    when ${subject.orgAdmin}::boolean or member.role = 'admin' then 3
    else greatest(
      case member.role when 'editor' then 2 when 'viewer' then 1 else 0 end,
      ${groupRank(subject)},
      case when space.visibility = 'private' then 0
        when ${subject.guest}::boolean then case when space.visibility = 'public' then 1 else 0 end
        when space.default_role = 'editor' and not ${subject.agent}::boolean then 2 else 1 end)
  end`
}

/**
 * The highest rank that groups of the caller have in the row `space`; null: none. The groups of each space are looked
 * up in those of the caller (`is true` keeps the planner from a join): the cost does not grow with the latter. Without
 * groups the spaces are not looked up.
 */
function groupRank(subject: AccessSubject): RawBuilder<number | null> {
  const isOwn =
    subject.isOneOfMany === true
      ? sql`space_group.group_id = any(array${groups(subject)})`
      : sql`(space_group.group_id in ${groups(subject)}) is true`
  return sql<number | null>`case when exists ${groups(subject)} then (
          select max(case space_group.role when 'admin' then 3 when 'editor' then 2 else 1 end) from space_group
          where space_group.space_id = space.id and ${isOwn}) end`
}

/** The rows `member` and `space_role`: the caller's membership of the row `space`, and the role there. */
export function memberJoin(subject: AccessSubject): RawBuilder<unknown> {
  return sql`left join space_member member on member.space_id = space.id
    and member.principal_id = ${subject.principalId}
    cross join lateral (select ${roleIn(subject)} as rank offset 0) space_role`
}

/**
 * The caller's rank in the row `space`, 0 for no access; guests of folders are viewers. Needs `memberJoin`. It does not
 * tell what the caller may do at a place of the space: `rankAt` and `isVisible` do.
 */
export function rankIn(subject: AccessSubject): RawBuilder<number> {
  return sql<number>`least(${subject.maxRank}::int, case
    when space_role.rank > 0 or not ${subject.guest}::boolean or space.id <> all(${subject.spaceIds}::bigint[])
    then space_role.rank
    when exists (select from folder_rule rule join ${listings(subject)} on listing.rule_id = rule.id
      where rule.space_id = space.id) then 1
    else 0 end)`
}

/** The row `listing` for each rule whose lists have the caller: whether they let read (always), and write. */
function listings(subject: AccessSubject): RawBuilder<unknown> {
  return sql`(select access.rule_id, bool_or(access.right_bit = 1) as reads, bool_or(access.right_bit = 2) as writes
    from folder_access access
    where access.principal_id = ${subject.principalId} or (access.group_id in ${groups(subject)}) is true
    group by access.rule_id) listing`
}

/** The same for the row `rule` alone, by two ranges of an index: it takes no longer for long lists, or many rules. */
function listingInRule(subject: AccessSubject): RawBuilder<unknown> {
  const own = sql`select right_bit from folder_access where rule_id = rule.id and principal_id = ${subject.principalId}`
  return sql`(select bool_or(access.right_bit = 1) as reads, bool_or(access.right_bit = 2) as writes
    from (${own} union all select right_bit from folder_access where rule_id = rule.id and principal_id is null
      and group_id = any(array${groups(subject)})
    ) access) listing`
}

/** The rank that the row `rule`, with `listing`, leaves of the role in the row `space_role`. */
function rankUnderRule(subject: AccessSubject): RawBuilder<number> {
  const guest = sql`(${subject.guest}::boolean and (space.id <> all(${subject.spaceIds}::bigint[])) is not true)`
  return sql<number>`case
    when space_role.rank = 3 then 3
    when not coalesce(space_role.rank >= 1 and (rule.opens_read or listing.reads) or ${guest}
      and listing.reads, false) then 0
    when coalesce(space_role.rank >= 2 and (rule.opens_write or listing.writes) or ${guest}
      and listing.writes, false) then 2
    else 1 end`
}

/**
 * Joins the row `place_rule`: the prefix of the nearest folder rule at a path of the row `space`, whether it narrows
 * reading, and the rank that it leaves, if there is a rule. Needs `memberJoin`.
 */
export function ruleJoin(subject: AccessSubject, path: unknown): RawBuilder<unknown> {
  return sql`left join lateral (
    select ${rankUnderRule(subject)} as rank, rule.prefix, rule.opens_read
    from ${nearestRule(path)} rule cross join lateral ${listingInRule(subject)}
  ) place_rule on true`
}

/** The folder rule that decides at a path of the row `space`; without rules nothing is made of the path. */
function nearestRule(path: unknown): RawBuilder<unknown> {
  return sql`(select nearest.id, nearest.prefix, nearest.opens_read, nearest.opens_write from folder_rule nearest
    where nearest.space_id = space.id and nearest.prefix = any(case
      when exists (select from folder_rule other where other.space_id = space.id) then path_prefixes(${path}) end)
    order by length(nearest.prefix) desc limit 1)`
}

/** Whether another folder rule decides at a path of the row `space` than at that of `ruleJoin`. */
export function hasOtherRule(path: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(select rule.prefix from ${nearestRule(path)} rule) is distinct from place_rule.prefix`
}

/** Whether no folder rule of its space narrows who reads a path: whoever reads the space does so there. */
export function isOpen(space: number, spaceId: string, path: string): RawBuilder<boolean> {
  const narrowPlaces = sql`(select range_agg(rule.places) from folder_rule rule
    where rule.space_id = ${space} and not rule.opens_read)`
  return isNotIn(narrowPlaces, spaceId, path)
}

/** Whether no folder rule narrows who reads a path, but those that also decide about `from` or a folder of it. */
export function isAsOpenAs(from: string, space: number, spaceId: string, path: string): RawBuilder<boolean> {
  const narrowPlaces = sql`(select range_agg(rule.places) from folder_rule rule
    where rule.space_id = ${space} and not rule.opens_read and rule.prefix <> all(path_prefixes(${from})))`
  return isNotIn(narrowPlaces, spaceId, path)
}

/** Whether the path of `ruleJoin` has a rule of its own that narrows reading. */
export function isRestricted(path: string): RawBuilder<boolean> {
  return sql<boolean>`coalesce(place_rule.prefix = ${path} and not place_rule.opens_read, false)`
}

/** The caller's rank at the path of `ruleJoin`, 0 for no access; no whole number where a review comes first. */
export function rankAt(subject: AccessSubject): RawBuilder<number> {
  return withReview(subject, sql`least(${subject.maxRank}::int, coalesce(place_rule.rank, space_role.rank))`)
}

/** A rank in the row `space` with what it says of reviews. */
export function withReview({ reviewBit }: AccessSubject, rank: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(${rank} * case when space.reviewed & ${reviewBit}::int = 0 then 1 else 1.25 end)::float8`
}

/**
 * The places that folder rules hide from the caller in spaces that they can read: `<id of the space>/<path>`. The
 * expression depends on no row of the statement, so that it is evaluated once.
 */
export function hiddenPlaces(subject: ListSubject): RawBuilder<unknown> {
  if (subject === READABLE_TABLES) return sql`(select places from hidden)`
  return sql`(select range_agg(hidden.places) from ${hiddenInSpaces(subject)} hidden)`
}

/** The caller's ranks at the folder rules of some spaces, by `<id of the space>/<prefix>`; null: no rules. */
export function listRuleRanks(subject: AccessSubject, spaceIds: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select jsonb_object_agg(rule.space_id || '/' || rule.prefix,
    least(${subject.maxRank}::int, ${rankUnderRule(subject)}))
    from folder_rule rule left join ${listings(subject)} on listing.rule_id = rule.id
    join space on space.id = rule.space_id ${memberJoin(subject)} where rule.space_id = any(${spaceIds}))`
}

/** Whether no folder rule hides a path from a caller who can read its space. What has no path is never hidden. */
export function isVisible(
  subject: ListSubject,
  spaceId: string,
  path: string | RawBuilder<unknown>,
): RawBuilder<boolean> {
  return isNotIn(hiddenPlaces(subject), spaceId, path)
}

/** Whether folder rules hide some place of a space from the caller. For spaces that they can read. */
export function hidesIn(subject: AccessSubject, spaceId: number): RawBuilder<boolean> {
  return sql<boolean>`coalesce(${hiddenPlaces(subject)} && ${allPlaces(sql`${spaceId}::bigint`)}, false)`
}

/** Whether no folder rule hides a page, by its id, from a caller who can read its space. */
export function isPageVisible(subject: ListSubject, spaceId: string, pageId: string): RawBuilder<boolean> {
  return isPageNotIn(hiddenPlaces(subject), spaceId, pageId)
}

/** Whether the caller can read a path of a space, for few rows: of each the nearest rule is looked up. */
export function isReadableAt(subject: AccessSubject, spaceId: string, path: string): RawBuilder<boolean> {
  return sql<boolean>`coalesce((select ${rankAt(subject)} >= 1 from space ${memberJoin(subject)}
    ${ruleJoin(subject, sql.ref(path))} where space.id = ${sql.ref(spaceId)}), false)`
}

/** Whether the caller can read a path of a space. */
export function isReadable(subject: ListSubject, spaceId: string, path: string): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(spaceId)} in ${visibleSpaces(subject)} and ${isVisible(subject, spaceId, path)})`
}

/**
 * Since when the caller can read something of the row `space`: as a member, by a group, as a guest of a folder, or
 * since it was opened to the organisation. For a space that they can read; needs `memberJoin`.
 */
export function readableSince(subject: AccessSubject): RawBuilder<Date> {
  const { principalId, guest, orgAdmin } = subject
  return sql<Date>`case when space.kind = 'personal' or ${orgAdmin}::boolean then '-infinity'::timestamptz
    else least(member.created_at,
      case when space.visibility <> 'private' then coalesce(space.opened_at, '-infinity'::timestamptz) end,
      (select min(greatest(group_member.created_at, space_group.created_at)) from space_group
        join group_member on group_member.group_id = space_group.group_id
        where space_group.space_id = space.id and group_member.principal_id = ${principalId}),
      case when ${guest}::boolean then (select min(rule.created_at) from folder_rule rule
        join ${listings(subject)} on listing.rule_id = rule.id where rule.space_id = space.id) end) end`
}

/** The ids of every space that the caller can read something of, as a subquery: personal ones only to their owner. */
export function visibleSpaces(subject: ListSubject): RawBuilder<unknown> {
  if (subject === READABLE_TABLES) return sql`(select id from seen)`
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

export function toSpaceAddress(slug: string): SpaceAddress {
  return slug === 'personal' ? 'personal' : 'slug'
}

/** One space as such a subquery, after the access check. */
export function onlySpace(id: number): RawBuilder<unknown> {
  return sql`(select ${id}::bigint)`
}

/**
 * The places that folder rules hide from the caller in each space that they can read: `<id of the space>/<path>`. The
 * role is decided once for a space, and of one where the caller is an admin no rule is read.
 */
function hiddenInSpaces(subject: AccessSubject): RawBuilder<unknown> {
  return sql`(
    select space.id as space_id, place.places
    from (select distinct space_id from folder_rule) ruled
    join space on space.id = ruled.space_id ${memberJoin(subject)}
    cross join lateral (
      select case when space_role.rank >= 1 then range_agg(rule.places) filter (where ${rankUnderRule(subject)} = 0)
        else ${allPlaces(sql`space.id`)} -
          coalesce(range_agg(rule.places) filter (where ${rankUnderRule(subject)} >= 1), '{}') end as places
      from folder_rule rule left join ${listings(subject)} on listing.rule_id = rule.id where rule.space_id = space.id
    ) place
    where space_role.rank < 3 and (space_role.rank >= 1 or ${subject.guest}::boolean))`
}

/**
 * Joins `hidden.places` to the row `space`; null: nothing is hidden there. As a text it is a value for `isOutside` and
 * `isPageOutside` of later statements, which are planned and run without the rules.
 */
export function hiddenJoin(subject: AccessSubject): RawBuilder<unknown> {
  return sql`left join ${hiddenInSpaces(subject)} hidden on hidden.space_id = space.id`
}

/** The texts of `hiddenJoin` of several spaces as one; null: nothing is hidden. */
export function joinHidden(spaces: readonly { readonly hidden: string | null }[]): string | null {
  const texts = spaces.flatMap(({ hidden }) => (hidden === null ? [] : hidden.slice(1, -1)))
  return texts.length === 0 ? null : `{${texts.join(',')}}`
}

/** A folder of each space as a hidden place, so that a query leaves it out by the plans for hidden places. */
export function placesInFolder(folder: string, spaceIds: readonly number[]): { hidden: string }[] {
  return spaceIds.map((id) => ({ hidden: `{[${id}/${folder}/,${id}/${folder}0)}` })) // `0` is the character after `/`
}

/** The hidden places of each space that has some, as rows `space_id`, `places`. */
export function hiddenBySpace(hidden: string): RawBuilder<unknown> {
  return sql`(select split_part(lower(range), '/', 1)::bigint as space_id, range_agg(range) as places
    from unnest(${hidden}::place_multirange) range group by 1)`
}

/** Whether a path is at none of the hidden places. */
export function isOutside(hidden: string | null, spaceId: string, path: string): RawBuilder<boolean> {
  return hidden === null ? sql<boolean>`true` : isNotIn(sql`${hidden}::place_multirange`, spaceId, path)
}

/** Whether a page is at none of them. It is not read where its space has none. */
export function isPageOutside(hidden: string | null, spaceId: string, pageId: string): RawBuilder<boolean> {
  if (hidden === null) return sql<boolean>`true`
  return sql<boolean>`(${sql.ref(spaceId)} <> all(array(select space_id from ${hiddenBySpace(hidden)} hidden))
    or ${isPageNotIn(sql`${hidden}::place_multirange`, spaceId, pageId)})`
}

/**
 * The rows `first` and `last`: ranges of paths at some places of the space `id`, for an index. That the place of a path
 * between them is one of these has to be asked, too: a range may end before its last path.
 */
export function pathRanges(places: RawBuilder<unknown>, id: RawBuilder<unknown>): RawBuilder<unknown> {
  const path = (place: RawBuilder<unknown>) => sql`substr(${place}, length(${id}::text) + 2)`
  return sql`(select ${path(sql`lower(range)`)} collate "C" as first,
    coalesce(nullif(${path(sql`upper(range)`)}, ''), chr(1114111)) collate "C" as last from unnest(${places}) range)`
}

/** All places of the space `id`. */
export function allPlaces(id: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`place_multirange(place_range(${id} || '/', ${id} || '0'))`
}

/** Whether a path is at none of some places. A statement that asks several times names `hiddenPlaces` once. */
export function isNotIn(
  places: RawBuilder<unknown>,
  spaceId: string,
  path: string | RawBuilder<unknown>,
): RawBuilder<boolean> {
  const place = sql`(${sql.ref(spaceId)}::text || '/' || ${typeof path === 'string' ? sql.ref(path) : path})`
  return sql<boolean>`(${place} <@ ${places}) is not true`
}

/** A subquery for each row and no join: the planner would read all pages for it. */
function isPageNotIn(places: RawBuilder<unknown>, spaceId: string, pageId: string): RawBuilder<boolean> {
  return sql<boolean>`case when ${places} is null then true else (
    select ${isNotIn(places, 'placed.space_id', 'placed.path')} from page placed
    where placed.space_id = ${sql.ref(spaceId)} and placed.id = ${sql.ref(pageId)}) is true end`
}
