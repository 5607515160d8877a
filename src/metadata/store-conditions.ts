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
 * The rows that conditions speak of, for a page `p` that is at hand. The document `d` is the truth. A condition that the
 * order of values or the mere presence of a key decides has the key's entry joined; that of `orderBy` is row `o`, which
 * is empty for pages without the key. Each is looked up page by page: else the planner may read all documents that
 * meet a condition for the sake of a few hundred pages.
 */
export function probeByPage(query: Query): Joins {
  const { orderBy } = query
  const rows = entriesOf(query)
  const joins = [...rows].map(([key, row]) => lookedUp(key, row))
  if (readsDocument(query)) {
    joins.unshift(sql`left join lateral (
      select x.doc from page_metadata x where x.space_id = p.space_id and x.page_id = p.id offset 0) d on true`)
  }
  if (orderBy !== undefined && !rows.has(orderBy))
    joins.push(sql`left join lateral (${entry(orderBy)} offset 0) o on true`)
  return { from: sql.join(joins, sql` `), where: testsOf(query, rows), sort: sortOf(query) }
}

/**
 * The same for pages that have a value to order by, and stand at it: `o` is at hand, and meets the conditions on its key.
 */
export function scanByOrder(query: Query): Joins {
  const { orderBy, conditions } = query
  const others = conditions.filter(
    ({ key, kind }) => key !== orderBy || (kind !== 'range' && kind !== 'present'),
  )
  const { from, where } = probeByPage({ ...query, conditions: others, orderBy: undefined })
  return { from, where: [notInTrash, ...where], sort: sortOf(query) }
}

/** The condition that an entry `o` has a value to order by that meets the conditions on its range. */
export function isOrdered({ orderBy, conditions }: Query): RawBuilder<unknown>[] {
  if (orderBy === undefined) return []
  const o = sql.ref('o')
  const own = conditions.filter(({ key, kind }) => key === orderBy && kind === 'range')
  return [ofKey(orderBy, o), ...own.flatMap((condition) => testOf(condition, o))]
}

/**
 * The same with the pages `p` themselves, of all that stand in the spaces of the query, where the index of any condition
 * may lead; of a group, or all that are `ordered` by a value. Pages are found by their documents or entries where these
 * decide, for to visit the pages too would double the work.
 */
export function scanByIndex(query: Query, group?: Group | 'ordered'): Joins {
  const { orderBy } = query
  const rows = entriesOf(query)
  const ordered = typeof group === 'string'
  const ofDocuments =
    readsDocument(query) && (ordered || rows.size > 0 || query.conditions.some(needsDocument))
  const o = sql.ref('o')
  // Of one value the index knows the pages; all values would be joined for the sake of a few pages.
  if (ordered && orderBy !== undefined && (group !== 'ordered' || (rows.size === 0 && !ofDocuments)))
    rows.set(orderBy, o)
  const [first] = rows.values()
  const base = ofDocuments
    ? sql`page_metadata d cross join lateral (select d.space_id, d.page_id as id) p`
    : first
      ? sql`metadata_entry ${first} cross join lateral (select ${first}.space_id, ${first}.page_id as id) p`
      : sql`page p left join page_metadata d on d.space_id = p.space_id and d.page_id = p.id`
  const standing = ofDocuments
    ? sql<boolean>`not d.in_trash`
    : first
      ? notInTrash
      : sql<boolean>`p.deleted_at is null`
  const joins = joined(ofDocuments ? rows : new Map([...rows].slice(1)))
  if (orderBy !== undefined && !rows.has(orderBy)) {
    if (ordered) joins.push(lookedUp(orderBy, o))
    else if (group === undefined) joins.push(sql`left join lateral (${entry(orderBy)} offset 0) o on true`)
    else
      joins.push(
        sql`left join metadata_entry o on o.space_id = p.space_id and o.page_id = p.id and ${ofKey(orderBy, o)}`,
      )
  }
  const [key] = rows.keys()
  const led = first && key !== undefined && !ofDocuments ? [sql<boolean>`${ofKey(key, first)}`] : []
  return {
    from: sql`${base} ${sql.join(joins, sql` `)}`,
    where: [
      inSpaces(query.spaceIds),
      standing,
      ...led,
      ...testsOf(query, rows),
      ...(group === 'ordered' ? [] : inGroup(query, group)),
    ],
    sort: sortOf(query),
  }
}

/** Pages in the trash keep their metadata, and are not found by it. They are few. */
const notInTrash = sql<boolean>`not exists (
  select from page t where t.deleted_at is not null and t.space_id = p.space_id and t.id = p.id)`

/** Whether the page `m.space_id`, `m.page_id` meets all conditions: for statements of others, which it may lead. */
export function matchesAll(conditions: readonly Condition[]): RawBuilder<boolean> {
  const query = { spaceIds: [], conditions, orderBy: undefined }
  const rows = entriesOf(query)
  const join = conditions.some(needsDocument) ? sql`join` : sql`left join`
  return sql<boolean>`exists (
    select from (select m.space_id, m.page_id as id) p
    ${join} page_metadata d on d.space_id = p.space_id and d.page_id = p.id ${sql.join(joined(rows), sql` `)}
    where ${all(testsOf(query, rows))})`
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

/** The rows of the keys whose entries have to be there. */
function entriesOf({ conditions, orderBy }: Query): Map<string, RawBuilder<unknown>> {
  const keys = new Set(conditions.filter(needsEntry).map(({ key }) => key))
  return new Map([...keys].map((key, index) => [key, sql.ref(key === orderBy ? 'o' : `e${index}`)]))
}

function joined(rows: ReadonlyMap<string, RawBuilder<unknown>>): RawBuilder<unknown>[] {
  return [...rows].map(
    ([key, row]) => sql`join metadata_entry ${row}
      on ${row}.space_id = p.space_id and ${row}.page_id = p.id and ${ofKey(key, row)}`,
  )
}

function lookedUp(key: string, row: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`cross join lateral (${entry(key)} offset 0) ${row}`
}

function readsDocument({ conditions }: Query): boolean {
  return conditions.some((condition) => condition.kind === 'absent' || needsDocument(condition))
}

function entry(key: string): RawBuilder<unknown> {
  const x = sql.ref('x')
  return sql`select x.rank from metadata_entry x where x.space_id = p.space_id and x.page_id = p.id and ${ofKey(key, x)}`
}

function ofKey(key: string, row: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql.join(inRange(row, wholeKey(key)), sql` and `)
}

function testsOf(query: Query, rows: ReadonlyMap<string, RawBuilder<unknown>>): RawBuilder<boolean>[] {
  return query.conditions.flatMap((condition) => testOf(condition, rows.get(condition.key)))
}

function sortOf({ orderBy }: Query): RawBuilder<unknown> {
  if (orderBy === undefined) return sql`null::text`
  return sql`encode(substring(o.rank from ${rankBytes(orderBy) + 1}::int), 'hex')`
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
export function inSpaces(ids: readonly number[], row = sql.ref('p')): RawBuilder<boolean> {
  return ids.length <= FEW_SPACES
    ? sql<boolean>`${row}.space_id = any (${ids}::bigint[])`
    : sql<boolean>`${row}.space_id + 0 = any (${ids}::bigint[])`
}

/** All of the conditions. */
export function all(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}
