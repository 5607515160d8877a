import { AppError } from '@recto/contract/errors.ts'
import type { Backlog } from '@recto/lib/concurrency/backlog.ts'
import { findMinimum } from '@recto/lib/extremes.ts'
import { iconMember } from '@recto/lib/text/emoji.ts'
import { compareText } from '@recto/lib/text/text-order.ts'
import type { Pool } from '@recto/markdown/engine/pool.ts'
import type { Ctx } from '../../access/ctx.ts'
import { requireSpace } from '../../access/space.ts'
import { joinHidden, toAccessSubject } from '../../access/visibility.ts'
import { buildPage, type PageQuery, type Position, parseWindow } from '../../platform/http/paging.ts'
import { type Condition, parseFilters } from '../metadata/filters.ts'
import { keyWarnings, withWarnings } from '../metadata/warnings.ts'
import { isEmptyQuery, parseQuery, type SearchQuery, wordsToShow } from './query.ts'
import { BLOCK, listRanked, type Progress, type Ranked, type Ranking, TIERS } from './ranking.ts'
import { AS_WRITTEN, corrected, mostTerms, positiveTerms, type Reading, relax } from './relax.ts'
import type { Hit, SearchResult } from './schema.ts'
import { packIds, unpackIds } from './shown-ids.ts'
import type { Snippet } from './snippets/snippet.ts'
import { makeSnippets } from './snippets/snippets.ts'
import {
  areSmall,
  endOfPages,
  type FoundRow,
  MAX_SMALL,
  type Matching,
  readFound,
  type Tier,
  toColumns,
} from './store.ts'
import {
  buildCondition,
  chooseTemplates,
  indexedFor,
  readSearched,
  type SearchedSpace,
  spacesToSearch,
} from './store-operators.ts'
import type { SearchedPages } from './store-templates.ts'
import { listNeighbours, termText, toTsquery } from './tsquery.ts'

export interface Search extends PageQuery {
  readonly q: string
  readonly space?: string
  readonly filters?: string
  /** Neither corrected nor relaxed. */
  readonly asTyped?: boolean
}

export interface SearchDeps {
  /** The worker that makes snippets of large bodies. */
  readonly snippets: Pick<Pool, 'run'>
  /** Pages that are being indexed again. */
  readonly unindexed: Pick<Backlog, 'wait'>
}

/** When a search changes its plan: the matches of a block, and the pages of small spaces. */
export interface SearchBounds {
  readonly block: number
  readonly small: number
}

/** The size of all ids in a cursor: with corrections, a cursor has at most 8,192 characters. */
const MAX_ID_BYTES = 4_096
/** The maximum of languages: each has a stem of every word of a query. */
const MAX_LANGUAGES = 6
const MAX_WAIT_MS = 1_000

/**
 * The pages that the caller can read and that match the query, in two tiers: first those whose title meets it, then
 * the others. Each tier is ranked in blocks of 1,000 pages, from the newest page to the oldest; within a block by
 * score, then by space and path. A page that is created gets the next id of one sequence, so that neither the order of
 * ids nor the length of a cursor (`packIds`) reveals anything about hidden pages.
 */
export async function searchPages(
  ctx: Ctx,
  input: Search,
  deps: SearchDeps,
  bounds: SearchBounds = { block: BLOCK, small: MAX_SMALL },
): Promise<SearchResult> {
  if (!input.q.isWellFormed()) throw new AppError('invalid_request', 'The query is not well-formed Unicode.')
  const filters = input.filters === undefined ? undefined : parseFilters(input.filters)
  const space = input.space === undefined ? undefined : await requireSpace(ctx, input.space, 'viewer')
  const name = JSON.stringify(['search', ctx.actor.id, space?.id, input.q, input.filters])
  const window = parseWindow(ctx, name, input, ['integer', 'integer', 'text', 'text', 'text'])
  const plain = parseQuery(input.q)
  if (isEmptyQuery(plain)) return { items: [], nextCursor: null }
  // Pages whose metadata this process has changed are usually indexed by now.
  await deps.unindexed.wait(MAX_WAIT_MS)
  const scope = await buildScope(ctx, plain, { spaceId: space?.id, filters, bounds })
  const progress = toProgress(window.after, scope.end)
  const find = (reading: Reading) => findRanked(scope, input.q, reading, { progress, limit: window.limit + 1 })
  let foundReading = await find(chooseReading(window.after))
  if (!window.after && !input.asTyped) {
    const reading = await otherReading(scope, input.q, foundReading)
    if (reading) foundReading = await find(reading)
  }
  const { reading, hits } = foundReading
  const shownHits = hits.slice(0, window.limit)
  const items = await toHits(ctx, shownHits, foundReading.query, deps)
  const { nextCursor } = buildPage(
    window,
    hits,
    (last) => [...positionAfter(progress, shownHits, last), JSON.stringify(reading)],
    (hit) => hit,
  )
  const list = {
    items,
    nextCursor,
    ...(reading.relaxed && { relaxed: true as const }),
    ...(reading.corrections.length > 0 && { corrected: corrected(input.q, reading) }),
  }
  // Which keys are in use is metadata, too.
  if (ctx.actor.visitor !== undefined) return list
  return withWarnings(list, await keyWarnings(ctx, input, { isEmpty: items.length === 0, isOrdered: true }))
}

/** The scope of a search. */
interface Scope {
  readonly ctx: Ctx
  readonly readable: readonly SearchedSpace[]
  readonly searched: readonly SearchedSpace[]
  readonly templates: SearchedPages['templates']
  /** The places that are hidden in the readable spaces. */
  readonly hidden: string | null
  /** Whether the searched spaces have few pages. */
  readonly small: boolean
  readonly languages: readonly string[]
  readonly end: number
  readonly filters: readonly Condition[] | undefined
  readonly block: number
}

async function buildScope(
  ctx: Ctx,
  query: SearchQuery,
  input: Pick<Scope, 'filters'> & { readonly spaceId: number | undefined; readonly bounds: SearchBounds },
): Promise<Scope> {
  const { spaceId, filters, bounds } = input
  const [readable, end] = await Promise.all([
    readSearched.all(ctx.db, toAccessSubject(ctx.actor)),
    endOfPages.first(ctx.db, {}),
  ])
  const inSpace = spaceId === undefined ? readable : readable.filter(({ id }) => id === spaceId)
  const searchedSpaces = spacesToSearch(query, inSpace)
  const small = await areSmall(
    ctx.db,
    searchedSpaces.map(({ id }) => id),
    bounds.small,
  )
  const languages = listLanguages(searchedSpaces)
  return {
    ctx,
    readable,
    searched: searchedSpaces,
    templates: chooseTemplates(query, inSpace),
    hidden: joinHidden(readable),
    small,
    languages,
    end: end?.id ?? 0,
    filters,
    block: bounds.block,
  }
}

/** The languages of the stems of a query: the most common ones of the spaces. */
function listLanguages(spaces: readonly SearchedSpace[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { languages } of spaces) {
    for (const language of new Set(languages)) counts.set(language, (counts.get(language) ?? 0) + 1)
  }
  counts.delete('none')
  return [...counts]
    .sort(([a, n], [b, m]) => m - n || compareText(a, b))
    .slice(0, MAX_LANGUAGES)
    .map(([language]) => language)
}

async function findRanked(
  scope: Scope,
  q: string,
  reading: Reading,
  { progress, limit }: { readonly progress: Progress; readonly limit: number },
) {
  const ranking = buildRanking(scope, q, reading)
  return { reading, query: ranking.query, hits: await listRanked(ranking, progress, limit) }
}

function buildRanking(scope: Scope, q: string, reading: Reading): Ranking {
  const { ctx, readable, hidden, end, block } = scope
  const { minimum } = reading
  const query = parseQuery(corrected(q, reading), scope.languages)
  const matching = matchingFor(scope, query, minimum)
  const terms = minimum > 0 ? positiveTerms(query).flatMap((term) => termText(term, 'any') ?? []) : []
  return {
    db: ctx.db,
    query,
    matching,
    scoring: {
      // The cost of cover density grows with the number of alternatives.
      query: minimum > 0 ? undefined : matching.query,
      exact: toTsquery(query, 'exact'),
      terms,
      neighbours: listNeighbours(query),
    },
    readable: readable.map(({ id }) => id),
    hidden,
    end,
    block,
    now: ctx.now(),
  }
}

function matchingFor(
  { ctx, searched, hidden, templates, small, filters }: Scope,
  query: SearchQuery,
  minimum: number,
): Matching {
  const text = toTsquery(query, 'any', minimum)
  return {
    spaceIds: searched.map(({ id }) => id),
    hidden,
    templates,
    query: text,
    prefilter: toTsquery(query, 'complete', minimum),
    negative: query.branches.some((terms) => terms.some(({ negative }) => negative)),
    condition: buildCondition(ctx.actor, query, filters),
    small: small && text !== undefined,
  }
}

/** Another interpretation of a query without results, or of a question that no title answers; undefined: none. */
async function otherReading(
  scope: Scope,
  q: string,
  { query, hits }: { readonly query: SearchQuery; readonly hits: readonly Ranked[] },
): Promise<Reading | undefined> {
  const search = {
    db: scope.ctx.db,
    end: scope.end,
    spaceIds: scope.searched.map(({ id }) => id),
    hidden: scope.hidden,
    templates: scope.templates,
    condition: indexedFor(scope.ctx.actor),
    toMatching: (query: SearchQuery, minimum: number) => matchingFor(scope, query, minimum),
  }
  const [first] = hits
  if (!first) return relax(search, q, query)
  if (!query.isQuestion || first.tier === 'title') return undefined
  const minimum = await mostTerms(search, query, true)
  return minimum === 0 ? undefined : { ...AS_WRITTEN, minimum }
}

/** The hits with their snippets. */
async function toHits(
  { db, actor }: Ctx,
  shownHits: readonly Ranked[],
  query: SearchQuery,
  deps: SearchDeps,
): Promise<Hit[]> {
  const { spaceIds: foundSpaces, pageIds: foundPages } = toColumns(shownHits)
  const foundRows = await readFound.all(db, { ...toAccessSubject(actor), foundSpaces, foundPages })
  const rankedById = new Map(shownHits.map((hit) => [hit.page_id, hit]))
  const bodies = foundRows.map(({ data }) => data)
  const snippets = await makeSnippets(deps.snippets, bodies, {
    words: wordsToShow(query),
    languages: query.languages,
  })
  return foundRows.flatMap((row, index) => {
    const hit = rankedById.get(row.page_id)
    return hit ? [toHit(row, hit, snippets[index])] : []
  })
}

/** The interpretation of the query for the previous page of results. */
function chooseReading(after: Position | undefined): Reading {
  const reading = after?.[4]
  return reading === undefined ? AS_WRITTEN : (JSON.parse(String(reading)) as Reading) // of this list
}

function toProgress(after: Position | undefined, end: number): Progress {
  const [tier = 0, from = end, ofBlock = '', earlier = ''] = after ?? []
  return {
    tier: TIERS[Number(tier)] ?? 'rest',
    from: Number(from),
    ofBlock: unpackIds(String(ofBlock)),
    earlier: unpackIds(String(earlier)),
  }
}

function positionAfter(before: Progress, shownHits: readonly Ranked[], { tier, from }: Ranked): Position {
  const knownHits = [
    ...before.ofBlock.map((page_id) => ({ tier: before.tier, page_id })),
    ...shownHits.flatMap(({ folded, ...hit }) => [hit, ...folded.map(({ page_id }) => ({ tier: hit.tier, page_id }))]),
  ]
  const isOfBlock = (hit: { tier: Tier; page_id: number }) => hit.tier === tier && hit.page_id < from
  const ofBlock = knownHits.filter(isOfBlock).map((hit) => hit.page_id)
  // A page of an earlier block can be repeated only if its title no longer meets the query.
  const titleHits = knownHits.filter((hit) => hit.tier === 'title' && !isOfBlock(hit)).map((hit) => hit.page_id)
  const block = packIds(ofBlock, MAX_ID_BYTES)
  // More pages than fit were shown, because pages changed all the time: continue with the next block.
  if (!block.fits) return [TIERS.indexOf(tier), findMinimum(ofBlock), '', '']
  const bytesLeft = MAX_ID_BYTES - Buffer.byteLength(block.text, 'base64')
  return [TIERS.indexOf(tier), from, block.text, packIds([...before.earlier, ...titleHits], bytesLeft).text]
}

function toHit(row: FoundRow, { tier, score, folded }: Ranked, snippet: Snippet | undefined): Hit {
  return {
    space: row.space,
    path: row.path,
    title: row.title,
    ...iconMember(row.icon),
    snippet: snippet?.html ?? '',
    heading: snippet?.heading ?? null,
    line: snippet?.line ?? null,
    ...(folded.length > 0 && { alsoIn: folded.map(({ path }) => path) }),
    score: (tier === 'title' ? 1 : 0) + score,
    version: row.version,
    updatedAt: row.updated_at.toISOString(),
  }
}
