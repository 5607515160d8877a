import { type RawBuilder, sql } from 'kysely'
import { actorJson } from '../../../access/authors.ts'
import type { Actor } from '../../../access/caller.ts'
import { andAfter, type Keyset } from '../../../platform/database/conditions.ts'
import { type Db, hasRows, queryRow, queryRows, queryValue, queryValues } from '../../../platform/database/database.ts'
import type { Tx } from '../../../platform/database/transaction.ts'
import type { EntryId, RuleList, RuleMeaning, RuleRow } from './resolve.ts'

/** A rule with the names on its lists. */
export interface NamedRuleRow extends RuleRow {
  readonly entries: readonly (EntryId & {
    readonly list: RuleList
    readonly principal: Actor | null
    readonly group: { readonly id: string; readonly name: string } | null
  })[]
  readonly created_at: Date
  readonly created_by: Actor
  readonly updated_at: Date
  readonly updated_by: Actor
}

const rules = sql`select rule.id, rule.prefix, rule.inherits_read, rule.inherits_write, rule.created_at,
  rule.updated_at,
    ${actorJson('creator')} as created_by, ${actorJson('editor')} as updated_by,
    coalesce((select json_agg(json_build_object('list', entry.list, 'principal_id', entry.principal_id, 'group_id',
      entry.group_id,
        'principal', case when principal.id is not null then ${actorJson('principal')} end,
        'group', case when listed_group.id is not null
          then json_build_object('id', listed_group.id, 'name', listed_group.name) end)
        order by coalesce(lower(principal.name), lower(listed_group.name)), coalesce(principal.id, listed_group.id))
      from folder_rule_entry entry left join principal on principal.id = entry.principal_id
      left join principal_group listed_group on listed_group.id = entry.group_id
      where entry.rule_id = rule.id), '[]') as entries
  from folder_rule rule join principal creator on creator.id = rule.created_by
  join principal editor on editor.id = rule.updated_by`

/** The folder rules of a space in the order of their prefixes. */
export async function listRules(db: Db, window: Keyset & { readonly spaceId: number }): Promise<NamedRuleRow[]> {
  return queryRows<NamedRuleRow>(db)`${rules}
    where rule.space_id = ${window.spaceId} ${andAfter(sql`rule.prefix`, window)}
    order by rule.prefix limit ${window.limit}`
}

/** The rule of a folder. */
export async function findRule(db: Db, spaceId: number, prefix: string): Promise<NamedRuleRow | undefined> {
  return queryRow<NamedRuleRow>(db)`${rules}
    where rule.space_id = ${spaceId} and rule.prefix = ${prefix}`
}

/** The rule of a path, or else of the next folder above that has one. */
export async function findNearest(db: Db, spaceId: number, path: string): Promise<NamedRuleRow | undefined> {
  return queryRow<NamedRuleRow>(db)`${rules}
    where rule.space_id = ${spaceId} and rule.prefix = any(path_prefixes(${path}))
    order by length(rule.prefix) desc limit 1`
}

export interface NewRule {
  readonly spaceId: number
  readonly prefix: string
  readonly inheritsRead: boolean
  readonly inheritsWrite: boolean
  readonly entries: readonly (EntryId & { readonly list: RuleList })[]
  readonly actorId: string
  readonly now: Date
}

/** Writes a rule of a locked space. Its meaning is what `storeMeanings` writes next. */
export async function putRule(tx: Pick<Tx, 'db'>, rule: NewRule): Promise<void> {
  const { spaceId, prefix, actorId, now } = rule
  const rows = await queryRows<{ id: number }>(tx.db)`
    insert into folder_rule (space_id, prefix, inherits_read, inherits_write, opens_read, opens_write, places,
      created_at, created_by, updated_at, updated_by)
    values (${spaceId}, ${prefix}, ${rule.inheritsRead}, ${rule.inheritsWrite}, false, false, '{}', ${now}, ${actorId},
      ${now}, ${actorId})
    on conflict (space_id, prefix) do update set inherits_read = excluded.inherits_read,
      inherits_write = excluded.inherits_write, updated_at = excluded.updated_at, updated_by = excluded.updated_by
    returning id`
  const id = rows[0]?.id
  await sql`delete from folder_rule_entry where rule_id = ${id}`.execute(tx.db)
  await sql`insert into folder_rule_entry (rule_id, list, principal_id, group_id)
    select ${id}, list, principal_id, group_id
    from jsonb_to_recordset(${JSON.stringify(rule.entries)}::jsonb) as entry (list text, principal_id uuid,
      group_id uuid)`.execute(tx.db)
}

/** Removes the rule of a folder; false: there was none. */
export async function deleteRule(tx: Pick<Tx, 'db'>, spaceId: number, prefix: string): Promise<boolean> {
  return hasRows(tx.db)`delete from folder_rule where space_id = ${spaceId} and prefix = ${prefix} returning id`
}

/** All rules of a locked space. */
export async function listRulesToResolve(tx: Pick<Tx, 'db'>, spaceId: number): Promise<RuleRow[]> {
  return queryRows<RuleRow>(tx.db)`
    select rule.id, rule.prefix, rule.inherits_read, rule.inherits_write,
      coalesce((select json_agg(entry) from folder_rule_entry entry where entry.rule_id = rule.id), '[]') as entries
    from folder_rule rule where rule.space_id = ${spaceId}`
}

/** The places of a prefix: itself, and all below it. */
function places(rule: string): RawBuilder<unknown> {
  const place = sql`${sql.ref(`${rule}.space_id`)} || '/' || ${sql.ref(`${rule}.prefix`)}`
  return sql`place_multirange(place_range(${place}, ${place}, '[]'), place_range(${place} || '/', ${place} || '0'))`
}

/** Stores what all rules of a locked space mean. */
export async function storeMeanings(
  tx: Pick<Tx, 'db'>,
  spaceId: number,
  resolved: ReadonlyMap<number, RuleMeaning>,
): Promise<void> {
  const rows = [...resolved].map(([id, { opensRead, opensWrite, rights }]) => ({
    id,
    opens_read: opensRead,
    opens_write: opensWrite,
    rights,
  }))
  const meanings = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
    as given (id bigint, opens_read boolean, opens_write boolean, rights jsonb)`
  await sql`update folder_rule rule set opens_read = given.opens_read, opens_write = given.opens_write,
      places = ${places('rule')} - coalesce((select range_agg(${places('below')}) from folder_rule below
        where below.space_id = rule.space_id and below.prefix > rule.prefix || '/'
          and below.prefix < rule.prefix || '0'), '{}')
    from ${meanings} where rule.id = given.id`.execute(tx.db)
  await sql`delete from folder_access access using folder_rule rule
    where rule.id = access.rule_id and rule.space_id = ${spaceId}`.execute(tx.db)
  await sql`insert into folder_access (rule_id, principal_id, group_id, right_bit)
    select given.id, listed.principal_id, listed.group_id, listed.bit
    from ${meanings} cross join jsonb_to_recordset(given.rights) as listed (principal_id uuid, group_id uuid,
      bit smallint)`.execute(tx.db)
}

/** Which of some ids are no principal, no group, and no guest. */
export async function listUnknown(
  db: Db,
  ids: {
    readonly principals: readonly string[]
    readonly groups: readonly string[]
    readonly guests: readonly string[]
  },
): Promise<string[]> {
  return queryValues<string>(db)`
    select id from unnest(${ids.principals}::uuid[]) as given (id)
    where not exists (select from principal where principal.id = given.id)
    union all select id from unnest(${ids.groups}::uuid[]) as given (id)
    where not exists (select from principal_group where principal_group.id = given.id)
    union all select id from unnest(${ids.guests}::uuid[]) as given (id)
    where not exists (select from principal where principal.id = given.id and principal.guest)`
}

/** How many rules a space has. */
export async function countRules(db: Db, spaceId: number): Promise<number> {
  return queryValue(db, 0)`
    select count(*)::int as count from folder_rule where space_id = ${spaceId}`
}

/** How many revisions the pages of a folder have, without the trash. */
export async function countRevisionsBelow(db: Db, spaceId: number, prefix: string): Promise<number> {
  return queryValue(db, 0)`
    select count(*)::int as count from page_address address
    join revision on revision.space_id = address.space_id and revision.page_id = address.page_id
    where address.space_id = ${spaceId} and (address.path = ${prefix}
      or (address.path > ${`${prefix}/`} and address.path < ${`${prefix}0`}))`
}

/** The principals and groups of some ids, by name. */
export async function listNamed(db: Db, ids: readonly string[]) {
  return queryRows<{
    readonly principal: Actor | null
    readonly group: { readonly id: string; readonly name: string } | null
    readonly guest: boolean
  }>(db)`
    select named.principal, named.group, named.guest from (
      select ${actorJson('principal')} as principal, null::json as group, principal.guest, principal.name, principal.id
      from principal where principal.id = any(${ids}::uuid[])
      union all
      select null, json_build_object('id', id, 'name', name), false, name, id from principal_group
      where id = any(${ids}::uuid[])
    ) named order by lower(named.name), named.id`
}
