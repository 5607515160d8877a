import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../access/caller.ts'
import { type Db, queryRows, queryValue } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import type { Filterable } from './store-filter.ts'

export interface GroupRow {
  readonly id: string
  readonly name: string
  readonly external_id: string | null
  readonly member_count: number
  /** Null: not asked for. */
  readonly members: readonly { readonly id: string; readonly name: string }[] | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** Members in one response; a page of groups ends with the group that reaches it. */
const MAX_MEMBERS = 20_000

/** The attributes of groups in filters. */
export const GROUP_FILTERS: Filterable = {
  columns: {
    id: { type: 'exact', value: sql`principal_group.id` },
    displayname: {
      type: 'text',
      value: sql`principal_group.name`,
      // Index `principal_group_name`.
      equals: (name) => sql<boolean>`lower(principal_group.name) = lower(${name})`,
    },
    externalid: { type: 'exact', value: sql`principal_group.external_id` },
    'meta.created': { type: 'time', value: sql`principal_group.created_at` },
    'meta.lastmodified': { type: 'time', value: sql`principal_group.updated_at` },
  },
  lists: {
    members: {
      rows: sql`(select member.principal_id::text as value, person.name as display
        from group_member member join principal person on person.id = member.principal_id
        where member.group_id = principal_group.id) as member`,
      columns: {
        value: { type: 'exact', value: sql`member.value` },
        display: { type: 'text', value: sql`member.display` },
      },
    },
  },
}

/** Groups of the provider in the order of their creation, with their members if asked for. */
export async function listGroups(
  db: Db,
  page: {
    readonly condition: RawBuilder<boolean>
    readonly offset: number
    readonly limit: number
    readonly withMembers: boolean
  },
): Promise<GroupRow[]> {
  const { condition, offset, limit, withMembers } = page
  return queryRows<GroupRow>(db)`
    with page as (
      select principal_group.id, principal_group.name, principal_group.external_id, principal_group.created_at,
        principal_group.updated_at,
        (select count(*)::int from group_member member where member.group_id = principal_group.id) as member_count
      from principal_group where principal_group.managed_by = 'scim' and ${condition}
      order by principal_group.id limit ${limit} offset ${offset}
    ), counted as (
      select page.*, sum(page.member_count) over (order by page.id) - page.member_count as members_before from page
    )
    select counted.*, case when ${withMembers}::boolean then array(
      select json_build_object('id', person.id, 'name', person.name)
      from group_member member join principal person on person.id = member.principal_id
      where member.group_id = counted.id order by member.principal_id) end as members
    from counted where not ${withMembers}::boolean or counted.members_before < ${MAX_MEMBERS}::int
    order by counted.id`
}

export async function countGroups(db: Db, condition: RawBuilder<boolean>): Promise<number> {
  return queryValue(db, 0)`
    select count(*)::int as count
    from principal_group where principal_group.managed_by = 'scim' and ${condition}`
}

export async function findGroup(db: Db, id: string, withMembers: boolean): Promise<GroupRow | undefined> {
  const condition = sql<boolean>`principal_group.id = ${id}`
  const [row] = await listGroups(db, { condition, offset: 0, limit: 1, withMembers })
  return row
}

/** Changes name and external id; `updated_at` grows with every change, since the version depends on it. */
export async function updateGroup(
  tx: Pick<Tx, 'db'>,
  group: { readonly id: string; readonly name: string; readonly externalId: string | undefined; readonly now: Date },
): Promise<void> {
  await sql`update principal_group set name = ${group.name}, external_id = ${group.externalId ?? null},
      updated_at = greatest(${group.now}, updated_at + interval '1 millisecond')
    where id = ${group.id}`.execute(tx.db)
}

/** Adds members; returns those who were none. */
export async function addMembers(
  tx: Pick<Tx, 'db'>,
  group: { readonly id: string; readonly members: readonly string[]; readonly now: Date },
): Promise<Actor[]> {
  return queryRows<Actor>(tx.db)`
    with added as (
      insert into group_member (principal_id, group_id, source, created_at)
      select member, ${group.id}, 'scim', ${group.now} from unnest(${group.members}::uuid[]) member
      on conflict do nothing returning principal_id
    ) select principal.id, principal.name, principal.kind
    from added join principal on principal.id = added.principal_id`
}

/** Removes these members, or all except these; returns those who were one. */
export async function removeMembers(
  tx: Pick<Tx, 'db'>,
  group: { readonly id: string; readonly members: readonly string[]; readonly which: 'these' | 'others' },
): Promise<Actor[]> {
  const condition =
    group.which === 'these'
      ? sql`member.principal_id = any(${group.members}::uuid[])`
      : sql`member.principal_id not in (select unnest(${group.members}::uuid[]))`
  return queryRows<Actor>(tx.db)`
    delete from group_member member using principal
    where member.group_id = ${group.id} and principal.id = member.principal_id and ${condition}
    returning principal.id, principal.name, principal.kind`
}
