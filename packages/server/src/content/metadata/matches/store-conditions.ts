import { type RawBuilder, sql } from 'kysely'
import { elementRank, longArrayRank } from '../elements.ts'
import type { Condition } from '../filters.ts'
import { entryRank, entryRanksOfKey, type SortKey, type SortRange } from '../sort-key.ts'
import { objectText } from '../value.ts'

/*
 * The conditions of a metadata query as SQL, for the statements of store-search.ts. The same rows have the same alias
 * everywhere:
 *
 * - `page`: the page, at least its `space_id` and `id`.
 * - `metadata`: its row of page_metadata, the source of truth: all values as one JSON document. The GIN index
 *   page_metadata_doc serves `@>`, which is what `contains` needs, and `eq` where a sort key is not the whole value.
 * - `ordering`: its row of metadata_entry for the key of `orderBy`. Pages without the key have none.
 * - `entry_0`, `entry_1`, ...: its rows of metadata_entry for other keys. An entry has one column, `rank`: the key, a NUL
 *   and the sort key of the value. The index metadata_entry_rank serves ranges of values, of which `eq` is one.
 * - `element_0`, ...: its rows of metadata_element, one for each `element` condition. Their index finds the pages with an element.
 *
 * There are three ways to the pages, from which store-search.ts chooses:
 *
 * - `scanByIndex`: a join. PostgreSQL begins with the most selective index of all conditions.
 * - `scanByOrder`: entries of the key of `orderBy` in index order, each page then probed by its primary keys.
 * - `probeByPage`: pages in their own order, each then probed by its primary keys.
 */

/** Up to so many spaces are looked up in an index. */
export const MAX_INDEXED_SPACES = 30

/** The conditions of a search and its spaces, in the order of their slugs. */
export interface Query {
  readonly spaceIds: readonly number[]
  readonly conditions: readonly Condition[]
  readonly orderBy: string | undefined
}

/**
 * Matches by their value of `orderBy`: all, those without a value, those with any, or those with one value. Within the
 * groups `all`, `unvalued` and one value, matches are ordered by space and path.
 */
export type ConditionGroup = 'all' | 'unvalued' | 'valued' | { readonly value: SortKey }

/** What a statement selects from, and under which conditions. `sort` is the sort key of a match. */
export interface QueryParts {
  readonly from: RawBuilder<unknown>
  readonly where: readonly RawBuilder<boolean>[]
  readonly sort: RawBuilder<unknown>
}

const page = sql.ref('page')
const ordering = sql.ref('ordering')

/**
 * Joins to append to a list of candidates `page`. `offset 0` keeps each probe a lookup by primary key: without it the
 * planner may read all documents that meet a condition for the sake of a few hundred candidates.
 */
export function probeByPage(query: Query): QueryParts {
  const { orderBy } = query
  const required = requiredRows(query)
  const joins = required.map(({ table, alias, is }) => {
    const probed = sql.ref('probed')
    return sql`cross join lateral (
      select probed.rank from ${table} probed
      where probed.space_id = page.space_id and probed.page_id = page.id and ${is(probed)} offset 0) ${alias}`
  })
  const hasDocument = query.conditions.some(needsDocument)
  if (hasDocument) joins.unshift(probeDocument)
  if (orderBy !== undefined && !hasEntry(required, orderBy)) joins.push(probeOrdering(orderBy))
  return {
    from: sql.join(joins, sql` `),
    where: buildTests(query, required, hasDocument),
    sort: selectSortKey(query),
  }
}

const probeDocument = sql`left join lateral (
    select probed.doc from page_metadata probed
    where probed.space_id = page.space_id and probed.page_id = page.id offset 0) metadata on true`

/** Joins to append to candidates `ordering` with their `page`, which meet `hasOrderedValue`. */
export function scanByOrder(query: Query): QueryParts {
  const { orderBy, conditions } = query
  const others = conditions.filter(
    ({ key, kind }) => key !== orderBy || (kind !== 'range' && kind !== 'present'),
  )
  const { from, where } = probeByPage({ ...query, conditions: others, orderBy: undefined })
  return { from, where: [notInTrash, ...where], sort: selectSortKey(query) }
}

/**
 * The condition that `ordering` is of the key of `orderBy`, with a value in the ranges of the filters on this key.
 */
export function hasOrderedValue({ orderBy, conditions }: Query): RawBuilder<unknown>[] {
  if (orderBy === undefined) return []
  const ranges = conditions.flatMap((condition) =>
    condition.key === orderBy && condition.kind === 'range' ? buildTest(condition, ordering) : [],
  )
  return [isOfKey(orderBy, ordering), ...ranges]
}

/** All live pages of the spaces that meet the conditions and belong to the group. */
export function scanByIndex(query: Query, group: ConditionGroup): QueryParts {
  const { orderBy } = query
  const required = requiredRows(query)
  const needsValue = group === 'valued' || typeof group === 'object'
  const fromDocuments =
    query.conditions.some(needsDocument) || (readsDocument(query) && needsValue && required.length === 0)
  const hasDocument = fromDocuments || required.length === 0
  // The index finds the pages with one value. Entries of all values are joined only where nothing else finds the pages.
  const joinsOrdering = typeof group === 'object' || (group === 'valued' && hasDocument && !fromDocuments)
  if (joinsOrdering && orderBy !== undefined && !hasEntry(required, orderBy))
    required.push(entryRow(orderBy, ordering))
  const base = fromDocuments ? fromMetadata : fromRowOrPage(required[0])
  const joined = fromDocuments ? required : required.slice(1)
  const joins = joined.map(joinRow)
  if (orderBy !== undefined && !hasEntry(required, orderBy)) joins.push(joinOrdering(orderBy, group))
  return {
    from: sql`${base.from} ${sql.join(joins, sql` `)}`,
    where: [
      inSpaces(query.spaceIds),
      // The planner does not infer this: it would begin with the pages of all spaces.
      ...joined.map(({ alias }) => inFewSpaces(query.spaceIds, alias)),
      ...base.where,
      ...buildTests(query, required, fromDocuments || required.length === 0),
      ...(group === 'valued' ? [] : inGroup(query, group)),
    ],
    sort: selectSortKey(query),
  }
}

/** Pages in the trash keep their metadata, and no query finds them. They are few. */
const notInTrash = sql<boolean>`not exists (
  select from page trashed
  where trashed.deleted_at is not null and trashed.space_id = page.space_id and trashed.id = page.id)`

/** The rows that a scan begins with, and the condition that they are of live pages. */
type Base = Pick<QueryParts, 'from' | 'where'>

// Documents and entries name their page: the row of `page` is read for the matches only.
const fromMetadata: Base = {
  from: sql`page_metadata metadata
    cross join lateral (select metadata.space_id, metadata.page_id as id) page`,
  where: [sql<boolean>`not metadata.in_trash`],
}

function fromRowOrPage(row: RequiredRow | undefined): Base {
  if (!row) {
    return {
      from: sql`page
        left join page_metadata metadata on metadata.space_id = page.space_id and metadata.page_id = page.id`,
      where: [sql<boolean>`page.deleted_at is null`],
    }
  }
  const { table, alias, is } = row
  return {
    from: sql`${table} ${alias}
      cross join lateral (select ${alias}.space_id, ${alias}.page_id as id) page`,
    where: [notInTrash, is(alias)],
  }
}

function joinOrdering(orderBy: string, group: ConditionGroup): RawBuilder<unknown> {
  if (group === 'valued') return sql`cross join lateral (${entryOfPage(orderBy)} offset 0) ordering`
  if (group === 'all') return probeOrdering(orderBy)
  return sql`left join metadata_entry ordering
    on ordering.space_id = page.space_id and ordering.page_id = page.id and ${isOfKey(orderBy, ordering)}`
}

/** Whether the page of a row of `page_search` meets all conditions; a full-text search appends it to its own. */
export function matchesAll(conditions: readonly Condition[]): RawBuilder<boolean> {
  const query = { spaceIds: [], conditions, orderBy: undefined }
  const required = requiredRows(query)
  const join = conditions.some(needsDocument) ? sql`join` : sql`left join`
  return sql<boolean>`exists (
    select from (select page_search.space_id, page_search.page_id as id) page
    ${join} page_metadata metadata on metadata.space_id = page.space_id and metadata.page_id = page.id
    ${sql.join(required.map(joinRow), sql` `)}
    where ${all(buildTests(query, required, true))})`
}

/** The condition that the value of `ordering` comes after `value` in the direction of the scan. */
export function afterValue(
  { orderBy }: Query,
  value: SortKey | undefined,
  descending: boolean,
): RawBuilder<boolean>[] {
  if (orderBy === undefined || value === undefined) return []
  return [sql<boolean>`ordering.rank ${descending ? sql`<` : sql`>`} ${rankBytes(orderBy, value)}`]
}

/** The condition that a page belongs to a group other than `valued`. */
export function inGroup({ orderBy }: Query, group: Exclude<ConditionGroup, 'valued'>): RawBuilder<boolean>[] {
  if (orderBy === undefined || group === 'all') return []
  if (group === 'unvalued') return [sql<boolean>`ordering.rank is null`]
  return [sql<boolean>`ordering.rank = ${rankBytes(orderBy, group.value)}`]
}

/** A row that a page must have: its entry of a key, or one with an element. There is at most one. */
interface RequiredRow {
  readonly table: RawBuilder<unknown>
  readonly alias: RawBuilder<unknown>
  readonly is: (alias: RawBuilder<unknown>) => RawBuilder<boolean>
  /** What it is required for: all conditions on the entry of a key, or one on an element. */
  readonly of: string | Condition
}

function requiredRows({ conditions, orderBy }: Query): RequiredRow[] {
  const keys = new Set(conditions.filter(needsEntry).map(({ key }) => key))
  const entries = [...keys].map((key, index) =>
    entryRow(key, key === orderBy ? ordering : sql.ref(`entry_${index}`)),
  )
  const elements = conditions.flatMap((condition, index) => {
    if (condition.kind !== 'element') return []
    return [{ ...selectRows(condition), alias: sql.ref(`element_${index}`), of: condition }]
  })
  return [...entries, ...elements]
}

function entryRow(key: string, alias: RawBuilder<unknown>): RequiredRow {
  return { table: sql.table('metadata_entry'), alias, is: (alias) => isOfKey(key, alias), of: key }
}

function hasEntry(required: readonly RequiredRow[], key: string): boolean {
  return required.some(({ of }) => of === key)
}

function joinRow({ table, alias, is }: RequiredRow): RawBuilder<unknown> {
  return sql`join ${table} ${alias}
    on ${alias}.space_id = page.space_id and ${alias}.page_id = page.id and ${is(alias)}`
}

/** The rows that an index finds for a condition, of all pages that meet it and perhaps of others. */
export type FoundRows = Pick<RequiredRow, 'table' | 'is'>

/** Those of a condition that entries or elements decide; undefined for others. */
export function selectRows(condition: Condition & { readonly kind: 'element' }): FoundRows
export function selectRows(condition: Condition): FoundRows | undefined
export function selectRows(condition: Condition): FoundRows | undefined {
  const { kind, key } = condition
  switch (kind) {
    case 'element': {
      const ranks = [elementRank(key, condition.value), longArrayRank(key)]
      return {
        table: sql.table('metadata_element'),
        is: (alias) =>
          sql<boolean>`${alias}.rank in (${sql.join(ranks.map((rank) => sql`decode(${rank}, 'hex')`))})`,
      }
    }
    case 'range':
      return {
        table: sql.table('metadata_entry'),
        is: (alias) => isInRange(alias, toRankRange(key, condition.range)),
      }
    case 'present':
      return { table: sql.table('metadata_entry'), is: (alias) => isOfKey(key, alias) }
    default:
      return undefined
  }
}

/** The entry of the key of `orderBy`, if the page has one. */
function probeOrdering(orderBy: string): RawBuilder<unknown> {
  return sql`left join lateral (${entryOfPage(orderBy)} offset 0) ordering on true`
}

function entryOfPage(key: string): RawBuilder<unknown> {
  return sql`select probed.rank from metadata_entry probed
    where probed.space_id = page.space_id and probed.page_id = page.id and ${isOfKey(key, sql.ref('probed'))}`
}

function isOfKey(key: string, alias: RawBuilder<unknown>): RawBuilder<boolean> {
  return isInRange(alias, entryRanksOfKey(key))
}

function readsDocument({ conditions }: Query): boolean {
  return conditions.some((condition) => condition.kind === 'absent' || needsDocument(condition))
}

/** Whether only pages with an entry of the key meet the condition, and the entry decides it. */
function needsEntry({ kind }: Condition): boolean {
  return kind === 'range' || kind === 'present' || kind === 'differs'
}

/** Whether only pages with a document meet the condition, and the document decides it. */
function needsDocument(condition: Condition): boolean {
  const { kind } = condition
  return kind === 'equal' || kind === 'contains' || (kind === 'differs' && !condition.range)
}

/** `hasDocument`: whether the row `metadata` is joined. */
function buildTests(
  { conditions }: Query,
  required: readonly RequiredRow[],
  hasDocument: boolean,
): RawBuilder<boolean>[] {
  return conditions.flatMap((condition) => {
    const row = required.find(({ of }) => of === (condition.kind === 'element' ? condition : condition.key))
    if (condition.kind !== 'absent') return buildTest(condition, row?.alias)
    if (hasDocument) return [sql<boolean>`not coalesce(metadata.doc ? ${condition.key}::text, false)`]
    // Beside other rows of the page; `offset 0` keeps it a look-up by their key.
    return [sql<boolean>`not exists (${entryOfPage(condition.key)} offset 0)`]
  })
}

function buildTest(
  condition: Exclude<Condition, { readonly kind: 'absent' }>,
  row: RawBuilder<unknown> | undefined,
): RawBuilder<boolean>[] {
  const { key } = condition
  switch (condition.kind) {
    case 'present':
      return [] // its entry is joined
    case 'element':
      return row === undefined ? [] : [isElement(condition, row)]
    case 'range':
      return row === undefined ? [] : [isInRange(row, toRankRange(key, condition.range))]
    case 'differs':
      return condition.range && row !== undefined
        ? [sql<boolean>`${row}.rank <> ${rankBytes(key, condition.range.from)}`]
        : [sql<boolean>`${valueInDocument(key)} <> ${JSON.stringify(condition.value)}::jsonb`]
    case 'equal':
    case 'contains':
      return containment(condition)
  }
}

/**
 * A row of a long array names no element: the documents of these pages, which are few, decide. They are read once for a statement,
 * and only if such a row is met.
 */
function isElement({ key, value }: Condition & { readonly kind: 'element' }, row: RawBuilder<unknown>) {
  return sql<boolean>`(${row}.rank = decode(${elementRank(key, value)}, 'hex') or page.id = any(array(
    select long.page_id from metadata_element long
    cross join lateral (
      select from page_metadata metadata where metadata.space_id = long.space_id and metadata.page_id = long.page_id
        and ${all(containment({ kind: 'contains', key, value }))} offset 0
    ) document
    where long.rank = decode(${longArrayRank(key)}, 'hex'))))`
}

function toRankRange(key: string, range: SortRange): SortRange {
  return { ...range, from: entryRank(key, range.from), to: entryRank(key, range.to) }
}

/**
 * `@>`, which the index page_metadata_doc serves. It decides alone for scalars. But {"a":1,"b":2} contains {"a":1}:
 * objects and arrays are compared as well, within a `case`, because the planner would expect next to no rows from a
 * bare comparison.
 */
function containment(condition: Condition & { readonly kind: 'equal' | 'contains' }): RawBuilder<boolean>[] {
  const { key, kind, value } = condition
  const document = objectText([[key, kind === 'equal' ? value : [value]]])
  const contains = sql<boolean>`metadata.doc @> ${document}::jsonb`
  if (typeof value !== 'object' || value === null) return [contains]
  const json = JSON.stringify(value)
  const equal =
    kind === 'equal'
      ? sql`${valueInDocument(key)} = ${json}::jsonb`
      : sql`jsonb_typeof(${valueInDocument(key)}) = 'array'
          and exists (select from jsonb_array_elements(${valueInDocument(key)}) as element (value) where element.value = ${json}::jsonb)`
  return [contains, sql<boolean>`case when ${equal} then true else false end`]
}

function valueInDocument(key: string): RawBuilder<unknown> {
  return sql`(metadata.doc -> ${key}::text)`
}

/** The sort key of the value of `ordering`: what its rank holds after the key and a NUL. */
function selectSortKey({ orderBy }: Query): RawBuilder<unknown> {
  if (orderBy === undefined) return sql`null::text`
  return sql`encode(substring(ordering.rank from ${Buffer.byteLength(orderBy) + 2}::int), 'hex')`
}

function isInRange(alias: RawBuilder<unknown>, ranks: SortRange): RawBuilder<boolean> {
  return sql<boolean>`${alias}.rank ${ranks.fromIncluded ? sql`>=` : sql`>`} decode(${ranks.from}, 'hex')
    and ${alias}.rank ${ranks.toIncluded ? sql`<=` : sql`<`} decode(${ranks.to}, 'hex')`
}

function rankBytes(key: string, value: SortKey): RawBuilder<unknown> {
  return sql`decode(${entryRank(key, value)}, 'hex')`
}

/**
 * A few spaces are a condition for an index. Many are compared by a hash: `+ 0` keeps the condition away from indexes,
 * where each lookup of a page would go through the complete list.
 */
export function inSpaces(ids: readonly number[], alias = page): RawBuilder<boolean> {
  return ids.length <= MAX_INDEXED_SPACES
    ? sql<boolean>`${alias}.space_id = any (${ids}::bigint[])`
    : sql<boolean>`${alias}.space_id + 0 = any (${ids}::bigint[])`
}

/** The same where it is cheaper than other conditions of the page. */
export function inFewSpaces(ids: readonly number[], alias: RawBuilder<unknown>): RawBuilder<boolean> {
  return ids.length <= MAX_INDEXED_SPACES ? inSpaces(ids, alias) : sql<boolean>`true`
}

/** All of the conditions. */
export function all(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}
