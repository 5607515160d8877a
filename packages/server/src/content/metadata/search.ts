import { AppError, inputError } from '@recto/contract/errors.ts'
import { isPageField, PAGE_FIELD_NAMES } from '@recto/contract/filter-ops.ts'
import { canonicalJson, isJsonObject, JsonError, parseJson } from '@recto/lib/json/json.ts'
import type { Ctx } from '../../access/ctx.ts'
import { type ReadableSpace, readableSpaces } from '../../access/space.ts'
import { TEMPLATES } from '../../access/template-folder.ts'
import { joinHidden, placesInFolder } from '../../access/visibility.ts'
import { buildPage, type List, type PageQuery, parseWindow, type Window } from '../../platform/http/paging.ts'
import { type Condition, parseFilters } from './filters.ts'
import { findMatches, type Match } from './matches/matches.ts'
import { BOUNDS } from './matches/scan.ts'
import { listSpacesWithTemplates, type MatchRow, readDocuments } from './matches/store-search.ts'
import { clockIn } from './relative-date.ts'
import type { FoundPage } from './schema.ts'
import type { Order, SortPosition } from './sort-position.ts'
import { indexedKeys } from './store-elements.ts'
import { fieldKey, keyProblem } from './value.ts'
import { keyWarnings, type Warning, withWarnings } from './warnings.ts'

export interface SearchMetadata extends PageQuery, OrderInput {
  readonly filters?: string
  readonly space?: string
  readonly includeMetadata?: boolean
  /** The time zone of relative dates. */
  readonly timeZone?: string
  /** False leaves page templates out. */
  readonly templates?: boolean
}

/** A page of results; `warnings` as in warnings.ts. */
export type FoundPages = List<FoundPage> & { readonly warnings?: Warning[] }

/** The readable pages that meet every filter, with keyset pagination. `matches.ts` decides how they are found. */
export async function searchMetadata(ctx: Ctx, input: SearchMetadata, bounds = BOUNDS): Promise<FoundPages> {
  const filters = parseFilters(input.filters ?? '[]', clockIn(ctx.now(), input.timeZone))
  const orders = parseOrders(input)
  const [first, ...further] = orders
  const [spaces, conditions] = await Promise.all([readableSpaces(ctx, input.space), byElements(ctx.db, filters)])
  const shape = ['text', ...further.map(() => 'text' as const), 'text', 'text'] as const
  const window = parseWindow(ctx, formatListName(ctx, input, orders), input, shape)
  const search = {
    ...bounds,
    db: ctx.db,
    spaces,
    spaceIds: spaces.map(({ id }) => id),
    hidden: input.templates === false ? await hideTemplates(ctx.db, spaces) : joinHidden(spaces),
    conditions,
    orderBy: first?.key,
    descending: first?.descending ?? false,
    further,
  }
  const matches = await findMatches(search, readPosition(window), window.limit + 1)
  const documents = input.includeMetadata ? await readMatchDocuments(ctx, matches.slice(0, window.limit)) : undefined
  const list = buildPage(
    window,
    matches,
    ({ sort, space, path, ...match }) =>
      [sort, ...further.map((_, at) => match.further[at])].map((key) => key ?? '').concat(space, path),
    ({ space, row }) => toItem(space, row, documents),
  )
  const result = { isEmpty: matches.length === 0, isOrdered: (matches[0]?.sort ?? null) !== null }
  return withWarnings(list, await keyWarnings(ctx, { ...input, orders }, result))
}

async function hideTemplates(db: Ctx['db'], spaces: readonly ReadableSpace[]): Promise<string | null> {
  const ids = spaces.map(({ id }) => id)
  const templates = placesInFolder(TEMPLATES, await listSpacesWithTemplates(db, ids))
  return joinHidden([...spaces, ...templates])
}

/** The conditions, with `element` in place of `contains` where rows of elements decide it. */
async function byElements(db: Ctx['db'], conditions: readonly Condition[]): Promise<readonly Condition[]> {
  const keys = conditions.flatMap(({ kind, key }) => (kind === 'contains' ? [key] : []))
  const indexedKeySet = await indexedKeys(db, [...new Set(keys)])
  return conditions.map((condition) =>
    condition.kind === 'contains' && indexedKeySet.has(condition.key) ? { ...condition, kind: 'element' } : condition,
  )
}

async function readMatchDocuments(ctx: Ctx, matches: readonly Match[]): Promise<Map<number, FoundPage['metadata']>> {
  const rows = await readDocuments(
    ctx.db,
    matches.map(({ row }) => row),
  )
  return new Map(rows.map((row) => [row.page_id, row.doc]))
}

function toItem(space: string, row: MatchRow, documents: Map<number, FoundPage['metadata']> | undefined): FoundPage {
  return {
    space,
    path: row.path,
    title: row.title,
    version: row.version,
    updatedAt: row.updated_at.toISOString(),
    ...(documents && { metadata: documents.get(row.id) ?? {} }),
  }
}

/** The position in a cursor; its shape was checked, and an empty sort key is none. */
function readPosition(window: Window): SortPosition | undefined {
  if (window.after === undefined) return undefined
  const sorts = window.after.map(String)
  const [space = '', path = ''] = sorts.splice(-2)
  if (!sorts.every((sort) => /^([0-9a-f]{2})*$/.test(sort))) {
    const detail = 'The cursor is not valid for this list. Start again without a cursor.'
    throw new AppError('invalid_cursor', detail)
  }
  const [sort = null, ...further] = sorts.map((each) => (each === '' ? null : each))
  return { sort, further, space, path }
}

/** The name of the list, equal for parameters that mean the same. */
function formatListName(ctx: Ctx, input: SearchMetadata, orders: readonly Order[]): string {
  const filters = canonicalJson(JSON.parse(input.filters ?? '[]'))
  const { space = null, timeZone = null, templates = true } = input
  return `metadata-search/${ctx.actor.id}/${JSON.stringify([filters, orders, space, timeZone, templates])}`
}

const MAX_ORDERS = 3
const MEMBERS = ['key', 'field', 'order']

interface OrderInput {
  readonly orderBy?: string
  readonly orderByField?: string
  readonly order?: 'asc' | 'desc'
  /** In place of these several orders, each as JSON. */
  readonly sort?: readonly string[]
}

/** The orders of a query, the most significant first: of `orderBy` or `orderByField`, or the JSON of each `sort`. */
function parseOrders({ orderBy, orderByField, order, sort }: OrderInput): Order[] {
  if (orderBy === undefined && orderByField === undefined) {
    if (order !== undefined) throw invalid('order', 'must be left out without orderBy')
    return parseSort(sort ?? [])
  }
  if (sort) throw invalid('sort', 'must be left out with orderBy')
  if (orderBy !== undefined && orderByField !== undefined)
    throw invalid('orderByField', 'must be left out with orderBy')
  const name = orderBy === undefined ? 'orderByField' : 'orderBy'
  return [{ key: parseKey({ key: orderBy, field: orderByField }, name), descending: order === 'desc' }]
}

function parseSort(sort: readonly string[]): Order[] {
  if (sort.length > MAX_ORDERS) throw invalid('sort', `must not be repeated more than ${MAX_ORDERS} times`)
  const orders = sort.map((text, index) => {
    const value = parseOrder(text)
    const { order = 'asc', ...named } = value ?? {}
    if (!value || Object.keys(value).some((name) => !MEMBERS.includes(name)) || (order !== 'asc' && order !== 'desc'))
      throw invalid(`sort/${index}`, 'must be JSON like { "key": "due", "order": "desc" }, or with field')
    return { key: parseKey(named, `sort/${index}`), descending: order === 'desc' }
  })
  if (new Set(orders.map(({ key }) => key)).size < orders.length) throw invalid('sort', 'must not name a key twice')
  return orders
}

function parseOrder(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(text)
    return isJsonObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

function parseKey({ key, field }: { readonly key?: unknown; readonly field?: unknown }, path: string): string {
  if (key === undefined) {
    if (isPageField(field)) return fieldKey(field)
    throw invalid(path, `must name a key, or a field: ${PAGE_FIELD_NAMES.join(', ')}`)
  }
  const problem = field === undefined && typeof key === 'string' ? keyProblem(key) : 'must name one key or field'
  if (typeof key !== 'string' || problem !== undefined) throw invalid(path, problem ?? '')
  return key
}

function invalid(path: string, message: string): AppError {
  return inputError('invalid_request', `The parameter ${path} ${message}.`, path, message)
}
