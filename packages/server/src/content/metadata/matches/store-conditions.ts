import { type RawBuilder, sql } from 'kysely'
import type { Condition } from '../filters.ts'
import { entryPrefix, type SortKey } from '../sort-key.ts'
import { isFieldKey } from '../value.ts'
import * as kinds from './store-condition-kinds.ts'
import { entriesOfKey } from './store-condition-kinds.ts'

/*
 * The conditions of a metadata query as SQL, for the statements of store-search.ts. store-condition-kinds.ts has what
 * each kind is. The same rows have the same alias everywhere:
 *
 * - `page`: the page, at least its `space_id` and `id`.
 * - `metadata`: its row of page_metadata, the source of truth: all values as one JSON document. The GIN index
 *   page_metadata_doc serves `@>`, which is what `contains` needs, and `eq` where a sort key is not the whole value.
 * - `ordering`: its row of metadata_entry for the key of `orderBy`. Pages without the key have none.
 * - `entry_0`, `entry_1`, ...: its rows of metadata_entry for other keys. An entry has one column, `rank`: the key, a
 * NUL
 *   and the sort key of the value. The index metadata_entry_rank serves ranges of values, of which `eq` is one.
 * - `element_0`, ...: its rows of metadata_element, one for each `element` condition. Their index finds the pages with
 * an element.
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
  /** The places that folder rules hide from the caller; null: none, and nothing is done for them. */
  readonly hidden: string | null
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
  const requiredEntries = requiredRows(query)
  const joins = requiredEntries.map(({ table, alias, is }) => {
    const probedTable = sql.ref('probed')
    return sql`cross join lateral (
      select probed.rank from ${table} probed
      where probed.space_id = page.space_id and probed.page_id = page.id and ${is(probedTable)} offset 0) ${alias}`
  })
  const hasDocument = query.conditions.some(kinds.needsDocument)
  if (hasDocument) joins.unshift(probeDocument)
  if (orderBy !== undefined && !hasEntry(requiredEntries, orderBy)) joins.push(probeOrdering(orderBy))
  return {
    from: sql.join(joins, sql` `),
    where: buildTests(query, requiredEntries, hasDocument),
    sort: selectSortKey(query),
  }
}

const probeDocument = sql`left join lateral (
    select probed.doc from page_metadata probed
    where probed.space_id = page.space_id and probed.page_id = page.id offset 0) metadata on true`

/** Joins to append to candidates `ordering` with their `page`, which meet `hasOrderedValue`. */
export function scanByOrder(query: Query): QueryParts {
  const { orderBy, conditions } = query
  const others = conditions.filter((condition) => condition.key !== orderBy || !kinds.isDecidedByRows(condition))
  const { from, where } = probeByPage({ ...query, conditions: others, orderBy: undefined })
  return { from, where: [notInTrash, ...where], sort: selectSortKey(query) }
}

/** The condition that `ordering` is of the key of `orderBy`, with a value in the ranges of the filters on this key. */
export function hasOrderedValue({ orderBy, conditions }: Query): RawBuilder<unknown>[] {
  if (orderBy === undefined) return []
  const ranges = conditions.flatMap((condition) =>
    condition.key === orderBy && kinds.isDecidedByRows(condition)
      ? kinds.buildTest(condition, { row: ordering, hasDocument: false })
      : [],
  )
  return [kinds.isOfKey(orderBy, ordering), ...ranges]
}

/** All live pages of the spaces that meet the conditions and belong to the group. */
export function scanByIndex(query: Query, group: ConditionGroup): QueryParts {
  const { orderBy } = query
  const requiredEntries = requiredRows(query)
  const needsValue = group === 'valued' || typeof group === 'object'
  // Pages without a document have fields, too.
  const isField = orderBy !== undefined && isFieldKey(orderBy)
  const fromDocuments =
    query.conditions.some(kinds.needsDocument) ||
    (query.conditions.some(kinds.readsDocument) && needsValue && !isField && requiredEntries.length === 0)
  const hasDocument = fromDocuments || requiredEntries.length === 0
  // The index finds the pages with one value. Entries of all values are joined only where nothing else finds the pages.
  const joinsOrdering = typeof group === 'object' || (group === 'valued' && hasDocument && !fromDocuments)
  if (joinsOrdering && orderBy !== undefined && !hasEntry(requiredEntries, orderBy))
    requiredEntries.push(entryRow(orderBy, ordering))
  const base = fromDocuments ? fromMetadata : fromRowOrPage(requiredEntries[0])
  const joinedEntries = fromDocuments ? requiredEntries : requiredEntries.slice(1)
  const joins = joinedEntries.map(joinRow)
  if (orderBy !== undefined && !hasEntry(requiredEntries, orderBy)) joins.push(joinOrdering(orderBy, group))
  return {
    from: sql`${base.from} ${sql.join(joins, sql` `)}`,
    where: [
      inSpaces(query.spaceIds),
      // The planner does not infer this: it would begin with the pages of all spaces.
      ...joinedEntries.map(({ alias }) => inFewSpaces(query.spaceIds, alias)),
      ...base.where,
      ...buildTests(query, requiredEntries, fromDocuments || requiredEntries.length === 0),
      ...(group === 'valued' ? [] : inGroup(query, group)),
    ],
    sort: selectSortKey(query),
  }
}

/** Pages in the trash keep their metadata, and no query finds them. They are few. */
export const notInTrash = sql<boolean>`not exists (
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
  if (group === 'valued') return sql`cross join lateral (${kinds.entryOfPage(orderBy)} offset 0) ordering`
  if (group === 'all') return probeOrdering(orderBy)
  return sql`left join ${entriesOfKey(orderBy)} ordering
    on ordering.space_id = page.space_id and ordering.page_id = page.id and ${kinds.isOfKey(orderBy, ordering)}`
}

/** Whether the page of a row of `page_search` meets all conditions; a full-text search appends it to its own. */
export function matchesAll(conditions: readonly Condition[]): RawBuilder<boolean> {
  const query = { spaceIds: [], hidden: null, conditions, orderBy: undefined }
  const requiredEntries = requiredRows(query)
  const join = conditions.some(kinds.needsDocument) ? sql`join` : sql`left join`
  return sql<boolean>`exists (
    select from (select page_search.space_id, page_search.page_id as id) page
    ${join} page_metadata metadata on metadata.space_id = page.space_id and metadata.page_id = page.id
    ${sql.join(requiredEntries.map(joinRow), sql` `)}
    where ${kinds.all(buildTests(query, requiredEntries, true))})`
}

/** The condition that the value of `ordering` comes after `value` in the direction of the scan. */
export function afterValue({ orderBy }: Query, value: SortKey | undefined, descending: boolean): RawBuilder<boolean>[] {
  if (orderBy === undefined || value === undefined) return []
  return [sql<boolean>`ordering.rank ${descending ? sql`<` : sql`>`} ${kinds.entryKeyBytes(orderBy, value)}`]
}

/** The condition that a page belongs to a group other than `valued`. */
export function inGroup({ orderBy }: Query, group: Exclude<ConditionGroup, 'valued'>): RawBuilder<boolean>[] {
  if (orderBy === undefined || group === 'all') return []
  if (group === 'unvalued') return [sql<boolean>`ordering.rank is null`]
  return [sql<boolean>`ordering.rank = ${kinds.entryKeyBytes(orderBy, group.value)}`]
}

/** A row that a page must have: its entry of a key, or one with an element. There is at most one. */
interface RequiredRow extends kinds.IndexRows {
  readonly alias: RawBuilder<unknown>
  /** What it is required for: all conditions on the entry of a key, or one on an element. */
  readonly of: string | Condition
}

function requiredRows({ conditions, orderBy }: Query): RequiredRow[] {
  const keys = new Set(conditions.filter(kinds.needsEntry).map(({ key }) => key))
  const entries = [...keys].map((key, index) => entryRow(key, key === orderBy ? ordering : sql.ref(`entry_${index}`)))
  const elements = conditions.flatMap((condition, index) => {
    const rows = kinds.needsOwnRow(condition) ? kinds.selectRows(condition) : undefined
    return rows ? [{ ...rows, alias: sql.ref(`element_${index}`), of: condition }] : []
  })
  return [...entries, ...elements]
}

function entryRow(key: string, alias: RawBuilder<unknown>): RequiredRow {
  return { table: entriesOfKey(key), alias, is: (alias) => kinds.isOfKey(key, alias), of: key }
}

function hasEntry(requiredEntries: readonly RequiredRow[], key: string): boolean {
  return requiredEntries.some(({ of }) => of === key)
}

function joinRow({ table, alias, is }: RequiredRow): RawBuilder<unknown> {
  return sql`join ${table} ${alias}
    on ${alias}.space_id = page.space_id and ${alias}.page_id = page.id and ${is(alias)}`
}

/** The entry of the key of `orderBy`, if the page has one. */
function probeOrdering(orderBy: string): RawBuilder<unknown> {
  return sql`left join lateral (${kinds.entryOfPage(orderBy)} offset 0) ordering on true`
}

/** `hasDocument`: whether the row `metadata` is joined. */
function buildTests(
  { conditions }: Query,
  requiredEntries: readonly RequiredRow[],
  hasDocument: boolean,
): RawBuilder<boolean>[] {
  return conditions.flatMap((condition) => {
    const row = requiredEntries.find(({ of }) => of === (kinds.needsOwnRow(condition) ? condition : condition.key))
    return kinds.buildTest(condition, { row: row?.alias, hasDocument })
  })
}

/** The sort key of the value of `ordering`: what its rank holds after the key and a NUL. */
export function selectSortKey({ orderBy }: Pick<Query, 'orderBy'>): RawBuilder<unknown> {
  if (orderBy === undefined) return sql`null::text`
  return sql`encode(substring(ordering.rank from ${entryPrefix(orderBy).length / 2 + 1}::int), 'hex')`
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
