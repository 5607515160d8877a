import { sql } from 'kysely'
import type { Static } from 'typebox'
import { actorJson } from '../../access/authors.ts'
import type { Role } from '../../access/caller.ts'
import { andAfter, type Keyset } from '../../platform/database/conditions.ts'
import { type Db, hasRows, queryRow, queryRows, read } from '../../platform/database/database.ts'
import type { RowFor } from '../../platform/database/rows.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import type { invitationSchema } from './schema.ts'

interface InvitedSpace {
  readonly id: number
  readonly slug: string
  readonly name: string
  readonly role: Role
  /** The only folder of the space that is given; null: the space is. */
  readonly folder: string | null
}

export interface InvitationRow
  extends RowFor<Omit<Static<typeof invitationSchema>, 'spaces' | 'expired' | 'hasAccount'>> {
  readonly spaces: InvitedSpace[]
  readonly has_account: boolean
}

export interface NewInvitation extends Pick<InvitationRow, 'id' | 'email' | 'role' | 'guest'> {
  readonly hash: Buffer
  readonly invitedBy: string
  readonly spaces: readonly Pick<InvitedSpace, 'id' | 'role' | 'folder'>[]
  readonly groups: readonly string[]
  readonly now: Date
  readonly expiresAt: Date
}

/** How long expired invitations are kept. */
const KEPT = '90 days'

/** The rows `given`: the spaces and folders of all invitations. */
const places = sql`(select invitation_id, space_id, role, null as folder from invitation_space
    union all select invitation_id, space_id, role, prefix from invitation_folder) given`

const SELECT = sql`select invitation.id, invitation.email, invitation.role, invitation.guest, invitation.created_at,
  invitation.expires_at,
    exists (select from principal where principal.email = invitation.email) as has_account,
    ${actorJson('inviter')} as invited_by,
    coalesce((select json_agg(json_build_object('id', space.id, 'slug', space.slug, 'name', space.name,
        'role', given.role, 'folder', given.folder) order by space.slug, given.folder nulls first)
      from ${places} join space on space.id = given.space_id
      where given.invitation_id = invitation.id), '[]') as spaces,
    coalesce((select json_agg(json_build_object('id', principal_group.id, 'name', principal_group.name)
        order by lower(principal_group.name), principal_group.id)
      from invitation_group join principal_group on principal_group.id = invitation_group.group_id
      where invitation_group.invitation_id = invitation.id and principal_group.managed_by is null), '[]') as groups
  from invitation join principal inviter on inviter.id = invitation.invited_by`

/** The invitations of one space: those that give nothing outside of it. Space admins see no others. */
function selectSpace(spaceId: number | undefined) {
  return spaceId === undefined
    ? sql`true`
    : sql`invitation.role = 'member'
      and not exists (select 1 from invitation_group where invitation_group.invitation_id = invitation.id)
      and exists (select 1 from ${places} where given.space_id = ${spaceId} and given.invitation_id = invitation.id)
      and not exists (select 1 from ${places} where given.invitation_id = invitation.id
        and given.space_id <> ${spaceId})`
}

/** Open invitations, the oldest first: of the organisation, or of one space. */
export async function listInvitations(
  db: Db,
  window: Keyset & { readonly spaceId: number | undefined },
): Promise<InvitationRow[]> {
  return queryRows<InvitationRow>(db)`${SELECT}
    where invitation.accepted_at is null and ${selectSpace(window.spaceId)}
      ${andAfter(sql`invitation.id`, window)}
    order by invitation.id limit ${window.limit}`
}

/** One open invitation: of the organisation, or of one space. */
export async function findInvitation(
  db: Db,
  id: string,
  spaceId: number | undefined,
): Promise<InvitationRow | undefined> {
  return queryRow<InvitationRow>(db)`${SELECT}
    where invitation.id = ${id} and invitation.accepted_at is null and ${selectSpace(spaceId)}`
}

/** Adds an invitation, and deletes those that expired long ago. */
export async function insertInvitation(tx: Pick<Tx, 'db'>, newInvitation: NewInvitation): Promise<void> {
  await sql`delete from invitation where expires_at < now() - ${KEPT}::interval`.execute(tx.db)
  await sql`insert into invitation (id, email, role, guest, hash, invited_by, created_at, expires_at)
    values (${newInvitation.id}, ${newInvitation.email}, ${newInvitation.role}, ${newInvitation.guest},
      ${newInvitation.hash}, ${newInvitation.invitedBy}, ${newInvitation.now}, ${newInvitation.expiresAt})`.execute(
    tx.db,
  )
  await sql`with given as (select * from jsonb_to_recordset(${JSON.stringify(newInvitation.spaces)}::jsonb)
      as given (id bigint, role text, folder text)),
    folders as (insert into invitation_folder (invitation_id, space_id, prefix, role)
      select ${newInvitation.id}, id, folder, role from given where folder is not null)
    insert into invitation_space (invitation_id, space_id, role)
    select ${newInvitation.id}, id, role from given where folder is null`.execute(tx.db)
  await sql`insert into invitation_group (invitation_id, group_id)
    select ${newInvitation.id}, id from principal_group where id = any(${newInvitation.groups}::uuid[])`.execute(tx.db)
}

/** Replaces the link of an open invitation; false if it was accepted or revoked. */
export async function renewInvitation(
  tx: Pick<Tx, 'db'>,
  renewedInvitation: { readonly id: string; readonly hash: Buffer; readonly expiresAt: Date },
): Promise<boolean> {
  return hasRows(tx.db)`
    update invitation set hash = ${renewedInvitation.hash}, expires_at = ${renewedInvitation.expiresAt}
    where id = ${renewedInvitation.id} and accepted_at is null returning 1`
}

/** Deletes an open invitation; false if there is none any more. */
export async function deleteInvitation(tx: Pick<Tx, 'db'>, id: string): Promise<boolean> {
  return hasRows(tx.db)`
    delete from invitation where id = ${id} and accepted_at is null returning 1`
}

/** The roles that the inviter may still grant: organisation admins any, others those in spaces that they administer. */
const MAY_STILL = sql`inviter.disabled_at is null and (inviter.role = 'admin' or (invitation.role = 'member'
    and not exists (select 1 from invitation_group where invitation_group.invitation_id = invitation.id)
    and not exists (select 1 from ${places} where given.invitation_id = invitation.id
      and not exists (
        select 1 from space_member where space_member.space_id = given.space_id
          and space_member.principal_id = inviter.id and space_member.role = 'admin')
      and not exists (
        select 1 from space_group join group_member on group_member.group_id = space_group.group_id
        where space_group.space_id = given.space_id and group_member.principal_id = inviter.id
          and space_group.role = 'admin'))))`

/** The invitation of a link that still works. */
export const findByHash = read(
  'find_invitation_by_hash',
  (args: { hash: Buffer }) => sql<InvitationRow>`${SELECT}
    where invitation.hash = ${args.hash} and invitation.accepted_at is null and invitation.expires_at > now()
      and ${MAY_STILL}`,
)

/** Consumes the invitation of a hash, and all to an e-mail address: of concurrent transactions one succeeds. */
export async function takeInvitations(
  tx: Pick<Tx, 'db'>,
  { hash, email, now }: { readonly hash: Buffer | undefined; readonly email?: string | undefined; readonly now: Date },
): Promise<InvitationRow[]> {
  return queryRows<InvitationRow>(tx.db)`
    with taken as (
      update invitation set accepted_at = ${now} from principal inviter
      where (invitation.hash = ${hash ?? null} or invitation.email = ${email ?? null})
        and invitation.accepted_at is null and invitation.expires_at > now()
        and inviter.id = invitation.invited_by and ${MAY_STILL}
      returning invitation.id
    ) ${SELECT} where invitation.id in (select id from taken) order by invitation.id`
}

/** Grants a new principal its roles in the spaces of an invitation. */
export async function joinSpaces(
  tx: Pick<Tx, 'db'>,
  { id }: Pick<InvitationRow, 'id'>,
  principalId: string,
  now: Date,
): Promise<void> {
  await sql`insert into space_member (space_id, principal_id, role, created_at)
    select space_id, ${principalId}, role, ${now} from invitation_space where invitation_id = ${id}
    on conflict do nothing`.execute(tx.db)
}

/** The folders of an invitation, whose spaces are locked against other changes of their rules. */
export async function lockInvitedFolders(tx: Pick<Tx, 'db'>, { id }: Pick<InvitationRow, 'id'>) {
  return queryRows<InvitedSpace & { readonly folder: string }>(tx.db)`
    select space.id, space.slug, space.name, given.role, given.prefix as folder
    from invitation_folder given join space on space.id = given.space_id
    where given.invitation_id = ${id} order by space.id, given.prefix for no key update of space`
}

/** Adds a new principal to the groups of an invitation, except those that a provider manages by now. */
export async function joinGroups(
  tx: Pick<Tx, 'db'>,
  { id }: Pick<InvitationRow, 'id'>,
  principalId: string,
  now: Date,
): Promise<void> {
  await sql`insert into group_member (principal_id, group_id, source, created_at)
    select ${principalId}, principal_group.id, 'admin', ${now}
    from invitation_group join principal_group on principal_group.id = invitation_group.group_id
    where invitation_group.invitation_id = ${id} and principal_group.managed_by is null
    on conflict do nothing`.execute(tx.db)
}
