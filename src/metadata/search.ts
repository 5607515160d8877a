import type { Ctx } from '../access/ctx.ts'
import { readableSpaces, requireSpace } from '../access/space.ts'
import { AppError } from '../errors.ts'
import { type List, type PageQuery, pageOf, type Window, windowOf } from '../http/paging.ts'
import { compareText } from '../lib/text-order.ts'
import { parseFilters } from './filters.ts'
import { compareRanks, type Rank } from './ranking.ts'
import type { FoundPage } from './schema.ts'
import type { SortKey } from './sort-key.ts'
import type { Group, Query } from './store-conditions.ts'
import {
  type After,
  findMetadataMatches,
  type MatchRow,
  readDocuments,
  sortPages,
  sortValues,
  walkPages,
  walkValues,
} from './store-search.ts'
import { canonicalJson, keyProblem } from './value.ts'

/** When a search changes its way; whatever they are, the answer is the same. */
interface Bounds {
  /** Up to so many matches are sorted here. */
  readonly few: number
  /** Among so many pages in their order, or twice as many, one looks for matches before all matches are sorted. */
  readonly among: number
}

const BOUNDS: Bounds = { few: 300, among: 8_000 }

export interface SearchMetadata extends PageQuery {
  readonly filters?: string
  readonly orderBy?: string
  readonly order?: 'asc' | 'desc'
  readonly space?: string
  readonly includeMetadata?: boolean
}

interface Ranked extends Rank {
  readonly row: MatchRow
}

interface Search extends Query, Bounds {
  readonly db: Ctx['db']
  /** In the order of their slugs. */
  readonly spaces: readonly { readonly id: number; readonly slug: string }[]
  readonly descending: boolean
}

/** The pages that the caller can read and that meet every filter. */
export async function searchMetadata(
  ctx: Ctx,
  input: SearchMetadata,
  bounds = BOUNDS,
): Promise<List<FoundPage>> {
  const conditions = parseFilters(input.filters ?? '[]')
  rejectBadOrder(input)
  const spaces =
    input.space === undefined ? await readableSpaces(ctx) : [await requireSpace(ctx, input.space, 'viewer')]
  const window = windowOf(ctx, nameOf(ctx, input), input, ['text', 'text', 'text'])
  const search: Search = {
    ...bounds,
    db: ctx.db,
    spaces,
    spaceIds: spaces.map(({ id }) => id),
    conditions,
    orderBy: input.orderBy,
    descending: input.order === 'desc',
  }
  const found = await rankedMatches(search, positionOf(window), window.limit + 1)
  const documents = input.includeMetadata ? await documentsOf(ctx, found.slice(0, window.limit)) : undefined
  return pageOf(
    window,
    found,
    ({ sort, space, path }) => [sort ?? '', space, path],
    ({ space, row }) => toItem(space, row, documents),
  )
}

/**
 * Matches in their order, after a position. Few matches are sorted here. Many are read value by value as an index has
 * them; only where the limit falls among pages with one value are these read in the order of spaces and paths.
 */
async function rankedMatches(search: Search, after: Rank | undefined, limit: number): Promise<Ranked[]> {
  if (search.spaces.length === 0) return []
  if (search.conditions.length > 0) {
    const few = await findMetadataMatches(search.db, search, undefined, search.few + 1)
    if (few.length <= search.few) return sorted(search, few, after).slice(0, limit)
  }
  if (search.orderBy === undefined) return inGroup(search, undefined, after, limit)
  return byValue(search, after, limit)
}

async function byValue(search: Search, after: Rank | undefined, limit: number): Promise<Ranked[]> {
  if (after && after.sort === null) return inGroup(search, null, after, limit)
  const begun = after ? await inGroup(search, after.sort, after, limit) : []
  if (begun.length >= limit) return begun
  const wanted = limit - begun.length
  const walked = await nextValues(search, after?.sort ?? undefined, wanted + 1)
  if (walked.length <= wanted) {
    const found = [...begun, ...sorted(search, walked, undefined)]
    return [...found, ...(await inGroup(search, null, undefined, limit - found.length))]
  }
  // The walk may have ended within the pages of one value: these are read again, in their order.
  const last = walked.at(-1)?.sort ?? null
  const before = sorted(
    search,
    walked.filter(({ sort }) => sort !== last),
    undefined,
  )
  const found = [...begun, ...before]
  return [...found, ...(await inGroup(search, last, undefined, limit - found.length))]
}

/** Matches of one group in the order of spaces and paths. */
async function inGroup(
  search: Search,
  group: Group,
  after: Rank | undefined,
  limit: number,
): Promise<Ranked[]> {
  if (limit <= 0) return []
  if (typeof group === 'string') {
    const few = await findMetadataMatches(search.db, search, group, search.few + 1)
    if (few.length <= search.few) return sorted(search, few, after).slice(0, limit)
  }
  const { query, from } = remaining(search, after)
  if (query.spaceIds.length === 0) return []
  const walk = { group, after: from, limit }
  const far = await nearBy(search, limit, group === undefined, (among) =>
    walkPages(search.db, query, { ...walk, among }),
  )
  if (far) return ranked(search, far)
  return ranked(search, await sortPages(search.db, query, walk))
}

/** So many matches in the order of their values, or all that there are. */
async function nextValues(search: Search, after: SortKey | undefined, limit: number): Promise<MatchRow[]> {
  const walk = { after, descending: search.descending, limit }
  const near = await nearBy(search, limit, true, (among) => walkValues(search.db, search, { ...walk, among }))
  return near ?? sortValues(search.db, search, walk)
}

/**
 * As many matches as are wanted, where they stand close together in the order: a short try tells how far one has to look
 * for them. Where nothing is asked of a page, the first ones are the answer.
 */
async function nearBy(
  { conditions, among }: Search,
  limit: number,
  any: boolean,
  walk: (among: number) => Promise<MatchRow[]>,
): Promise<MatchRow[] | undefined> {
  const short = conditions.length === 0 && any ? limit : 8 * limit
  const near = await walk(short)
  if (near.length >= limit) return near
  const expected = Math.ceil((1.5 * short * limit) / near.length)
  // What several conditions leave is less than what an index finds by one of them: all that would be looked at.
  if (expected > (conditions.length > 1 ? 2 * among : among)) return undefined
  const far = await walk(expected)
  return far.length >= limit ? far : undefined
}

/** The search among the spaces from the position on. */
function remaining(search: Search, after: Rank | undefined): { query: Query; from: After | undefined } {
  if (!after) return { query: search, from: undefined }
  const spaces = search.spaces.filter(({ slug }) => compareText(slug, after.space) >= 0)
  const first = spaces[0]
  const from = first?.slug === after.space ? { spaceId: first.id, path: after.path } : undefined
  return { query: { ...search, spaceIds: spaces.map(({ id }) => id) }, from }
}

function sorted(search: Search, rows: readonly MatchRow[], after: Rank | undefined): Ranked[] {
  const compare = (a: Rank, b: Rank) => compareRanks(a, b, search.descending)
  const all = ranked(search, rows).sort(compare)
  return after ? all.filter((match) => compare(match, after) > 0) : all
}

function ranked(search: Search, rows: readonly MatchRow[]): Ranked[] {
  const slugs = new Map(search.spaces.map(({ id, slug }) => [id, slug]))
  return rows.map((row) => ({ row, sort: row.sort, space: slugs.get(row.space_id) ?? '', path: row.path }))
}

async function documentsOf(ctx: Ctx, found: readonly Ranked[]): Promise<Map<number, FoundPage['metadata']>> {
  const rows = await readDocuments(
    ctx.db,
    found.map(({ row }) => row),
  )
  return new Map(rows.map((row) => [row.page_id, row.doc]))
}

function toItem(
  space: string,
  row: MatchRow,
  documents: Map<number, FoundPage['metadata']> | undefined,
): FoundPage {
  return {
    space,
    path: row.path,
    title: row.title,
    version: row.version,
    updatedAt: row.updated_at.toISOString(),
    ...(documents && { metadata: documents.get(row.id) ?? {} }),
  }
}

/** The position that a cursor holds; its shape was checked, and an empty sort key is none. */
function positionOf(window: Window): Rank | undefined {
  if (window.after === undefined) return undefined
  const [sort, space, path] = window.after.map(String)
  if (sort === undefined || space === undefined || path === undefined || !/^([0-9a-f]{2})*$/.test(sort)) {
    throw new AppError('invalid_cursor', 'The cursor is not one that this list gave: start without it.')
  }
  return { sort: sort === '' ? null : sort, space, path }
}

/** The name of the list, equal for parameters that mean the same. */
function nameOf(ctx: Ctx, input: SearchMetadata): string {
  const filters = canonicalJson(JSON.parse(input.filters ?? '[]'))
  const { orderBy = null, order = 'asc', space = null } = input
  return `metadata-search/${ctx.actor.id}/${JSON.stringify([filters, orderBy, order, space])}`
}

function rejectBadOrder({ orderBy, order }: SearchMetadata): void {
  if (orderBy === undefined && order !== undefined) {
    throw invalid('order', 'must be left out without orderBy')
  }
  const problem = orderBy === undefined ? undefined : keyProblem(orderBy)
  if (problem !== undefined) throw invalid('orderBy', problem)
}

function invalid(path: string, message: string): AppError {
  return new AppError('invalid_request', `The parameter ${path} ${message}.`, { issues: [{ path, message }] })
}
