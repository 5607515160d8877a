import type { Ctx } from '../../access/ctx.ts'
import { readableSpaces } from '../../access/space.ts'
import { foldText, fuzzyScore } from '../../lib/text/fuzzy.ts'
import { compareText } from '../../lib/text/text-order.ts'
import { limitInEach, listLatestTitlesOfEach, type TitleRow } from './store-titles.ts'
import { parseTitleQuery } from './title-query.ts'
import { shortestTitles, type TitledPage, titledPage, uniqueTitles } from './titles.ts'

/** The number of pages that are compared, at least some of each space: a bounded time, whatever the query. */
const COMPARED = 1_000
const COMPARED_LENGTH = 200
/** The number of words that are looked up alone. */
const MAX_ALONE = 3
const MIN_TYPED = 3
const MAX_TYPED = 60

/**
 * Pages whose title or path has the typed letters in their order: among the latest pages that the caller can read, and, where
 * several words were typed, among those whose titles have one of the words as it was typed.
 */
export async function findFuzzyTitles(
  ctx: Ctx,
  input: { readonly q: string; readonly space?: string; readonly limit: number },
): Promise<TitledPage[]> {
  const typed = foldText(input.q.trim())
  if (typed.length < MIN_TYPED || typed.length > MAX_TYPED) return []
  const spaces = await readableSpaces(ctx, input.space)
  const spaceIds = spaces.map(({ id }) => id)
  if (spaceIds.length === 0) return []
  const found = await Promise.all([
    listLatestTitlesOfEach(ctx.db, spaceIds, limitInEach(spaceIds, COMPARED)),
    ...parseTitleQuery(input.q)
      .begunAlone.slice(0, MAX_ALONE)
      .map((word) => shortestTitles(ctx.db, spaceIds, word)),
  ])
  return uniqueTitles(found.flat())
    .map((row) => ({ row, score: scoreOf(row, typed) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || compareText(a.row.path, b.row.path))
    .slice(0, input.limit)
    .map(({ row }) => titledPage(row))
}

function scoreOf({ title, path }: TitleRow, typed: string): number {
  const score = (text: string) => fuzzyScore(foldText(text.slice(0, COMPARED_LENGTH)), typed)
  return Math.max(score(title), score(path.replaceAll('/', ' ')) * 0.5)
}
