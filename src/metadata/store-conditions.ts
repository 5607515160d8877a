import { type RawBuilder, sql } from 'kysely'
import type { Condition } from './filters.ts'
import { rankOf, type SortKey, type SortRange, wholeKey } from './sort-key.ts'
import { objectText } from './value.ts'

const FEW_SPACES = 30

/** What a search looks for, and among which spaces, in the order of their slugs. */
export interface Query {
  readonly spaceIds: readonly number[]
  readonly conditions: readonly Condition[]
  readonly orderBy: string | undefined
}

/** The pages with one value to order by, or with none (null), or all where nothing is ordered by (undefined). */
export type Group = SortKey | null | undefined

/** What a search selects from beside the page `p`, and under which conditions. */
export interface Joins {
  readonly from: RawBuilder<unknown>
  readonly where: readonly RawBuilder<boolean>[]
  readonly sort: RawBuilder<unknown>
}

/**
 * The rows that conditions speak of. The document `d` is the truth. A condition that the order of values or the mere
 * presence of a key decides has the key's entry joined, so that its index may lead; that of `orderBy` is row `o`, which
 * is empty for pages without the key unless they are `ordered` by it.
 */
export function joinsOf(query: Query, ordered = false): Joins {
  const { orderBy, conditions } = query
  const keys = [...new Set(conditions.filter(needsEntry).map(({ key }) => key))]
  const rows = new Map(keys.map((key, index) => [key, sql.ref(`e${index}`)]))
  if (orderBy !== undefined && (ordered || rows.has(orderBy))) rows.set(orderBy, sql.ref('o'))
  const entries = [...rows].map(([key, row]) => sql`join ${entry(key, row)}`)
  if (orderBy !== undefined && !rows.has(orderBy))
    entries.push(sql`left join ${entry(orderBy, sql.ref('o'))}`)
  const documents = sql`page_metadata d on d.space_id = p.space_id and d.page_id = p.id`
  const document = conditions.some(needsDocument) ? sql`join ${documents}` : sql`left join ${documents}`
  return {
    from: sql`${document} ${sql.join(entries, sql` `)}`,
    where: conditions.flatMap((condition) => testOf(condition, rows.get(condition.key))),
    sort:
      orderBy === undefined
        ? sql`null::text`
        : sql`encode(substring(o.rank from ${rankBytes(orderBy) + 1}::int), 'hex')`,
  }
}

/** Whether the page `m.space_id`, `m.page_id` meets all conditions: for statements of others. */
export function meetsAll(conditions: readonly Condition[]): RawBuilder<boolean> {
  const joins = joinsOf({ spaceIds: [], conditions, orderBy: undefined })
  return sql<boolean>`exists (
    select from (select m.space_id, m.page_id as id) p ${joins.from} where ${all(joins.where)})`
}

/** The condition that a page's value to order by is beyond `after` in the direction of the walk. */
export function beyondValue(
  { orderBy }: Query,
  after: SortKey | undefined,
  descending: boolean,
): RawBuilder<boolean>[] {
  if (orderBy === undefined || after === undefined) return []
  return [sql<boolean>`o.rank ${descending ? sql`<` : sql`>`} decode(${rankOf(orderBy, after)}, 'hex')`]
}

/** The condition that a page belongs to a group. */
export function inGroup({ orderBy }: Query, group: Group): RawBuilder<boolean>[] {
  if (orderBy === undefined || group === undefined) return []
  if (group === null) return [sql<boolean>`o.rank is null`]
  return [sql<boolean>`o.rank = decode(${rankOf(orderBy, group)}, 'hex')`]
}

function entry(key: string, row: RawBuilder<unknown>): RawBuilder<unknown> {
  const within = sql.join(inRange(row, wholeKey(key)), sql` and `)
  return sql`metadata_entry ${row} on ${row}.space_id = p.space_id and ${row}.page_id = p.id and ${within}`
}

/** How many bytes of a rank are the key and the NUL behind it. */
function rankBytes(key: string): number {
  return Buffer.byteLength(key) + 1
}

function needsEntry({ kind }: Condition): boolean {
  return kind === 'range' || kind === 'present' || kind === 'differs'
}

function needsDocument({ kind }: Condition): boolean {
  return kind === 'equal' || kind === 'differs' || kind === 'contains'
}

function testOf(condition: Condition, row: RawBuilder<unknown> | undefined): RawBuilder<boolean>[] {
  const { key } = condition
  const value = sql`(d.doc -> ${key}::text)`
  if (condition.kind === 'present') return []
  if (condition.kind === 'absent') return [sql<boolean>`not coalesce(d.doc ? ${key}::text, false)`]
  if (condition.kind === 'range') {
    const { from, to } = condition.range
    const range = { ...condition.range, from: rankOf(key, from), to: rankOf(key, to) }
    return row === undefined ? [] : inRange(row, range)
  }
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

function inRange(row: RawBuilder<unknown>, range: SortRange): RawBuilder<boolean>[] {
  return [
    sql<boolean>`${row}.rank ${range.fromIncluded ? sql`>=` : sql`>`} decode(${range.from}, 'hex')`,
    sql<boolean>`${row}.rank ${range.toIncluded ? sql`<=` : sql`<`} decode(${range.to}, 'hex')`,
  ]
}

/**
 * A few spaces lead through an index. Many must not: each look-up of a page would go through the whole list, so the sum
 * keeps the condition away from indexes, and it is checked by a hash.
 */
export function inSpaces(ids: readonly number[]): RawBuilder<boolean> {
  return ids.length <= FEW_SPACES
    ? sql<boolean>`p.space_id = any (${ids}::bigint[])`
    : sql<boolean>`p.space_id + 0 = any (${ids}::bigint[])`
}

/** All of the conditions. */
export function all(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}
