import { sql } from 'kysely'
import type { Static } from 'typebox'
import { actorJson } from '../../access/authors.ts'
import type { Actor, Role } from '../../access/caller.ts'
import { type AccessSubject, visibleSpaces } from '../../access/visibility.ts'
import { andAfter, type Keyset } from '../../platform/database/conditions.ts'
import { type Db, queryRow, queryRows, queryValue } from '../../platform/database/database.ts'
import type { RowFor } from '../../platform/database/rows.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import type { Position } from '../../platform/http/paging.ts'
import type { memberSchema, spaceGroupSchema } from './schema.ts'

type MemberRow = RowFor<Static<typeof memberSchema>>

interface MemberAddress {
  readonly spaceId: number
  readonly principalId: string
}

interface CandidateRow extends Pick<MemberRow, 'principal'> {
  readonly id: string
  readonly sort_name: string
  readonly match: 'name' | 'email'
  readonly role: Role | null
  readonly guest: boolean
}

/** A group that could get a role in a space, with the present one. */
export type GroupCandidate = Pick<SpaceGroupRow, 'group'> & { readonly role: Role | null }

/** Members of a space in the order of their ids. */
export async function listMembers(db: Db, window: Keyset & { readonly spaceId: number }): Promise<MemberRow[]> {
  return queryRows<MemberRow>(db)`
    select ${actorJson('principal')} as principal, member.role, member.created_at
    from space_member member join principal on principal.id = member.principal_id
    where member.space_id = ${window.spaceId} ${andAfter(sql`member.principal_id`, window)}
    order by member.principal_id limit ${window.limit}`
}

/** Sets the role of a member of a locked space and returns the previous one. The same role changes nothing. */
export async function putMember(
  tx: Pick<Tx, 'db'>,
  { spaceId, principalId, role, now }: MemberAddress & { readonly role: Role; readonly now: Date },
): Promise<Omit<MemberRow, 'principal'> & { readonly before: Role | null }> {
  const row = await queryRow<Omit<MemberRow, 'principal'> & { before: Role | null }>(tx.db)`
    with known as (select role from space_member where space_id = ${spaceId} and principal_id = ${principalId})
    insert into space_member (space_id, principal_id, role, created_at)
    values (${spaceId}, ${principalId}, ${role}, ${now})
    on conflict (space_id, principal_id) do update set role = excluded.role
    returning role, created_at, (select role from known) as before`
  if (!row) throw new Error('the statement has one row')
  return row
}

/** A principal whom the caller may know; `isMember`: whether the caller knows the members of the organisation. */
export async function findListed(
  db: Db,
  subject: AccessSubject,
  { id, isMember }: { readonly id: string; readonly isMember: boolean },
): Promise<Actor | undefined> {
  return queryValue<Actor | undefined>(db, undefined)`
    select ${actorJson('principal')} as person from principal
    where id = coalesce((select merged_into from principal where id = ${id}), ${id}::uuid)
      and (id = ${subject.principalId}::uuid or ${isMember} and not guest or not ${subject.guest}::boolean and exists (
        select from space_member member where member.principal_id = principal.id and member.space_id in ${visibleSpaces(subject)}
      ))`
}

/** Removes a member and returns it; undefined if there was none. */
export async function deleteMember(
  tx: Pick<Tx, 'db'>,
  member: MemberAddress,
): Promise<Omit<MemberRow, 'created_at'> | undefined> {
  return queryRow<Omit<MemberRow, 'created_at'>>(tx.db)`
    delete from space_member member using principal
    where member.space_id = ${member.spaceId} and member.principal_id = ${member.principalId} and principal.id = member.principal_id
    returning ${actorJson('principal')} as principal, member.role`
}

/**
 * Principals whose names contain a text, case-insensitively, or with an e-mail address, by name. Guests are in no list
 * of people elsewhere, except for those who may see `allGuests`.
 */
export async function listCandidates(
  db: Db,
  search: {
    readonly spaceId: number
    readonly name: string
    readonly email: string | undefined
    readonly after: Position | undefined
    readonly limit: number
    readonly allGuests?: boolean
    readonly onlyGuests?: boolean
  },
): Promise<CandidateRow[]> {
  const { spaceId, name, email = null, after, limit, allGuests = false, onlyGuests = false } = search
  const isAfter = after ? sql`(lower(principal.name), principal.id) > (${after[0]}, ${after[1]}::uuid)` : sql`true`
  return queryRows<CandidateRow>(db)`
    select ${actorJson('principal')} as principal, principal.id, lower(principal.name) as sort_name, member.role, principal.guest,
      case when principal.email = ${email} then 'email' else 'name' end as match
    from principal left join space_member member on member.space_id = ${spaceId} and member.principal_id = principal.id
    where principal.disabled_at is null and ${isAfter}
      and (not principal.guest or member.role is not null or principal.email = ${email} or ${allGuests}
        or exists (select from folder_rule_entry entry join folder_rule rule on rule.id = entry.rule_id
          where rule.space_id = ${spaceId} and entry.principal_id = principal.id))
      and (principal.guest or not ${onlyGuests})
      and (position(lower(${name}) in lower(principal.name)) > 0 or principal.email = ${email})
    order by lower(principal.name), principal.id limit ${limit}`
}

type SpaceGroupRow = RowFor<Static<typeof spaceGroupSchema>>

interface Address {
  readonly spaceId: number
  readonly groupId: string
}

const GROUP = sql`json_build_object('id', principal_group.id, 'name', principal_group.name)`

/** The groups with a role in a space, in the order of their ids. */
export async function listSpaceGroups(db: Db, window: Keyset & { readonly spaceId: number }): Promise<SpaceGroupRow[]> {
  return queryRows<SpaceGroupRow>(db)`
    select ${GROUP} as group, given.role, given.created_at
    from space_group given join principal_group on principal_group.id = given.group_id
    where given.space_id = ${window.spaceId} ${andAfter(sql`given.group_id`, window)}
    order by given.group_id limit ${window.limit}`
}

/** Sets the role of a group in a locked space and returns the previous one; undefined if there is no such group. */
export async function putSpaceGroup(
  tx: Pick<Tx, 'db'>,
  { spaceId, groupId, role, now }: Address & { readonly role: Role; readonly now: Date },
): Promise<(SpaceGroupRow & { readonly before: Role | null }) | undefined> {
  return queryRow<SpaceGroupRow & { before: Role | null }>(tx.db)`
    with known as (select role from space_group where space_id = ${spaceId} and group_id = ${groupId}),
    put as (
      insert into space_group (space_id, group_id, role, created_at)
      select ${spaceId}, id, ${role}, ${now} from principal_group where id = ${groupId}
      on conflict (space_id, group_id) do update set role = excluded.role
      returning group_id, role, created_at
    )
    select ${GROUP} as group, put.role, put.created_at, (select role from known) as before
    from put join principal_group on principal_group.id = put.group_id`
}

/** Removes the role of a group and returns it; undefined if it had none. */
export async function deleteSpaceGroup(
  tx: Pick<Tx, 'db'>,
  { spaceId, groupId }: Address,
): Promise<Omit<SpaceGroupRow, 'created_at'> | undefined> {
  return queryRow<Omit<SpaceGroupRow, 'created_at'>>(tx.db)`
    delete from space_group given using principal_group
    where given.space_id = ${spaceId} and given.group_id = ${groupId} and principal_group.id = given.group_id
    returning ${GROUP} as group, given.role`
}

/** Groups whose names contain a text, case-insensitively, by name, with their role in a space. */
export async function listGroupCandidates(
  db: Db,
  input: { readonly spaceId: number; readonly name: string; readonly limit: number },
): Promise<GroupCandidate[]> {
  return queryRows<GroupCandidate>(db)`
    select ${GROUP} as group, given.role
    from principal_group
      left join space_group given on given.space_id = ${input.spaceId} and given.group_id = principal_group.id
    where position(lower(${input.name}) in lower(principal_group.name)) > 0
    order by lower(principal_group.name), principal_group.id limit ${input.limit}`
}
