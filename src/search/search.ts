import type { Ctx } from '../access/ctx.ts'
import { readableSpaces, requireSpace } from '../access/space.ts'
import { AppError } from '../errors.ts'
import { type List, type PageQuery, pageOf, windowOf } from '../http/paging.ts'
import { parseQuery, type QueryWord } from './query.ts'
import type { Hit } from './schema.ts'
import { snippetOf } from './snippet.ts'
import {
  endOfPages,
  type FoundRow,
  findMatches,
  type HitRow,
  type Matching,
  type MatchRow,
  rankMatches,
  readFound,
  type Tier,
} from './store.ts'
import { firstStretch, nextStretch, type Stretch } from './stretches.ts'

export interface Search extends PageQuery {
  readonly q: string
  readonly space?: string
  readonly filters?: string
}

/** What search needs of the parts beside it. */
export interface SearchMeans {
  /** The condition that `filters` is, as metadata reads it; refuses what is none. */
  readonly parseFilters: (filters: string) => Matching['condition']
  /** The body that is stored so. */
  readonly unpackBody: (data: Buffer) => Promise<Buffer>
}

/** What is ranked, and how. */
interface Ranking {
  readonly db: Ctx['db']
  readonly matching: Matching
  /** No page has this id or a higher one. */
  readonly end: number
  readonly block: number
}

interface Ranked extends HitRow {
  readonly tier: Tier
  /** The block that it is in begins below this page. */
  readonly from: number
}

/** To rank so many matches takes some tens of milliseconds; where there are more, the newest pages come first. */
const BLOCK = 2_000
const TIERS: readonly Tier[] = ['title', 'rest']

/**
 * The pages that the caller can read and that have what `q` asks for: first those whose title alone has it, then the
 * others, each by how well they fit. Of more than 2,000 the newest 2,000 come first.
 */
export async function searchPages(
  ctx: Ctx,
  input: Search,
  means: SearchMeans,
  block = BLOCK,
): Promise<List<Hit>> {
  if (!input.q.isWellFormed()) throw new AppError('invalid_request', 'The query is not well-formed Unicode.')
  const query = parseQuery(input.q)
  const condition = input.filters === undefined ? undefined : means.parseFilters(input.filters)
  const space = input.space === undefined ? undefined : await requireSpace(ctx, input.space, 'viewer')
  const name = JSON.stringify(['search', ctx.actor.id, space?.id, input.q, input.filters])
  const window = windowOf(ctx, name, input, ['integer', 'integer', 'integer', 'integer'])
  if (query.text === undefined) return { items: [], nextCursor: null }
  const [spaces, end] = await Promise.all([
    space ? [space] : readableSpaces(ctx),
    endOfPages.first(ctx.db, {}),
  ])
  const matching: Matching = {
    spaceIds: spaces.map(({ id }) => id),
    query: query.text,
    loose: query.loose,
    negative: query.negative,
    condition,
  }
  const ranking = { db: ctx.db, matching, end: end?.id ?? 0, block }
  const hits = await listRanked(ranking, (window.after ?? []).map(Number), window.limit + 1)
  const found = await readFound(ctx.db, hits.slice(0, window.limit))
  const scores = new Map(
    hits.map((hit) => [hit.page_id, (hit.tier === 'title' ? 1 : 0) + hit.score / 1_000_000]),
  )
  const items = await Promise.all(
    found.map(async (row) => ({
      ...(await toHit(ctx, means, row, query.words)),
      score: scores.get(row.page_id) ?? 0,
    })),
  )
  const { nextCursor } = pageOf(
    window,
    hits,
    (hit) => [TIERS.indexOf(hit.tier), hit.from, hit.score, hit.page_id],
    (hit) => hit,
  )
  return { items, nextCursor }
}

/** Goes through the blocks of both tiers until there are enough. */
async function listRanked(search: Ranking, position: readonly number[], limit: number): Promise<Ranked[]> {
  const [begun = 0, block = search.end, score, page] = position
  const blockOf = await blocks(search)
  const found: Ranked[] = []
  for (const [index, tier] of TIERS.entries()) {
    if (index < begun) continue
    let from: number | undefined = index === begun ? block : search.end
    let after =
      index === begun && score !== undefined && page !== undefined ? ([score, page] as const) : undefined
    while (from !== undefined && found.length < limit) {
      const pages = await blockOf(tier, from)
      const asked = { after, limit: limit - found.length }
      const hits = pages.length === 0 ? [] : await rankMatches(search.db, search.matching, pages, asked)
      for (const hit of hits) found.push({ ...hit, tier, from })
      from = pages.length < search.block ? undefined : pages.at(-1)?.page_id
      after = undefined
    }
  }
  return found
}

/**
 * What gives the block of a tier below a page: its newest matches, for to rank costs more than to find. Where both
 * tiers together have no more than that, which is the rule, they are found at once.
 */
async function blocks(search: Ranking): Promise<(tier: Tier, from: number) => Promise<readonly MatchRow[]>> {
  const few = await newestMatches(search, undefined, search.end)
  if (few.length >= search.block) return (tier, from) => newestMatches(search, tier, from)
  return async (tier, from) =>
    few.filter((match) => match.page_id < from && match.titled === (tier === 'title'))
}

async function newestMatches(
  { db, matching, block }: Ranking,
  tier: Tier | undefined,
  from: number,
): Promise<MatchRow[]> {
  const found: MatchRow[] = []
  let stretch: Stretch | undefined = firstStretch(from)
  while (stretch !== undefined && found.length < block) {
    for (const match of await findMatches(db, matching, tier, stretch, block - found.length))
      found.push(match)
    stretch = nextStretch(stretch, from - stretch.low, { found: found.length, wanted: block })
  }
  return found
}

async function toHit(
  ctx: Ctx,
  means: SearchMeans,
  row: FoundRow,
  words: readonly QueryWord[],
): Promise<Omit<Hit, 'score'>> {
  const body = ctx.contents.get(row.revision_id)?.body ?? (await means.unpackBody(row.data))
  return {
    space: row.space,
    path: row.path,
    title: row.title,
    snippet: snippetOf(body.toString('utf8'), words),
    version: row.version,
    updatedAt: row.updated_at.toISOString(),
  }
}
