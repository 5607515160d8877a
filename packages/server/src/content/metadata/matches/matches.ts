import { compareText } from '@recto/lib/text/text-order.ts'
import type { Condition } from '../filters.ts'
import type { SortKey } from '../sort-key.ts'
import { comparePositions, type SortPosition } from '../sort-position.ts'
import { isFieldKey } from '../value.ts'
import { type MatchQuery, type Search, scanNear } from './scan.ts'
import type { ConditionGroup, Query } from './store-conditions.ts'
import * as store from './store-search.ts'

/*
 * Finds the next matches of a metadata query in its order: by value, pages without one last, then by space and path.
 * scan.ts decides how.
 *
 * Without `orderBy` all matches are one group, in the order of spaces and paths. With `orderBy` a position in the order
 * is in one of three states, which `findByValue` goes through:
 *
 * - ties: other pages with the value of the position, in the order of spaces and paths;
 * - next values: pages with values after it, which the index has in order, but the pages of one value in any order.
 *   Where the limit cuts the pages of one value, these are read again as ties;
 * - unvalued: pages without a value, in the order of spaces and paths. Every page has its fields.
 *
 * With several orders, ties and pages without a value are a query of their own: by the other orders.
 */

export interface Match extends SortPosition {
  readonly row: store.MatchRow
}

/** A group in which only space and path order the matches. */
type TieGroup = store.AddressWindow['group']

/** The first matches after a position, in their order. */
export async function findMatches(query: MatchQuery, after: SortPosition | undefined, limit: number): Promise<Match[]> {
  if (query.spaces.length === 0) return []
  const search: Search = { ...query }
  return query.orderBy === undefined ? findByAddress(search, 'all', after, limit) : findByValue(search, after, limit)
}

async function findByValue(search: Search, after: SortPosition | undefined, limit: number): Promise<Match[]> {
  let matches: readonly Match[] = []
  const missing = () => limit - matches.length
  if (after?.sort !== null) {
    if (after) matches = await findTies(search, { value: after.sort }, after, limit)
    if (missing() <= 0) return [...matches]
    const next = await findNextValues(search, after?.sort, missing() + 1)
    // With one more than is missing the limit may have cut the pages of the last value.
    const cut = next.length > missing() ? next.at(-1)?.sort : undefined
    const complete = next.filter(({ sort }) => sort !== cut)
    matches = [...matches, ...sorted(search, await readFurther(search, complete), undefined)]
    if (missing() <= 0) return matches.slice(0, limit)
    if (cut) return [...matches, ...(await findTies(search, { value: cut }, undefined, missing()))]
  }
  if (search.orderBy !== undefined && isFieldKey(search.orderBy)) return [...matches]
  return [...matches, ...(await findTies(search, 'unvalued', after?.sort === null ? after : undefined, missing()))]
}

/** Matches with one value, or without one, by the other orders. */
async function findTies(
  search: Search,
  group: Exclude<TieGroup, 'all'>,
  after: SortPosition | undefined,
  limit: number,
): Promise<Match[]> {
  const [order, ...further] = search.further
  if (!order) return findByAddress(search, group, after, limit)
  // What is known of all matches is not known of those of the group.
  const { few, ...query } = search
  const ties = { ...query, conditions: withGroup(search, group), orderBy: order.key, descending: order.descending }
  const [next = null, ...others] = after?.further ?? []
  const position = after && { ...after, sort: next, further: others }
  const sort = typeof group === 'object' ? group.value : null
  const matches = await findMatches({ ...ties, further }, position, limit)
  return matches.map((match) => ({ ...match, sort, further: [match.sort, ...match.further] }))
}

/** The rows with the values of the further orders. */
async function readFurther(
  { db, further }: Search,
  rows: readonly store.MatchRow[],
): Promise<readonly store.MatchRow[]> {
  if (further.length === 0 || rows.length === 0) return rows
  const keys = further.map(({ key }) => key)
  const sortsById = new Map((await store.readSortKeys(db, keys, rows)).map(({ page_id, sorts }) => [page_id, sorts]))
  return rows.map((row) => ({ ...row, further: sortsById.get(row.id) }))
}

/** Matches of one group in the order of spaces and paths. */
async function findByAddress(
  search: Search,
  group: TieGroup,
  after: SortPosition | undefined,
  limit: number,
): Promise<Match[]> {
  const conditions = withGroup(search, group)
  if (limit <= 0 || isContradiction(conditions)) return []
  const wantedAfter = { after: group === 'unvalued' ? null : undefined, descending: search.descending, limit }
  const few =
    typeof group === 'object'
      ? await store.findFewMatches(search.db, search, group, { ...wantedAfter, most: search.sortLimit })
      : search.few
  if (few) return listFew(search, few, group, after).slice(0, limit)
  if (typeof group === 'object') search.few = null // those of all groups are no fewer
  const { rest, position } = restOfSpaces(search, after)
  if (rest.spaceIds.length === 0) return []
  const window = { group, after: position, limit }
  const query = { ...rest, conditions, orderBy: undefined }
  const near = await scanNear(search, {
    query,
    wanted: wantedAfter,
    scan: (scan) => store.scanByAddress(search.db, rest, { ...window, ...scan }),
  })
  if (near) return toMatches(search, near)
  if (search.few) return listFew(search, search.few, group, after).slice(0, limit)
  return toMatches(search, await store.sortByAddress(search.db, rest, window))
}

/** The conditions that the matches of a group meet. One value is in all ranges of the query. */
function withGroup({ conditions, orderBy: key }: Search, group: ConditionGroup): Condition[] {
  if (key === undefined || group === 'all') return [...conditions]
  if (group === 'unvalued') return [...conditions, { kind: 'absent', key }]
  if (group === 'valued') return [...conditions, { kind: 'present', key }]
  const { value } = group
  const range = { from: value, fromIncluded: true, to: value, toIncluded: true }
  const others = conditions.filter((condition) => condition.key !== key || condition.kind !== 'range')
  return [...others, { kind: 'range', key, range }]
}

/** Whether a key has to be missing and to have a value: nothing is read then. */
function isContradiction(conditions: readonly Condition[]): boolean {
  const absent = new Set(conditions.filter(({ kind }) => kind === 'absent').map(({ key }) => key))
  return conditions.some(({ kind, key }) => kind !== 'absent' && absent.has(key))
}

/** Where all matches are found and sorted, more of them cost little, and may complete the pages of a value. */
const MORE_SORTED = 50

/** Pages with the next values, in the order of the values alone; they may be more than the limit. */
async function findNextValues(
  search: Search,
  after: SortKey | undefined,
  limit: number,
): Promise<readonly store.MatchRow[]> {
  if (isContradiction(withGroup(search, 'valued'))) return []
  const window = { after, descending: search.descending, limit }
  const near = await scanNear(search, {
    query: search,
    wanted: window,
    scan: (scan) => store.scanByValue(search.db, search, { ...window, ...scan }),
  })
  if (near) return near
  if (!search.few) return store.sortByValue(search.db, search, { ...window, limit: limit + MORE_SORTED })
  const isNext = ({ sort }: store.MatchRow) =>
    sort !== null && (after === undefined || (search.descending ? sort < after : sort > after))
  return search.few
    .filter(isNext)
    .sort((a, b) => compareText(a.sort ?? '', b.sort ?? '') * (search.descending ? -1 : 1))
    .slice(0, limit)
}

/** The query in the spaces from the position on, and the position within the first of them. */
function restOfSpaces(
  query: MatchQuery,
  after: SortPosition | undefined,
): { rest: Query; position: store.AddressPosition | undefined } {
  if (!after) return { rest: query, position: undefined }
  const spaces = query.spaces.filter(({ slug }) => compareText(slug, after.space) >= 0)
  const first = spaces[0]
  const position = first?.slug === after.space ? { spaceId: first.id, path: after.path } : undefined
  return { rest: { ...query, spaceIds: spaces.map(({ id }) => id) }, position }
}

/** Those of a group that come after the position, in their order. */
function listFew(
  search: Search,
  few: readonly store.MatchRow[],
  group: TieGroup,
  after: SortPosition | undefined,
): Match[] {
  const value = typeof group === 'object' ? group.value : null
  return sorted(search, group === 'all' ? few : few.filter(({ sort }) => sort === value), after)
}

function sorted(query: MatchQuery, rows: readonly store.MatchRow[], after: SortPosition | undefined): Match[] {
  const orders = [{ key: query.orderBy ?? '', descending: query.descending }, ...query.further]
  const compare = (a: SortPosition, b: SortPosition) => comparePositions(a, b, orders)
  const matches = toMatches(query, rows).sort(compare)
  return after ? matches.filter((match) => compare(match, after) > 0) : matches
}

function toMatches({ spaces }: MatchQuery, rows: readonly store.MatchRow[]): Match[] {
  const slugs = new Map(spaces.map(({ id, slug }) => [id, slug]))
  return rows.map((row) => {
    const { sort, further = [], path } = row
    return { row, sort, further, space: slugs.get(row.space_id) ?? '', path }
  })
}
