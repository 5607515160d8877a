import type { Ctx } from '../access/ctx.ts'
import { readableSpaces, requireSpace } from '../access/space.ts'
import { AppError } from '../errors.ts'
import { type List, type PageQuery, type Position, pageOf, windowOf } from '../http/paging.ts'
import { minOf } from '../lib/extremes.ts'
import type { Pool } from '../markdown/pool.ts'
import { parseFilters } from '../metadata/filters.ts'
import { matchesAll } from '../metadata/store-conditions.ts'
import { newestMatches } from './newest-matches.ts'
import { parseQuery } from './query.ts'
import type { Hit } from './schema.ts'
import { packIds, unpackIds } from './shown-ids.ts'
import { snippetsOf } from './snippets.ts'
import {
  endOfPages,
  type FoundRow,
  type HitRow,
  type Matching,
  rankMatches,
  readFound,
  type TextMatchRow,
  type Tier,
} from './store.ts'

export interface Search extends PageQuery {
  readonly q: string
  readonly space?: string
  readonly filters?: string
}

export interface SearchDeps {
  /** The worker that makes snippets of large bodies. */
  readonly snippets: Pick<Pool, 'run'>
}

interface Ranking {
  readonly db: Ctx['db']
  readonly matching: Matching
  /** All page ids are lower. */
  readonly end: number
  /** Matches in a block. */
  readonly block: number
}

interface Ranked extends HitRow {
  readonly tier: Tier
  /** All ids of its block are lower. */
  readonly from: number
}

/** The position that a cursor holds: a block, and the pages that were shown and do not come again, even if they have changed. */
interface Progress {
  readonly tier: Tier
  readonly from: number
  /** Shown pages of this block. */
  readonly ofBlock: readonly number[]
  /** Pages shown before it that could come again in another tier. */
  readonly earlier: readonly number[]
}

/** All ids of a cursor together: a cursor has at most 8,192 characters. */
const MAX_ID_BYTES = 4_352
/** To rank so many matches takes some tens of milliseconds. */
const BLOCK = 2_000
const TIERS: readonly Tier[] = ['title', 'rest']

/**
 * The pages that the caller can read and that match the query, in two tiers: first those whose title alone meets it, then
 * the others. Each tier is ranked in blocks of 2,000 pages, from the page that was created last to the first one; within a
 * block by score, then by space and path. A page that is created gets the next id of one sequence, so the order of ids says
 * which of two visible pages is newer, and nothing about hidden ones, nor does the length of a cursor (`packIds`).
 */
export async function searchPages(
  ctx: Ctx,
  input: Search,
  deps: SearchDeps,
  block = BLOCK,
): Promise<List<Hit>> {
  if (!input.q.isWellFormed()) throw new AppError('invalid_request', 'The query is not well-formed Unicode.')
  const query = parseQuery(input.q)
  const condition = input.filters === undefined ? undefined : matchesAll(parseFilters(input.filters))
  const space = input.space === undefined ? undefined : await requireSpace(ctx, input.space, 'viewer')
  const name = JSON.stringify(['search', ctx.actor.id, space?.id, input.q, input.filters])
  const window = windowOf(ctx, name, input, ['integer', 'integer', 'text', 'text'])
  if (query.text === undefined) return { items: [], nextCursor: null }
  const [spaces, end] = await Promise.all([
    space ? [space] : readableSpaces(ctx),
    endOfPages.first(ctx.db, {}),
  ])
  const matching: Matching = {
    spaceIds: spaces.map(({ id }) => id),
    query: query.text,
    relaxed: query.relaxed,
    negative: query.negative,
    condition,
  }
  const ranking = { db: ctx.db, matching, end: end?.id ?? 0, block }
  const progress = progressOf(window.after, ranking.end)
  const hits = await listRanked(ranking, progress, window.limit + 1)
  const shown = hits.slice(0, window.limit)
  const found = await readFound(ctx.db, shown)
  const scores = new Map(
    hits.map((hit) => [hit.page_id, (hit.tier === 'title' ? 1 : 0) + hit.score / 1_000_000]),
  )
  const bodies = found.map(({ data }) => data)
  const snippets = await snippetsOf(deps.snippets, bodies, query.words)
  const items = found.map((row, index) => ({
    ...toHit(row, snippets[index] ?? ''),
    score: scores.get(row.page_id) ?? 0,
  }))
  const { nextCursor } = pageOf(
    window,
    hits,
    (last) => positionAfter(progress, shown, last),
    (hit) => hit,
  )
  return { items, nextCursor }
}

function progressOf(after: Position | undefined, end: number): Progress {
  const [tier = 0, from = end, ofBlock = '', earlier = ''] = after ?? []
  return {
    tier: TIERS[Number(tier)] ?? 'rest',
    from: Number(from),
    ofBlock: unpackIds(String(ofBlock)),
    earlier: unpackIds(String(earlier)),
  }
}

function positionAfter(before: Progress, shown: readonly Ranked[], { tier, from }: Ranked): Position {
  const known = [...before.ofBlock.map((page_id) => ({ tier: before.tier, page_id })), ...shown]
  const isOfBlock = (hit: { tier: Tier; page_id: number }) => hit.tier === tier && hit.page_id < from
  const ofBlock = known.filter(isOfBlock).map((hit) => hit.page_id)
  // A page of an earlier block can come again only when its title no longer meets the query.
  const titled = known.filter((hit) => hit.tier === 'title' && !isOfBlock(hit)).map((hit) => hit.page_id)
  const block = packIds(ofBlock, MAX_ID_BYTES)
  // More pages than fit were shown, because pages changed all the time: continue with the next block.
  if (!block.fits) return [TIERS.indexOf(tier), minOf(ofBlock), '', '']
  const bytesLeft = MAX_ID_BYTES - Buffer.byteLength(block.text, 'base64')
  return [TIERS.indexOf(tier), from, block.text, packIds([...before.earlier, ...titled], bytesLeft).text]
}

/** Ranks block after block of both tiers until there are enough hits. */
async function listRanked(search: Ranking, progress: Progress, limit: number): Promise<Ranked[]> {
  const blockOf = await blockReader(search)
  const shown = new Set([...progress.ofBlock, ...progress.earlier])
  const found: Ranked[] = []
  for (const tier of TIERS.slice(TIERS.indexOf(progress.tier))) {
    let from: number | undefined = tier === progress.tier ? progress.from : search.end
    while (from !== undefined && found.length < limit) {
      const pages = await blockOf(tier, from)
      const left = pages.filter((page) => !shown.has(page.page_id))
      const hits =
        left.length === 0 ? [] : await rankMatches(search.db, search.matching, left, limit - found.length)
      for (const hit of hits) {
        shown.add(hit.page_id)
        found.push({ ...hit, tier, from })
      }
      from = pages.length < search.block ? undefined : pages.at(-1)?.page_id
    }
  }
  return found
}

/**
 * Reads the block of a tier below a page id: its newest matches. Usually both tiers together fit into one block, and one
 * search finds them all.
 */
async function blockReader(
  search: Ranking,
): Promise<(tier: Tier, from: number) => Promise<readonly TextMatchRow[]>> {
  const { db, matching, block: limit } = search
  const few = await newestMatches({ db, matching, tier: undefined, end: search.end, limit })
  if (few.length >= limit) return (tier, end) => newestMatches({ db, matching, tier, end, limit })
  return async (tier, from) =>
    few.filter((match) => match.page_id < from && match.in_title === (tier === 'title'))
}

function toHit(row: FoundRow, snippet: string): Omit<Hit, 'score'> {
  return {
    space: row.space,
    path: row.path,
    title: row.title,
    snippet,
    version: row.version,
    updatedAt: row.updated_at.toISOString(),
  }
}
