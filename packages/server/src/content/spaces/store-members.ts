import { sql } from 'kysely'
import { actorJson } from '../../access/authors.ts'
import type { Actor, Role } from '../../access/caller.ts'
import { type AccessSubject, visibleSpaces } from '../../access/visibility.ts'
import { andAfter, type Keyset } from '../../platform/database/conditions.ts'
import { type Db, queryRow, queryRows, queryValue } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import type { Position } from '../../platform/http/paging.ts'
import type { SpaceGroup } from './schema.ts'

/** Who can have a role in a space. */
export type HolderKind = 'principal' | 'group'

interface Holder {
  readonly kind: HolderKind
  readonly spaceId: number
  readonly id: string
}

export interface RoleRow {
  readonly holder: Actor & SpaceGroup['group']
  readonly role: Role
  readonly created_at: Date
}

const GROUP = sql`json_build_object('id', holder.id, 'name', holder.name)`

const KINDS = {
  principal: { roles: sql.table('space_member'), holders: sql.table('principal'), holder: actorJson('holder') },
  group: { roles: sql.table('space_group'), holders: sql.table('principal_group'), holder: GROUP },
} as const

interface CandidateRow {
  readonly principal: Actor
  readonly id: string
  readonly sort_name: string
  readonly match: 'name' | 'email'
  readonly role: Role | null
  readonly guest: boolean
}

/** A group that could get a role in a space, with the present one. */
export type GroupCandidate = Pick<SpaceGroup, 'group'> & { readonly role: Role | null }

/** The roles of principals or groups in a space, in the order of their ids. */
export async function listRoles(
  db: Db,
  kind: HolderKind,
  window: Keyset & { readonly spaceId: number },
): Promise<RoleRow[]> {
  const { roles, holders, holder } = KINDS[kind]
  return queryRows<RoleRow>(db)`
    select ${holder} as holder, given.role, given.created_at
    from ${roles} given join ${holders} holder on holder.id = given.${sql.ref(`${kind}_id`)}
    where given.space_id = ${window.spaceId} ${andAfter(sql`holder.id`, window)}
    order by holder.id limit ${window.limit}`
}

/** Sets a role in a locked space and returns the previous one; undefined if there is nobody to have it. */
export async function putRole(
  tx: Pick<Tx, 'db'>,
  { kind, spaceId, id, role, now }: Holder & { readonly role: Role; readonly now: Date },
): Promise<(RoleRow & { readonly before: Role | null }) | undefined> {
  const { roles, holders, holder } = KINDS[kind]
  const column = sql.ref(`${kind}_id`)
  return queryRow<RoleRow & { before: Role | null }>(tx.db)`
    with known as (select role from ${roles} where space_id = ${spaceId} and ${column} = ${id}),
    put as (
      insert into ${roles} (space_id, ${column}, role, created_at)
      select ${spaceId}, id, ${role}, ${now} from ${holders} where id = ${id}
      on conflict (space_id, ${column}) do update set role = excluded.role
      returning ${column} as id, role, created_at
    )
    select ${holder} as holder, put.role, put.created_at, (select role from known) as before
    from put join ${holders} holder on holder.id = put.id`
}

/** Removes a role and returns it; undefined if there was none. */
export async function deleteRole(
  tx: Pick<Tx, 'db'>,
  { kind, spaceId, id }: Holder,
): Promise<Omit<RoleRow, 'created_at'> | undefined> {
  const { roles, holders, holder } = KINDS[kind]
  return queryRow<Omit<RoleRow, 'created_at'>>(tx.db)`
    delete from ${roles} given using ${holders} holder
    where given.space_id = ${spaceId} and given.${sql.ref(`${kind}_id`)} = ${id} and holder.id = ${id}
    returning ${holder} as holder, given.role`
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
        select from space_member member where member.principal_id = principal.id
          and member.space_id in ${visibleSpaces(subject)}
      ))`
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
    select ${actorJson('principal')} as principal, principal.id, lower(principal.name) as sort_name, member.role,
      principal.guest,
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

/** Groups whose names contain a text, case-insensitively, by name, with their role in a space. */
export async function listGroupCandidates(
  db: Db,
  input: { readonly spaceId: number; readonly name: string; readonly limit: number },
): Promise<GroupCandidate[]> {
  return queryRows<GroupCandidate>(db)`
    select ${GROUP} as group, given.role
    from principal_group holder
      left join space_group given on given.space_id = ${input.spaceId} and given.group_id = holder.id
    where position(lower(${input.name}) in lower(holder.name)) > 0
    order by lower(holder.name), holder.id limit ${input.limit}`
}
