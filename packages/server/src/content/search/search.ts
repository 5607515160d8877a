import { AppError } from '@recto/contract/errors.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import type { Backlog } from '@recto/lib/concurrency/backlog.ts'
import { findMinimum } from '@recto/lib/extremes.ts'
import { iconMember } from '@recto/lib/text/emoji.ts'
import { compareText } from '@recto/lib/text/text-order.ts'
import type { Pool } from '@recto/markdown/engine/pool.ts'
import type { Ctx } from '../../access/ctx.ts'
import { requireSpace } from '../../access/space.ts'
import { type TrustLevel, toTrust, toVerification } from '../../access/verification.ts'
import { joinHidden, toAccessSubject } from '../../access/visibility.ts'
import { buildPage, type PageQuery, type Position, parseWindow } from '../../platform/http/paging.ts'
import { parseFilters } from '../metadata/filters.ts'
import { keyWarnings, withWarnings } from '../metadata/warnings.ts'
import { type Correction, corrected, correctQuery } from './corrections.ts'
import { isEmptyQuery, parseQuery, type SearchQuery, wordsToShow } from './query.ts'
import {
  addPartial,
  BLOCK,
  ENOUGH,
  findMatches,
  listRanked,
  type Progress,
  type Ranked,
  type Ranking,
  TIERS,
} from './ranking.ts'
import type { Hit, SearchResult } from './schema.ts'
import { packIds, unpackIds } from './shown-ids.ts'
import { countPages, fitPassages } from './snippets/passages.ts'
import type { Snippet } from './snippets/snippet.ts'
import { makeSnippets } from './snippets/snippets.ts'
import { areSmall, endOfPages, MAX_SMALL, type Matching, type Tier, toColumns } from './store.ts'
import { type FoundRow, readFound } from './store-found.ts'
import * as operators from './store-operators.ts'
import type { SearchedPages } from './store-templates.ts'
import type { Term } from './term.ts'
import { listNeighbours, optionalTerms, type Share, termText, toTsquery } from './tsquery.ts'
import { weighTerms } from './weights.ts'

export interface Search extends PageQuery {
  readonly q: string
  readonly space?: string
  readonly filters?: string
  readonly minTrust?: TrustLevel
  /** No word is corrected, and none may be missing. */
  readonly asTyped?: boolean
  /** Pages have passages, as many as fit into so many tokens. */
  readonly passages?: boolean
  readonly tokens?: number
  /** Ids of pages that are left out. */
  readonly except?: readonly number[]
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

const DEFAULT_BOUNDS: SearchBounds = { block: BLOCK, small: MAX_SMALL }
/** The size of all ids in a cursor: with corrections, a cursor has at most 8,192 characters. */
const MAX_ID_BYTES = 4_096
/** The maximum of languages: each has a stem of every word of a query. */
const MAX_LANGUAGES = 6
const MAX_WAIT_MS = 1_000

/** An interpretation of a query, which holds for all pages of its list. */
interface Reading {
  readonly corrections: readonly Correction[]
  /** The weights of the optional terms; empty: all are required. */
  readonly weights: readonly number[]
  /** Whether no page has all words. */
  readonly relaxed: boolean
}

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
  bounds = DEFAULT_BOUNDS,
): Promise<SearchResult> {
  if (!input.q.isWellFormed()) throw new AppError('invalid_request', 'The query is not well-formed Unicode.')
  const filters = input.filters === undefined ? undefined : parseFilters(input.filters)
  const space = input.space === undefined ? undefined : await requireSpace(ctx, input.space, 'viewer')
  const name = JSON.stringify(['search', ctx.actor.id, space?.id, input.q, input.filters, input.minTrust])
  const window = parseWindow(ctx, name, input, ['integer', 'integer', 'text', 'text', 'text'])
  const plain = parseQuery(input.q)
  if (isEmptyQuery(plain)) return { items: [], nextCursor: null }
  // Pages whose metadata this process has changed are usually indexed by now.
  await deps.unindexed.wait(MAX_WAIT_MS)
  const { minTrust, except = [] } = input
  const scope = await buildScope(ctx, plain, { spaceId: space?.id, filters, minTrust, except, bounds })
  const progress = toProgress(window.after, scope.end)
  const { reading, ranking, matches } = await readQuery(scope, input, window.after)
  const { passages = false } = input
  const limit = passages ? Math.min(window.limit, countPages(input.tokens)) : window.limit
  const hits = await listRanked(ranking, matches, progress, limit + 1)
  const words = { q: corrected(input.q, reading.corrections), query: ranking.query, passages }
  const foundHits = await toHits(ctx, hits.slice(0, limit), words, deps)
  const items = passages
    ? fitPassages(
        foundHits.map(({ item }) => item),
        input.tokens,
      )
    : foundHits.map(({ item }) => item)
  const next = foundHits[items.length]?.hit
  const shownHits = hits.slice(0, next ? hits.indexOf(next) : limit)
  const { nextCursor } = buildPage(
    { ...window, limit: shownHits.length },
    hits,
    (last) => [...positionAfter(progress, shownHits, last), JSON.stringify(reading)],
    (hit) => hit,
  )
  const list = {
    items,
    nextCursor,
    ...(reading.relaxed && items.length > 0 && { relaxed: true as const }),
    ...(reading.corrections.length > 0 && items.length > 0 && { corrected: corrected(input.q, reading.corrections) }),
  }
  // Which keys are in use is metadata, too.
  if (ctx.actor.visitor !== undefined) return list
  return withWarnings(list, await keyWarnings(ctx, input, { isEmpty: items.length === 0, isOrdered: true }))
}

interface Scope extends operators.PageConditions {
  readonly ctx: Ctx
  readonly readable: readonly operators.SearchedSpace[]
  readonly searched: readonly operators.SearchedSpace[]
  readonly templates: SearchedPages['templates']
  /** The places that are hidden in the readable spaces. */
  readonly hidden: string | null
  /** Whether the searched spaces have few pages. */
  readonly small: boolean
  readonly languages: readonly string[]
  readonly end: number
  readonly block: number
}

/** The spaces and pages in which a query is searched. */
export async function buildScope(
  ctx: Ctx,
  query: SearchQuery,
  input: operators.PageConditions & { readonly spaceId: number | undefined; readonly bounds?: SearchBounds },
): Promise<Scope> {
  const { spaceId, bounds = DEFAULT_BOUNDS, ...conditions } = input
  const [readable, end] = await Promise.all([
    operators.readSearched.all(ctx.db, toAccessSubject(ctx.actor)),
    endOfPages.first(ctx.db, {}),
  ])
  const inSpace = spaceId === undefined ? readable : readable.filter(({ id }) => id === spaceId)
  const searchedSpaces = operators.spacesToSearch(query, inSpace)
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
    templates: operators.chooseTemplates(query, inSpace),
    hidden: joinHidden(readable),
    small,
    languages,
    end: end?.id ?? 0,
    ...conditions,
    block: bounds.block,
  }
}

/** The languages of the stems of a query: the most common ones of the spaces. */
function listLanguages(spaces: readonly operators.SearchedSpace[]): readonly string[] {
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

/** The interpretation of a query with its matches; `after`: where an earlier one continues. */
async function readQuery(scope: Scope, { q, asTyped }: Search, after: Position | undefined) {
  let reading = chooseReading(after)
  let ranking = buildRanking(scope, q, reading)
  let matches = await findMatches(ranking)
  if (!after && !asTyped && matches.few?.length === 0) {
    const search = { ...toSearched(scope), toMatching: (query: SearchQuery) => matchingFor(scope, query) }
    reading = { ...reading, corrections: await correctQuery(search, q, ranking.query) }
    ranking = buildRanking(scope, q, reading)
    if (reading.corrections.length > 0) matches = await findMatches(ranking)
  }
  const { few } = matches
  if (few === undefined || few.length >= ENOUGH) return { reading, ranking, matches }
  if (!after && !asTyped) {
    const weights = await weighTerms(toSearched(scope), ranking.query)
    reading = { ...reading, weights, relaxed: few.length === 0 }
  }
  if (reading.weights.length === 0) return { reading, ranking, matches }
  return { reading, ...(await addPartial(few, (least) => buildRanking(scope, q, reading, least))) }
}

/** The pages by which words are corrected and weighed. */
function toSearched({ ctx, end, searched, hidden, templates, small }: Scope) {
  const spaceIds = searched.map(({ id }) => id)
  return { db: ctx.db, end, spaceIds, hidden, templates, small, condition: operators.indexedFor(ctx.actor) }
}

/** The search for all words, or for the least share of their weight. */
function buildRanking(scope: Scope, q: string, { corrections, weights }: Reading, least?: number): Ranking {
  const { ctx, readable, hidden, end, block } = scope
  const query = parseQuery(corrected(q, corrections), scope.languages)
  const share = least === undefined ? undefined : { weights, least }
  const matching = matchingFor(scope, query, share)
  return {
    db: ctx.db,
    query,
    matching,
    scoring: {
      // The cost of cover density grows with the number of alternatives.
      query: share ? undefined : matching.query,
      exact: toTsquery(query, 'exact'),
      terms: share ? optionalTerms(query).map((term) => termText(term, 'any') ?? '') : [],
      neighbours: listNeighbours(query),
    },
    weights: share ? weights : [],
    readable: readable.map(({ id }) => id),
    hidden,
    end,
    block,
    now: ctx.now(),
  }
}

/** The search of a scope for a query, or for a share of its weight. */
export function matchingFor(
  { ctx, searched, hidden, templates, small, ...conditions }: Scope,
  query: SearchQuery,
  share?: Share,
): Matching {
  const text = toTsquery(query, 'any', share)
  return {
    spaceIds: searched.map(({ id }) => id),
    hidden,
    templates,
    query: text,
    prefilter: toTsquery(query, 'complete', share),
    negative: query.branches.some((terms) => terms.some(({ negative }) => negative)),
    condition: operators.buildCondition(ctx, query, conditions),
    small: small && text !== undefined,
  }
}

/** The hits with their snippets. */
async function toHits(
  ctx: Ctx,
  shownHits: readonly Ranked[],
  words: Parameters<typeof withSnippets>[3],
  deps: SearchDeps,
) {
  const { spaceIds: foundSpaces, pageIds: foundPages } = toColumns(shownHits)
  const foundRows = await readFound.all(ctx.db, { ...toAccessSubject(ctx.actor), foundSpaces, foundPages })
  return withSnippets(ctx, foundRows, shownHits, words, deps)
}

/** The hits of some rows. */
export async function withSnippets(
  { config, now }: Ctx,
  foundRows: readonly FoundRow[],
  shownHits: readonly Ranked[],
  { q, query, passages }: { readonly q: string; readonly query: SearchQuery; readonly passages: boolean },
  deps: SearchDeps,
): Promise<{ readonly hit: Ranked; readonly item: Hit }[]> {
  const rankedById = new Map(shownHits.map((hit) => [hit.page_id, hit]))
  const bodies = foundRows.map(({ data }) => data)
  const snippets = await makeSnippets(deps.snippets, bodies, {
    words: wordsToShow(query),
    languages: query.languages,
    passages,
  })
  const terms = optionalTerms(query)
  return foundRows.flatMap((row, index) => {
    const hit = rankedById.get(row.page_id)
    if (!hit) return []
    const item = toHit(row, hit, { snippet: snippets[index], missing: missingWords(hit, terms, q), now: now() })
    if (!passages) return [{ hit, item }]
    const url = config.publicUrl + pageUrl(row.space, row.path)
    const citation = { url, updatedBy: row.editor, passages: [...(snippets[index]?.passages ?? [])] }
    return [{ hit, item: { ...item, ...citation } }]
  })
}

/** The interpretation of the query for the previous page of results. */
function chooseReading(after: Position | undefined): Reading {
  const reading = after?.[4]
  if (reading === undefined) return { corrections: [], weights: [], relaxed: false }
  return JSON.parse(String(reading)) as Reading // of this list
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

/** The words of the query that a page lacks, as they were typed. */
function missingWords({ missing }: Ranked, terms: readonly Term[], q: string): string[] {
  return missing.flatMap((term) => {
    const { words = [] } = terms[term] ?? {}
    return words.length === 0 ? [] : [q.slice(words[0]?.start, words.at(-1)?.end)]
  })
}

function toHit(
  row: FoundRow,
  { tier, score, folded }: Ranked,
  { snippet, missing, now }: { readonly snippet: Snippet | undefined; readonly missing: string[]; readonly now: Date },
): Hit {
  return {
    space: row.space,
    path: row.path,
    title: row.title,
    ...iconMember(row.icon),
    snippet: snippet?.html ?? '',
    heading: snippet?.heading ?? null,
    line: snippet?.line ?? null,
    ...(missing.length > 0 && { missing }),
    ...(folded.length > 0 && { alsoIn: folded.map(({ path }) => path) }),
    score: (tier === 'title' ? 1 : 0) + score,
    version: row.version,
    updatedAt: row.updated_at.toISOString(),
    trust: toTrust(row.editor, toVerification(row, row.version, now)),
  }
}
