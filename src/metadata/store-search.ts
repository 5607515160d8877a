import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { Condition } from './filters.ts'
import type { SortKey, SortRange } from './sort-key.ts'
import { objectText } from './value.ts'

const FEW_SPACES = 30

/** What a search looks for, and among which spaces, in the order of their slugs. */
export interface Query {
  readonly spaceIds: readonly number[]
  readonly conditions: readonly Condition[]
  readonly orderBy: string | undefined
}

/** A page that was found. `sort` is null where it has no value to order by. */
export interface MatchRow {
  readonly space_id: number
  readonly id: number
  readonly path: string
  readonly title: string
  readonly version: number
  readonly updated_at: Date
  readonly sort: SortKey | null
}

/** The pages with one value to order by, or with none (null), or all where nothing is ordered by (undefined). */
export type Group = SortKey | null | undefined

/** Where in the order of spaces and paths a group is read on. */
export interface After {
  readonly spaceId: number
  readonly path: string
}

/** Some matches, in no order. */
export async function findMatches(db: Db, query: Query, group: Group, limit: number): Promise<MatchRow[]> {
  const joins = joinsOf(query)
  return run(
    db,
    sql`select ${columns(joins)} from page p ${joins.from}
      where ${all([inSpaces(query.spaceIds), ...joins.where, ...inGroup(group)])} limit ${limit}`,
  )
}

/** Matches that have a value to order by, beyond the value `after`, in the order of these values. */
export async function walkValues(
  db: Db,
  query: Query,
  walk: { readonly after: SortKey | undefined; readonly descending: boolean; readonly limit: number },
): Promise<MatchRow[]> {
  const joins = joinsOf(query, true)
  const beyond =
    walk.after === undefined
      ? []
      : [sql`o.sort ${walk.descending ? sql`<` : sql`>`} decode(${walk.after}, 'hex')`]
  return run(
    db,
    sql`select ${columns(joins)} from page p ${joins.from}
      where ${all([inSpaces(query.spaceIds), ...joins.where, ...beyond])}
      order by o.sort ${walk.descending ? sql`desc` : sql``} limit ${walk.limit}`,
  )
}

/**
 * Matches of one group in the order of spaces and paths, among the first `among` pages in this order: where matches are
 * many this finds enough of them soon, and where they are few it ends soon.
 */
export async function walkPages(
  db: Db,
  query: Query,
  walk: { group: Group; after: After | undefined; among: number; limit: number },
): Promise<MatchRow[]> {
  const joins = joinsOf(query)
  const { after, among } = walk
  const beyond = after === undefined ? sql`` : sql`and (s.id <> ${after.spaceId} or a.path > ${after.path})`
  return run(
    db,
    sql`with candidate as materialized (
        select s.ord, a.space_id, a.path, a.page_id
        from (select id, ord from unnest(${query.spaceIds}::bigint[]) with ordinality as u (id, ord) order by ord) s
        cross join lateral (
          select a.space_id, a.path, a.page_id from page_address a
          where a.space_id = s.id and a.page_id is not null ${beyond} order by a.path limit ${among}
        ) a
        order by s.ord, a.path limit ${among}
      )
      select ${columns(joins)} from candidate c
      join page p on p.space_id = c.space_id and p.id = c.page_id ${joins.from}
      where ${all([...joins.where, ...inGroup(walk.group)])}
      order by c.ord, c.path limit ${walk.limit}`,
  )
}

/** The same among all pages, for matches that are few or far apart. */
export async function sortPages(
  db: Db,
  query: Query,
  walk: { group: Group; after: After | undefined; limit: number },
): Promise<MatchRow[]> {
  const joins = joinsOf(query)
  const { after } = walk
  const beyond = after === undefined ? [] : [sql`(s.id <> ${after.spaceId} or p.path > ${after.path})`]
  return run(
    db,
    sql`select ${columns(joins)} from page p
      join unnest(${query.spaceIds}::bigint[]) with ordinality as s (id, ord) on s.id = p.space_id ${joins.from}
      where ${all([inSpaces(query.spaceIds), ...joins.where, ...inGroup(walk.group), ...beyond])}
      order by s.ord, p.path limit ${walk.limit}`,
  )
}

/** The values of some pages. */
export async function readDocuments(
  db: Db,
  pages: readonly { readonly space_id: number; readonly id: number }[],
): Promise<{ page_id: number; doc: Readonly<Record<string, unknown>> }[]> {
  const { rows } = await sql<{ page_id: number; doc: Readonly<Record<string, unknown>> }>`
    select d.page_id, d.doc
    from unnest(${pages.map((page) => page.space_id)}::bigint[], ${pages.map((page) => page.id)}::bigint[]) as u (space_id, id)
    join page_metadata d on d.space_id = u.space_id and d.page_id = u.id`.execute(db)
  return rows
}

/** Whether the page `m.space_id`, `m.page_id` meets all conditions: for statements of others. */
export function meetsAll(conditions: readonly Condition[]): RawBuilder<boolean> {
  const joins = joinsOf({ spaceIds: [], conditions, orderBy: undefined })
  return sql<boolean>`exists (
    select from (select m.space_id, m.page_id as id) p ${joins.from} where ${all(joins.where)})`
}

interface Joins {
  readonly from: RawBuilder<unknown>
  readonly where: readonly RawBuilder<boolean>[]
  readonly sort: RawBuilder<unknown>
}

/**
 * The rows that conditions speak of. The document `d` is the truth. A condition that the order of values or the mere
 * presence of a key decides has the key's entry joined, so that its index may lead; that of `orderBy` is row `o`.
 */
function joinsOf(query: Query, ordered = false): Joins {
  const { orderBy, conditions } = query
  const entryKeys = [...new Set(conditions.filter(needsEntry).map(({ key }) => key))]
  const rows = new Map(entryKeys.map((key, index) => [key, sql.ref(`e${index}`)]))
  if (orderBy !== undefined && (ordered || rows.has(orderBy))) rows.set(orderBy, sql.ref('o'))
  const entries = [...rows].map(
    ([key, row]) =>
      sql`join metadata_entry ${row} on ${row}.space_id = p.space_id and ${row}.page_id = p.id and ${row}.key = ${key}`,
  )
  if (orderBy !== undefined && !rows.has(orderBy)) {
    entries.push(
      sql`left join metadata_entry o on o.space_id = p.space_id and o.page_id = p.id and o.key = ${orderBy}`,
    )
  }
  const document = conditions.some(needsDocument)
    ? sql`join page_metadata d on d.space_id = p.space_id and d.page_id = p.id`
    : sql`left join page_metadata d on d.space_id = p.space_id and d.page_id = p.id`
  return {
    from: sql`${document} ${sql.join(entries, sql` `)}`,
    where: conditions.flatMap((condition) => testOf(condition, rows.get(condition.key))),
    sort: orderBy === undefined ? sql`null::text` : sql`encode(o.sort, 'hex')`,
  }
}

function needsEntry({ kind }: Condition): boolean {
  return kind === 'range' || kind === 'present' || kind === 'differs'
}

function needsDocument({ kind }: Condition): boolean {
  return kind !== 'absent'
}

function testOf(condition: Condition, entry: RawBuilder<unknown> | undefined): RawBuilder<boolean>[] {
  const { key } = condition
  const value = sql`(d.doc -> ${key}::text)`
  if (condition.kind === 'present') return []
  if (condition.kind === 'absent') return [sql<boolean>`not coalesce(d.doc ? ${key}::text, false)`]
  if (condition.kind === 'range') return entry === undefined ? [] : inRange(entry, condition.range)
  const json = JSON.stringify(condition.value)
  if (condition.kind === 'differs') return [sql<boolean>`${value} <> ${json}::jsonb`]
  const operand = condition.value
  const found = contains(key, condition.kind === 'equal' ? operand : [operand])
  // A scalar is contained only where it is equal. But {"a":1,"b":2} contains {"a":1}: there equality decides. It stands
  // in a `case`, for the planner would take a bare comparison for a rare match and expect next to nothing to be found.
  if (typeof operand !== 'object' || operand === null) return [found]
  const equal =
    condition.kind === 'equal'
      ? sql`${value} = ${json}::jsonb`
      : sql`jsonb_typeof(${value}) = 'array'
          and exists (select from jsonb_array_elements(${value}) as x (v) where x.v = ${json}::jsonb)`
  return [found, sql<boolean>`case when ${equal} then true else false end`]
}

function contains(key: string, value: unknown): RawBuilder<boolean> {
  return sql<boolean>`d.doc @> ${objectText([[key, value]])}::jsonb`
}

function inRange(entry: RawBuilder<unknown>, range: SortRange): RawBuilder<boolean>[] {
  return [
    sql<boolean>`${entry}.sort ${range.fromIncluded ? sql`>=` : sql`>`} decode(${range.from}, 'hex')`,
    sql<boolean>`${entry}.sort ${range.toIncluded ? sql`<=` : sql`<`} decode(${range.to}, 'hex')`,
  ]
}

function inGroup(group: Group): RawBuilder<boolean>[] {
  if (group === undefined) return []
  return [group === null ? sql<boolean>`o.key is null` : sql<boolean>`o.sort = decode(${group}, 'hex')`]
}

/**
 * A few spaces lead through an index. Many must not: each look-up of a page would go through the whole list, so the sum
 * keeps the condition away from indexes, and it is checked by a hash.
 */
function inSpaces(ids: readonly number[]): RawBuilder<boolean> {
  return ids.length <= FEW_SPACES
    ? sql<boolean>`p.space_id = any (${ids}::bigint[])`
    : sql<boolean>`p.space_id + 0 = any (${ids}::bigint[])`
}

function columns(joins: Joins): RawBuilder<unknown> {
  return sql`p.space_id, p.id, p.path, p.title, p.version, p.updated_at, ${joins.sort} as sort`
}

function all(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}

async function run(db: Db, query: RawBuilder<unknown>): Promise<MatchRow[]> {
  const { rows } = await (query as RawBuilder<MatchRow>).execute(db) // every query here selects `columns`
  return rows
}
