import { inputError } from '@recto/contract/errors.ts'
import { sql } from 'kysely'
import type { Static } from 'typebox'
import { actorJson } from '../../access/authors.ts'
import type { Actor, Role } from '../../access/caller.ts'
import { brokenConstraint } from '../../platform/database/availability/failure.ts'
import { andAfter, joinConditions, type Keyset } from '../../platform/database/conditions.ts'
import { type Db, queryRow, queryRows } from '../../platform/database/database.ts'
import type { RowFor } from '../../platform/database/rows.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import type { groupMemberSchema, groupSchema } from './schema.ts'

export type GroupRow = RowFor<Static<typeof groupSchema>>

export type GroupMemberRow = RowFor<Static<typeof groupMemberSchema>>

/** Who added a member. */
export type MemberSource = 'admin' | 'oidc' | 'scim'

const SELECT = sql`select principal_group.id, principal_group.name, principal_group.description,
  principal_group.managed_by,
    (select count(*)::int from group_member member where member.group_id = principal_group.id) as member_count,
    principal_group.created_at, principal_group.updated_at
  from principal_group`

const MEMBERS = sql`select ${actorJson('principal')} as principal, member.source, member.created_at
  from group_member member join principal on principal.id = member.principal_id`

/** Groups in the order of their creation. */
export async function listGroups(
  db: Db,
  window: Keyset & { readonly name: string | undefined; readonly member: string | undefined },
): Promise<GroupRow[]> {
  const { name, member, after, limit } = window
  const conditions = joinConditions([
    name !== undefined && sql`position(lower(${name}) in lower(principal_group.name)) > 0`,
    member !== undefined &&
      sql`exists (select 1 from group_member member where member.principal_id = ${member}
        and member.group_id = principal_group.id)`,
    after !== undefined && sql`principal_group.id > ${after}`,
  ])
  return queryRows<GroupRow>(db)`${SELECT}
    where ${conditions} order by principal_group.id limit ${limit}`
}

export async function findGroup(db: Db, id: string): Promise<GroupRow | undefined> {
  return queryRow<GroupRow>(db)`${SELECT} where principal_group.id = ${id}`
}

/** One group, locked until the transaction ends: changes of its members are serialised. */
export async function lockGroup(tx: Pick<Tx, 'db'>, id: string): Promise<GroupRow | undefined> {
  await sql`select 1 from principal_group where id = ${id} for no key update`.execute(tx.db)
  return findGroup(tx.db, id)
}

/** Adds a group; throws `group_name_taken`. */
export async function insertGroup(
  tx: Pick<Tx, 'db'>,
  group: {
    readonly id: string
    readonly name: string
    readonly description: string
    readonly managedBy: 'scim' | null
    readonly externalId?: string | null
    readonly now: Date
  },
): Promise<void> {
  await orNameTaken(() =>
    sql`insert into principal_group (id, name, description, managed_by, external_id, created_at, updated_at)
      values (${group.id}, ${group.name}, ${group.description}, ${group.managedBy}, ${group.externalId ?? null},
        ${group.now}, ${group.now})`.execute(tx.db),
  )
}

/** Changes name and description; throws `group_name_taken`. */
export async function updateGroup(
  tx: Pick<Tx, 'db'>,
  group: { readonly id: string; readonly name: string; readonly description: string; readonly now: Date },
): Promise<void> {
  await orNameTaken(() =>
    sql`update principal_group set name = ${group.name}, description = ${group.description}, updated_at = ${group.now}
      where id = ${group.id}`.execute(tx.db),
  )
}

/** Deletes a group with its members and roles. */
export async function deleteGroup(tx: Pick<Tx, 'db'>, id: string): Promise<void> {
  await sql`delete from principal_group where id = ${id}`.execute(tx.db)
}

/** The members of a group in the order of their ids (index `group_member_group`). */
export async function listGroupMembers(
  db: Db,
  window: Keyset & { readonly groupId: string },
): Promise<GroupMemberRow[]> {
  return queryRows<GroupMemberRow>(db)`${MEMBERS}
    where member.group_id = ${window.groupId} ${andAfter(sql`member.principal_id`, window)}
    order by member.principal_id limit ${window.limit}`
}

/** Adds a member, unless it is one already. */
export async function insertGroupMember(
  tx: Pick<Tx, 'db'>,
  member: { readonly groupId: string; readonly principalId: string; readonly source: MemberSource; readonly now: Date },
): Promise<void> {
  await sql`insert into group_member (principal_id, group_id, source, created_at)
    values (${member.principalId}, ${member.groupId}, ${member.source}, ${member.now})
    on conflict do nothing`.execute(tx.db)
}

/** Removes a member and returns it; undefined if it is none. */
export async function deleteGroupMember(
  tx: Pick<Tx, 'db'>,
  { groupId, principalId }: { readonly groupId: string; readonly principalId: string },
): Promise<Actor | undefined> {
  return queryRow<Actor>(tx.db)`
    delete from group_member member using principal
    where member.group_id = ${groupId} and member.principal_id = ${principalId} and principal.id = member.principal_id
    returning principal.id, principal.name, principal.kind`
}

export async function findGroupMember(
  db: Db,
  { groupId, principalId }: { readonly groupId: string; readonly principalId: string },
): Promise<GroupMemberRow | undefined> {
  return queryRow<GroupMemberRow>(db)`${MEMBERS}
    where member.group_id = ${groupId} and member.principal_id = ${principalId}`
}

/** The spaces where a group has a role, in the order of their slugs. */
export async function listSpacesOfGroup(db: Db, window: Keyset & { readonly groupId: string }) {
  return queryRows<{ space: string; name: string; role: Role }>(db)`
    select space.slug as space, space.name, given.role from space_group given join space on space.id = given.space_id
    where given.group_id = ${window.groupId}
      ${andAfter(sql`space.slug collate "C"`, window)}
    order by space.slug collate "C" limit ${window.limit}`
}

interface GroupName {
  readonly id: string
  readonly name: string
}

/** Sets the groups that a sign-in gives a principal to those with these names; returns the changes. */
export async function setOidcGroups(
  tx: Pick<Tx, 'db'>,
  input: { readonly principalId: string; readonly names: readonly string[]; readonly now: Date },
): Promise<{ readonly added: GroupName[]; readonly removed: GroupName[] }> {
  const namedGroups = sql`(select id from principal_group
    where managed_by is null and lower(name) in (select lower(claimed) from unnest(${input.names}::text[]) claimed))`
  const removedGroups = await sql<GroupName>`
    delete from group_member member using principal_group
    where member.principal_id = ${input.principalId} and member.source = 'oidc'
      and principal_group.id = member.group_id and principal_group.id not in ${namedGroups}
    returning principal_group.id, principal_group.name`.execute(tx.db)
  const addedGroups = await sql<GroupName>`
    with made as (
      insert into group_member (principal_id, group_id, source, created_at)
      select ${input.principalId}, id, 'oidc', ${input.now} from ${namedGroups} claimed
      on conflict do nothing returning group_id
    ) select principal_group.id, principal_group.name
    from made join principal_group on principal_group.id = made.group_id`.execute(tx.db)
  return { added: addedGroups.rows, removed: removedGroups.rows }
}

/** Runs the work; throws `group_name_taken` if the name is that of another group. */
export async function orNameTaken(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (brokenConstraint(error) !== 'principal_group_name') throw error
    const detail = 'Another group has this name: choose another one.'
    throw inputError('group_name_taken', detail, '/name', 'is the name of another group')
  }
}
