import type { Ctx } from '../../access/ctx.ts'
import { readableSpaces } from '../../access/space.ts'
import { AppError } from '../../errors.ts'
import { pageUrl } from '../../http/addresses/page-address.ts'
import { iconMember } from '../../lib/text/emoji.ts'
import { compareText } from '../../lib/text/text-order.ts'
import { newestMatches } from '../../search/newest-matches.ts'
import { endOfPages, type Matching } from '../../search/store.ts'
import {
  listLatestTitles,
  listPathMatches,
  listShortestTitles,
  listTitles,
  type TitleRow,
} from './store-titles.ts'
import { foldTitle, parseTitleQuery, type TitleQuery } from './title-query.ts'

/** The maximum of matches of common words that are compared. */
const NEWEST = 2_000

/** A page by its title, with its URL. */
export interface TitledPage {
  readonly space: string
  readonly path: string
  readonly title: string
  readonly url: string
  readonly icon?: string
}

interface Ranked {
  readonly row: TitleRow
  readonly tier: number
}

/**
 * The readable pages whose title or path has the input as words or prefix, best match first. Empty input: the most
 * recently changed pages.
 */
export async function findTitles(
  ctx: Ctx,
  input: { readonly q: string; readonly space?: string; readonly limit: number },
): Promise<TitledPage[]> {
  if (!input.q.isWellFormed()) throw new AppError('invalid_request', 'The query is not well-formed Unicode.')
  const spaces = await readableSpaces(ctx, input.space)
  const spaceIds = spaces.map(({ id }) => id)
  if (spaceIds.length === 0) return []
  const query = parseTitleQuery(input.q)
  const rows =
    query.prefix === ''
      ? await listLatestTitles(ctx.db, spaceIds, input.limit)
      : rank(await matchingTitles(ctx.db, spaceIds, query), query.prefix)
  return rows.slice(0, input.limit).map(titledPage)
}

export function titledPage({ space, path, title, icon }: TitleRow): TitledPage {
  return { space, path, title, url: pageUrl(space, path), ...iconMember(icon) }
}

/**
 * The candidates for ranking: usually all matches. Of more than 200 titles the shortest among the 2,000 newest pages,
 * and of more than 200 paths the first: these rules depend only on pages that the caller can read, so that they reveal
 * no other page.
 */
async function matchingTitles(
  db: Ctx['db'],
  spaceIds: readonly number[],
  query: TitleQuery,
): Promise<TitleRow[]> {
  const { rows, truncated } = await listTitles(db, spaceIds, query)
  if (truncated.size === 0) return uniqueTitles(rows)
  const { exact, begun, inPath } = query
  const more = await Promise.all([
    truncated.has('exact') && exact ? shortestTitles(db, spaceIds, exact, exact) : [],
    truncated.has('begun') && begun ? shortestTitles(db, spaceIds, begun) : [],
    truncated.has('inPath') && inPath ? listPathMatches(db, spaceIds, inPath) : [],
  ])
  return uniqueTitles([...rows, ...more.flat()])
}

/** The shortest titles with some words, among the newest pages with them. */
export async function shortestTitles(
  db: Ctx['db'],
  spaceIds: readonly number[],
  query: string,
  prefilter?: string,
): Promise<TitleRow[]> {
  return listShortestTitles(db, await newestTitled(db, { spaceIds, query, prefilter, negative: false }))
}

async function newestTitled(db: Ctx['db'], matching: Omit<Matching, 'condition' | 'small'>) {
  const end = (await endOfPages.first(db, {}))?.id ?? 0
  return newestMatches({
    db,
    matching: { ...matching, condition: undefined, small: false },
    tier: 'title',
    end,
    limit: NEWEST,
  })
}

/** The pages without repetitions. */
export function uniqueTitles(rows: readonly TitleRow[]): TitleRow[] {
  return [...new Map(rows.map((row) => [`${row.space}/${row.path}`, row])).values()]
}

function rank(rows: readonly TitleRow[], typed: string): TitleRow[] {
  const folded = foldTitle(typed)
  const ranked: Ranked[] = rows.map((row) => ({ row, tier: tierOf(row, typed, folded) }))
  return ranked.sort(compare).map(({ row }) => row)
}

/**
 * Rank classes: the exact title or path; a title with this prefix; a last segment with it; the words anywhere; any
 * path.
 */
function tierOf({ title, path }: TitleRow, typed: string, folded: string): number {
  const name = foldTitle(title)
  if (path === typed || (folded !== '' && name === folded)) return 0
  if (folded !== '' && name.startsWith(folded)) return 1
  if (typed.includes('/') && path.startsWith(typed)) return 1
  const last = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  if (last.startsWith(typed.toLowerCase())) return 2
  const words = ` ${name}`
  return folded !== '' && folded.split(' ').every((word) => words.includes(` ${word}`)) ? 3 : 4
}

function compare(a: Ranked, b: Ranked): number {
  return (
    a.tier - b.tier ||
    a.row.title.length - b.row.title.length ||
    b.row.updated_at.getTime() - a.row.updated_at.getTime() ||
    compareText(a.row.path, b.row.path) ||
    compareText(a.row.space, b.row.space)
  )
}
