import { sql } from 'kysely'
import type { Role } from '../access/caller.ts'
import type { Db } from '../database/database.ts'
import type { Tx } from '../database/transaction.ts'

export interface GroupName {
  readonly id: string
  readonly name: string
}

export interface SpaceGroupRow {
  readonly group: GroupName
  readonly role: Role
  readonly created_at: Date
}

interface Address {
  readonly spaceId: number
  readonly groupId: string
}

/** The groups with a role in a space, in the order of their ids. */
export async function listSpaceGroups(
  db: Db,
  window: { readonly spaceId: number; readonly after: string | undefined; readonly limit: number },
): Promise<SpaceGroupRow[]> {
  const { rows } = await sql<SpaceGroupRow>`
    select json_build_object('id', principal_group.id, 'name', principal_group.name) as group, given.role, given.created_at
    from space_group given join principal_group on principal_group.id = given.group_id
    where given.space_id = ${window.spaceId} ${window.after === undefined ? sql`` : sql`and given.group_id > ${window.after}`}
    order by given.group_id limit ${window.limit}`.execute(db)
  return rows
}

/** Sets the role of a group and returns the previous one; undefined if there is no such group. */
export async function putSpaceGroup(
  tx: Pick<Tx, 'db'>,
  { spaceId, groupId, role, now }: Address & { readonly role: Role; readonly now: Date },
): Promise<(SpaceGroupRow & { readonly before: Role | null }) | undefined> {
  // Locks the row of the space, so that two changes of one role are serialised, a first one included.
  await sql`select 1 from space where id = ${spaceId} for no key update`.execute(tx.db)
  const { rows } = await sql<SpaceGroupRow & { before: Role | null }>`
    with known as (select role from space_group where space_id = ${spaceId} and group_id = ${groupId}),
    put as (
      insert into space_group (space_id, group_id, role, created_at)
      select ${spaceId}, id, ${role}, ${now} from principal_group where id = ${groupId}
      on conflict (space_id, group_id) do update set role = excluded.role
      returning group_id, role, created_at
    )
    select json_build_object('id', principal_group.id, 'name', principal_group.name) as group, put.role, put.created_at, (select role from known) as before
    from put join principal_group on principal_group.id = put.group_id`.execute(tx.db)
  return rows[0]
}

/** Removes the role of a group and returns it; undefined if it had none. */
export async function deleteSpaceGroup(
  tx: Pick<Tx, 'db'>,
  { spaceId, groupId }: Address,
): Promise<Omit<SpaceGroupRow, 'created_at'> | undefined> {
  const { rows } = await sql<Omit<SpaceGroupRow, 'created_at'>>`
    delete from space_group given using principal_group
    where given.space_id = ${spaceId} and given.group_id = ${groupId} and principal_group.id = given.group_id
    returning json_build_object('id', principal_group.id, 'name', principal_group.name) as group, given.role`.execute(
    tx.db,
  )
  return rows[0]
}

/** Groups whose names contain a text, case-insensitively, by name, with their role in a space. */
export async function listGroupCandidates(
  db: Db,
  input: { readonly spaceId: number; readonly name: string; readonly limit: number },
): Promise<{ readonly group: GroupName; readonly role: Role | null }[]> {
  const { rows } = await sql<{ group: GroupName; role: Role | null }>`
    select json_build_object('id', principal_group.id, 'name', principal_group.name) as group, given.role
    from principal_group
      left join space_group given on given.space_id = ${input.spaceId} and given.group_id = principal_group.id
    where position(lower(${input.name}) in lower(principal_group.name)) > 0
    order by lower(principal_group.name), principal_group.id limit ${input.limit}`.execute(db)
  return rows
}
