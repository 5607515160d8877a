import { sql } from 'kysely'
import type { Actor, Role } from '../access/caller.ts'
import type { Db } from '../database/database.ts'
import type { Tx } from '../database/transaction.ts'

export interface MemberRow {
  readonly principal: Actor
  readonly role: Role
  readonly created_at: Date
}

/** Members of a space in the order of their ids. */
export async function listMembers(
  db: Db,
  window: { readonly spaceId: number; readonly after: string | undefined; readonly limit: number },
): Promise<MemberRow[]> {
  const { rows } = await sql<MemberRow>`
    select json_build_object('id', principal.id, 'name', principal.name, 'kind', principal.kind) as principal, member.role, member.created_at
    from space_member member join principal on principal.id = member.principal_id
    where member.space_id = ${window.spaceId} ${window.after === undefined ? sql`` : sql`and member.principal_id > ${window.after}`}
    order by member.principal_id limit ${window.limit}`.execute(db)
  return rows
}

/** Sets the role of a member and returns the previous one. Setting the same role again changes nothing. */
export async function putMember(
  tx: Pick<Tx, 'db'>,
  member: {
    readonly spaceId: number
    readonly principalId: string
    readonly role: Role
    readonly now: Date
  },
): Promise<{ readonly before: Role | undefined; readonly row: Omit<MemberRow, 'principal'> }> {
  // Locks the space's row, so that two changes of one member are serialised, a first one included.
  await sql`select 1 from space where id = ${member.spaceId} for no key update`.execute(tx.db)
  const before = await tx.db
    .selectFrom('space_member')
    .select('role')
    .where('space_id', '=', member.spaceId)
    .where('principal_id', '=', member.principalId)
    .executeTakeFirst()
  const row = await tx.db
    .insertInto('space_member')
    .values({
      space_id: member.spaceId,
      principal_id: member.principalId,
      role: member.role,
      created_at: member.now,
    })
    .onConflict((conflict) =>
      conflict.columns(['space_id', 'principal_id']).doUpdateSet({ role: member.role }),
    )
    .returning(['role', 'created_at'])
    .executeTakeFirstOrThrow()
  return { before: before?.role, row }
}

/** Removes a member and returns it; undefined if there was none. */
export async function deleteMember(
  tx: Pick<Tx, 'db'>,
  member: { readonly spaceId: number; readonly principalId: string },
): Promise<Omit<MemberRow, 'created_at'> | undefined> {
  const { rows } = await sql<Omit<MemberRow, 'created_at'>>`
    delete from space_member member using principal
    where member.space_id = ${member.spaceId} and member.principal_id = ${member.principalId} and principal.id = member.principal_id
    returning json_build_object('id', principal.id, 'name', principal.name, 'kind', principal.kind) as principal, member.role`.execute(
    tx.db,
  )
  return rows[0]
}

/** Principals whose names contain a text, case-insensitively, by name. */
export async function listCandidates(
  db: Db,
  input: { readonly spaceId: number; readonly name: string; readonly limit: number },
): Promise<{ readonly principal: Actor; readonly role: Role | null }[]> {
  const { rows } = await sql<{ principal: Actor; role: Role | null }>`
    select json_build_object('id', principal.id, 'name', principal.name, 'kind', principal.kind) as principal, member.role
    from principal left join space_member member on member.space_id = ${input.spaceId} and member.principal_id = principal.id
    where principal.disabled_at is null and position(lower(${input.name}) in lower(principal.name)) > 0
    order by lower(principal.name), principal.id limit ${input.limit}`.execute(db)
  return rows
}
