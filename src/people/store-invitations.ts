import { sql } from 'kysely'
import type { OrgRole, Role } from '../access/caller.ts'
import type { Db } from '../database/database.ts'
import { read } from '../database/statement.ts'
import type { Tx } from '../database/transaction.ts'

interface InvitedSpace {
  readonly id: number
  readonly slug: string
  readonly name: string
  readonly role: Role
}

export interface InvitationRow {
  readonly id: string
  readonly email: string
  readonly role: OrgRole
  readonly invited_by: { readonly id: string; readonly name: string; readonly kind: 'human' | 'agent' }
  readonly spaces: InvitedSpace[]
  readonly groups: { readonly id: string; readonly name: string }[]
  readonly created_at: Date
  readonly expires_at: Date
}

export interface NewInvitation {
  readonly id: string
  readonly email: string
  readonly role: OrgRole
  readonly hash: Buffer
  readonly invitedBy: string
  readonly spaces: readonly { readonly id: number; readonly role: Role }[]
  readonly groups: readonly string[]
  readonly now: Date
  readonly expiresAt: Date
}

/** How long expired invitations are kept. */
const KEPT = '90 days'

const SELECT = sql`select i.id, i.email, i.role, i.created_at, i.expires_at,
    json_build_object('id', p.id, 'name', p.name, 'kind', p.kind) as invited_by,
    coalesce((select json_agg(json_build_object('id', s.id, 'slug', s.slug, 'name', s.name, 'role', t.role) order by s.slug)
      from invitation_space t join space s on s.id = t.space_id where t.invitation_id = i.id), '[]') as spaces,
    coalesce((select json_agg(json_build_object('id', g.id, 'name', g.name) order by lower(g.name), g.id)
      from invitation_group t join principal_group g on g.id = t.group_id
      where t.invitation_id = i.id and g.managed_by is null), '[]') as groups
  from invitation i join principal p on p.id = i.invited_by`

/** The invitations of one space: those with a role in this space only. Space admins see no others. */
function onlyOf(spaceId: number | undefined) {
  return spaceId === undefined
    ? sql`true`
    : sql`i.role = 'member' and not exists (select 1 from invitation_group t where t.invitation_id = i.id)
      and exists (select 1 from invitation_space t where t.space_id = ${spaceId} and t.invitation_id = i.id)
      and not exists (select 1 from invitation_space t where t.invitation_id = i.id and t.space_id <> ${spaceId})`
}

/** Open invitations, the oldest first: of the organisation, or of one space. */
export async function listInvitations(
  db: Db,
  window: {
    readonly spaceId: number | undefined
    readonly after: string | undefined
    readonly limit: number
  },
): Promise<InvitationRow[]> {
  const { rows } = await sql<InvitationRow>`${SELECT}
    where i.accepted_at is null and ${onlyOf(window.spaceId)}
      ${window.after === undefined ? sql`` : sql`and i.id > ${window.after}`}
    order by i.id limit ${window.limit}`.execute(db)
  return rows
}

/** One open invitation: of the organisation, or of one space. */
export async function findInvitation(
  db: Db,
  id: string,
  spaceId: number | undefined,
): Promise<InvitationRow | undefined> {
  const { rows } = await sql<InvitationRow>`${SELECT}
    where i.id = ${id} and i.accepted_at is null and ${onlyOf(spaceId)}`.execute(db)
  return rows[0]
}

/** Adds an invitation, and deletes those that expired long ago. */
export async function insertInvitation(tx: Pick<Tx, 'db'>, made: NewInvitation): Promise<void> {
  await sql`delete from invitation where expires_at < now() - ${KEPT}::interval`.execute(tx.db)
  await sql`insert into invitation (id, email, role, hash, invited_by, created_at, expires_at)
    values (${made.id}, ${made.email}, ${made.role}, ${made.hash}, ${made.invitedBy}, ${made.now}, ${made.expiresAt})`.execute(
    tx.db,
  )
  await sql`insert into invitation_space (invitation_id, space_id, role)
    select ${made.id}, id, role from jsonb_to_recordset(${JSON.stringify(made.spaces)}::jsonb) as t (id bigint, role text)`.execute(
    tx.db,
  )
  await sql`insert into invitation_group (invitation_id, group_id)
    select ${made.id}, id from principal_group where id = any(${made.groups}::uuid[])`.execute(tx.db)
}

/** Replaces the link of an open invitation; false if it was accepted or revoked. */
export async function renewInvitation(
  tx: Pick<Tx, 'db'>,
  renewed: { readonly id: string; readonly hash: Buffer; readonly expiresAt: Date },
): Promise<boolean> {
  const { rows } = await sql`
    update invitation set hash = ${renewed.hash}, expires_at = ${renewed.expiresAt}
    where id = ${renewed.id} and accepted_at is null returning 1`.execute(tx.db)
  return rows.length > 0
}

/** Deletes an open invitation; false if there is none any more. */
export async function deleteInvitation(tx: Pick<Tx, 'db'>, id: string): Promise<boolean> {
  const { rows } = await sql`
    delete from invitation where id = ${id} and accepted_at is null returning 1`.execute(tx.db)
  return rows.length > 0
}

/**
 * The roles that the inviter may still grant: an organisation admin any, others those in spaces that they administer.
 */
const MAY_STILL = sql`p.disabled_at is null and (p.role = 'admin' or (i.role = 'member'
    and not exists (select 1 from invitation_group t where t.invitation_id = i.id)
    and not exists (select 1 from invitation_space t where t.invitation_id = i.id
      and not exists (
        select 1 from space_member m where m.space_id = t.space_id and m.principal_id = p.id and m.role = 'admin')
      and not exists (
        select 1 from space_group r join group_member m on m.group_id = r.group_id
        where r.space_id = t.space_id and m.principal_id = p.id and r.role = 'admin'))))`

const readByHash = read(
  'find_invitation_by_hash',
  (args: { hash: Buffer }) => sql<InvitationRow>`${SELECT}
    where i.hash = ${args.hash} and i.accepted_at is null and i.expires_at > now() and ${MAY_STILL}`,
)

/** The invitation of a link that still works. */
export function findByHash(db: Db, hash: Buffer): Promise<InvitationRow | undefined> {
  return readByHash.first(db, { hash })
}

/** Consumes an invitation: of concurrent transactions one succeeds. */
export async function takeInvitation(
  tx: Pick<Tx, 'db'>,
  hash: Buffer,
  now: Date,
): Promise<InvitationRow | undefined> {
  const { rows } = await sql<InvitationRow>`
    with taken as (
      update invitation i set accepted_at = ${now} from principal p
      where i.hash = ${hash} and i.accepted_at is null and i.expires_at > now() and p.id = i.invited_by and ${MAY_STILL}
      returning i.id
    ) ${SELECT} where i.id = (select id from taken)`.execute(tx.db)
  return rows[0]
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

/** Adds a new principal to the groups of an invitation, except those that a provider manages by now. */
export async function joinGroups(
  tx: Pick<Tx, 'db'>,
  { id }: Pick<InvitationRow, 'id'>,
  principalId: string,
  now: Date,
): Promise<void> {
  await sql`insert into group_member (principal_id, group_id, source, created_at)
    select ${principalId}, g.id, 'admin', ${now} from invitation_group t join principal_group g on g.id = t.group_id
    where t.invitation_id = ${id} and g.managed_by is null
    on conflict do nothing`.execute(tx.db)
}
