import { sql } from 'kysely'
import type { Role } from '../../../access/caller.ts'
import { type Db, hasRows, queryRow, queryRows } from '../../../platform/database/database.ts'
import type { Tx } from '../../../platform/database/transaction.ts'

/** The id of the person with an e-mail address in its stored form, enabled or not. */
export async function findIdByEmail(db: Db, email: string): Promise<string | undefined> {
  return (await queryRow<{ id: string }>(db)`select id from principal where email = ${email}`)?.id
}

/** Whether SCIM keeps the person. */
export async function isProvisioned(tx: Pick<Tx, 'db'>, id: string): Promise<boolean> {
  return hasRows(tx.db)`
    select 1 from scim_user where principal_id = ${id} and deleted_at is null`
}

/** The ids of the personal spaces by their owners, locked against every writer until the transaction ends. */
export async function lockPersonalSpaces(
  tx: Pick<Tx, 'db'>,
  ownerIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await queryRows<{ id: number; owner_id: string }>(tx.db)`
    select id, owner_id from space where owner_id = any(${ownerIds}::uuid[]) order by id for update`
  return new Map(rows.map(({ id, owner_id }) => [owner_id, id]))
}

/** Makes a personal space that of another person; their keys and apps for the one that it replaces are for it. */
export async function giveSpace(
  tx: Pick<Tx, 'db'>,
  space: { readonly spaceId: number; readonly ownerId: string; readonly replaces: number | undefined },
): Promise<void> {
  const { spaceId, ownerId, replaces } = space
  await sql`update space set owner_id = ${ownerId} where id = ${spaceId}`.execute(tx.db)
  if (replaces === undefined) return
  for (const table of ['api_key', 'app_connection']) {
    await sql`update ${sql.table(table)}
      set space_ids = array_replace(space_ids, ${replaces}::bigint, ${spaceId}::bigint)
      where principal_id = ${ownerId} and ${replaces}::bigint = any(space_ids)`.execute(tx.db)
  }
}

/** Moves the roles in spaces: of two in one space the higher one stays. Returns those that the target got. */
export async function moveMemberships(tx: Pick<Tx, 'db'>, fromId: string, toId: string) {
  // As a change of a member does.
  await sql`select 1 from space where id in (select space_id from space_member where principal_id = ${fromId})
    order by id for no key update`.execute(tx.db)
  const rank = (role: string) => sql`array_position(array['viewer', 'editor', 'admin'], ${sql.ref(role)})`
  return queryRows<{ id: number; slug: string; name: string; role: Role }>(tx.db)`
    with moved as (delete from space_member where principal_id = ${fromId} returning space_id, role, created_at),
    put as (
      insert into space_member as member (space_id, principal_id, role, created_at)
      select space_id, ${toId}, role, created_at from moved
      on conflict (space_id, principal_id) do update set role = excluded.role
        where ${rank('excluded.role')} > ${rank('member.role')}
      returning space_id, role
    ) select space.id, space.slug, space.name, put.role from put join space on space.id = put.space_id
      order by space.id`
}

/** Moves the memberships in groups; returns the groups that the target joined. */
export async function moveGroups(tx: Pick<Tx, 'db'>, fromId: string, toId: string) {
  return queryRows<{ id: string; name: string }>(tx.db)`
    with moved as (delete from group_member where principal_id = ${fromId} returning group_id, source, created_at),
    put as (
      insert into group_member (principal_id, group_id, source, created_at)
      select ${toId}, group_id, source, created_at from moved on conflict do nothing returning group_id
    ) select principal_group.id, principal_group.name
      from put join principal_group on principal_group.id = put.group_id order by principal_group.id`
}

/** Moves the places on the lists of folder rules. */
export async function moveRuleEntries(tx: Pick<Tx, 'db'>, fromId: string, toId: string): Promise<void> {
  await sql`with moved as (delete from folder_rule_entry where principal_id = ${fromId} returning rule_id, list)
    insert into folder_rule_entry (rule_id, list, principal_id) select rule_id, list, ${toId} from moved
    on conflict do nothing`.execute(tx.db)
  await sql`with moved as (delete from folder_access where principal_id = ${fromId} returning rule_id, right_bit)
    insert into folder_access (rule_id, principal_id, right_bit) select rule_id, ${toId}, right_bit from moved
    on conflict do nothing`.execute(tx.db)
}

/** Moves identities, sent invitations, favourites, watches, the inbox, unsaved texts, and a picture where none is. */
export async function moveOthers(tx: Pick<Tx, 'db'>, fromId: string, toId: string): Promise<void> {
  await sql`update identity set principal_id = ${toId} where principal_id = ${fromId}`.execute(tx.db)
  await sql`update invitation set invited_by = ${toId} where invited_by = ${fromId}
    and accepted_at is null`.execute(tx.db)
  await sql`with moved as (delete from favourite where principal_id = ${fromId} returning space_id, page_id, created_at)
    insert into favourite (principal_id, space_id, page_id, created_at)
    select ${toId}, space_id, page_id, created_at from moved on conflict do nothing`.execute(tx.db)
  await sql`with moved as (delete from unsaved_text where principal_id = ${fromId} returning *)
    insert into unsaved_text (principal_id, space_id, page_id, version, body, note, saved_at)
    select ${toId}, space_id, page_id, version, body, note, saved_at from moved on conflict do nothing`.execute(tx.db)
  await sql`with moved as (delete from watch where principal_id = ${fromId} returning *)
    insert into watch (principal_id, space_id, page_id, file_id, thread_id, prefix, muted, created_at)
    select ${toId}, space_id, page_id, file_id, thread_id, prefix, muted, created_at from moved
    on conflict do nothing`.execute(tx.db)
  await sql`update notification set principal_id = ${toId} where principal_id = ${fromId} and not exists (
    select from notification other where other.principal_id = ${toId} and other.space_id = notification.space_id
      and (other.page_id, other.file_id, other.thread_id, other.number) is not distinct from
        (notification.page_id, notification.file_id, notification.thread_id, notification.number))`.execute(tx.db)
  await sql`update profile_picture set principal_id = ${toId} where principal_id = ${fromId}
    and not exists (select 1 from profile_picture other where other.principal_id = ${toId})`.execute(tx.db)
}

/** Keeps into which account this one, and those merged into it before, have been merged: they have its name. */
export async function keepMerged(tx: Pick<Tx, 'db'>, fromId: string, toId: string): Promise<void> {
  await sql`update principal set merged_into = ${toId}, name = (select name from principal where id = ${toId})
    where id = ${fromId} or merged_into = ${fromId}`.execute(tx.db)
}
