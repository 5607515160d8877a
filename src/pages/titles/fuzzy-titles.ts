import type { Db } from '../../database/database.ts'
import { foldText, fuzzyScore } from '../../lib/text/fuzzy.ts'
import { compareText } from '../../lib/text/text-order.ts'
import { findNamed } from './named-pages.ts'
import { limitInEach } from './store-limits.ts'
import { listLatestTitlesOfEach, listTitles, type TitleRow } from './store-titles.ts'
import { parseTitleQuery } from './title-query.ts'
import { type TitledPage, titledPage, uniqueTitles } from './titles.ts'

/** The number of pages that are compared, at least some of each space: a bounded time, whatever the query. */
const COMPARED = 1_000
const COMPARED_LENGTH = 200
/** The number of words that are looked up alone. */
const MAX_ALONE = 3
/** The number of pages that are compared of each. */
const NAMED = 100
const MIN_TYPED = 3
const MAX_TYPED = 60

/**
 * Pages whose title or path has the typed letters in their order: among the latest pages that the caller can read, and, where
 * several words were typed, among those whose titles have one of the words as it was typed.
 */
export async function findFuzzyTitles(
  db: Db,
  spaceIds: readonly number[],
  { q, limit }: { readonly q: string; readonly limit: number },
): Promise<TitledPage[]> {
  const typed = foldText(q.trim())
  if (typed.length < MIN_TYPED || typed.length > MAX_TYPED || spaceIds.length === 0) return []
  const words = parseTitleQuery(q).begunAlone.slice(0, MAX_ALONE)
  const findAlone = async () => {
    const named = await Promise.all(
      words.map((begun) => findNamed(db, { spaceIds, exact: undefined, begun, limit: NAMED })),
    )
    return words.length === 0 ? [] : listTitles(db, [], '', named.flat())
  }
  const latest = listLatestTitlesOfEach(db, spaceIds, limitInEach(spaceIds, COMPARED))
  return uniqueTitles((await Promise.all([latest, findAlone()])).flat())
    .map((row) => ({ row, score: scoreOf(row, typed) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || compareText(a.row.path, b.row.path))
    .slice(0, limit)
    .map(({ row }) => titledPage(row))
}

function scoreOf({ title, path }: TitleRow, typed: string): number {
  const score = (text: string) => fuzzyScore(foldText(text.slice(0, COMPARED_LENGTH)), typed)
  return Math.max(score(title), score(path.replaceAll('/', ' ')) * 0.5)
}
