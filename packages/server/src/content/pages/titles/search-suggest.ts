import { pageUrl } from '@recto/contract/page-url.ts'
import { unpackSmall } from '@recto/lib/encoding/body-codec.ts'
import { foldText, fuzzyScore } from '@recto/lib/text/fuzzy.ts'
import { compareText } from '@recto/lib/text/text-order.ts'
import { startSlugger } from '@recto/markdown/facts.ts'
import type { Static } from 'typebox'
import type { Ctx } from '../../../access/ctx.ts'
import { readableSpaces } from '../../../access/space.ts'
import type { Db } from '../../../platform/database/database.ts'
import { listHeadings } from '../../search/snippets/headings.ts'
import type { SearchedPages } from '../../search/store-templates.ts'
import type { suggestionsSchema } from '../schema.ts'
import { findNamed } from './named-pages.ts'
import { listNewestMatches, type NewestMatchRow } from './store-search-suggest.ts'
import { limitInEach, listLatestTitlesOfEach, listTitles, type TitleRow } from './store-titles.ts'
import { foldTitle, parseTitleQuery } from './title-query.ts'
import { type TitledPage, titledPage, titlesIn, toReadSpaces, uniqueTitles } from './titles.ts'

/** A heading of a page. */
type SuggestedHeading = SearchSuggestions['headings'][number]

export type SearchSuggestions = Static<typeof suggestionsSchema>

/** Larger bodies are not searched for headings. */
const MAX_BODY = 64 * 1024

/**
 * Suggestions while a query is typed: pages by title and path (with letters left out if there are none otherwise),
 * headings, and words. Headings and words are those of the newest pages that the caller can read: their number depends
 * on these pages only, and the time on no other page.
 */
export async function suggestSearches(
  ctx: Ctx,
  input: { readonly q: string; readonly space?: string; readonly limit: number },
): Promise<SearchSuggestions> {
  const { q, limit } = input
  const { begun } = parseTitleQuery(q)
  const last = foldTitle(q).split(' ').at(-1) ?? ''
  const spaces = await readableSpaces(ctx, input.space)
  const readSpaces = toReadSpaces(spaces, q)
  const [found, rows] = await Promise.all([
    titlesIn(ctx.db, readSpaces, input),
    begun === undefined ? [] : listNewestMatches(ctx.db, { ...readSpaces, begun, prefix: last }),
  ])
  const pages = found.length > 0 ? found : await findFuzzyTitles(ctx.db, readSpaces, input)
  const words = /\s$/.test(q) ? [] : frequentWords(rows, last)
  return { pages, headings: headingsIn(rows, foldTitle(q).split(' '), limit), words: words.slice(0, limit) }
}

/** The words of the pages, those of most pages first. */
function frequentWords(rows: readonly NewestMatchRow[], typedText: string): string[] {
  const counts = new Map<string, number>()
  for (const word of rows.flatMap((row) => row.words)) counts.set(word, (counts.get(word) ?? 0) + 1)
  counts.delete(typedText)
  return [...counts].sort(([a, n], [b, m]) => m - n || a.length - b.length || compareText(a, b)).map(([word]) => word)
}

/** Headings with all words, each as a prefix. */
function headingsIn(rows: readonly NewestMatchRow[], words: readonly string[], limit: number): SuggestedHeading[] {
  const matchingHeadings: SuggestedHeading[] = []
  for (const { space, path, title, data } of rows) {
    const body = data && unpackSmall(data, MAX_BODY)
    if (!body) continue
    const slug = startSlugger()
    for (const heading of listHeadings(body.toString('utf8'))) {
      const id = slug(heading)
      const text = ` ${foldTitle(heading)}`
      if (heading === title || !words.every((word) => text.includes(` ${word}`))) continue
      matchingHeadings.push({ space, path, title, url: `${pageUrl(space, path)}#${encodeURIComponent(id)}`, heading })
      if (matchingHeadings.length === limit) return matchingHeadings
    }
  }
  return matchingHeadings
}

/** The number of pages that are compared, at least some of each space: a bounded time, whatever the query. */
const COMPARED = 1_000
const COMPARED_LENGTH = 200
/** The number of words that are looked up alone. */
const MAX_ALONE = 3
/** The first letters of a word that is looked up with letters left out; those that are left out follow. */
const FIRST_LETTERS = 2
/** The number of pages that are compared of each. */
const NAMED = 100
const MIN_TYPED = 3
const MAX_TYPED = 60

/**
 * Pages whose title or path has the typed letters in their order: among the latest pages that the caller can read, and,
 * among those whose titles have one of the words as it was typed, or, of a single word, a word with its first letters.
 */
async function findFuzzyTitles(
  db: Db,
  spaces: SearchedPages,
  { q, limit }: { readonly q: string; readonly limit: number },
): Promise<TitledPage[]> {
  const typedText = foldText(q.trim())
  if (typedText.length < MIN_TYPED || typedText.length > MAX_TYPED || spaces.spaceIds.length === 0) return []
  const { begunAlone } = parseTitleQuery(q)
  const { begun: beginning = [] } = parseTitleQuery([...typedText].slice(0, FIRST_LETTERS).join(''))
  const words = begunAlone.length > 0 ? begunAlone.slice(0, MAX_ALONE) : [beginning].flat()
  const findAlone = async () => {
    const namedPages = await Promise.all(
      words.map((begunWord) => findNamed(db, { ...spaces, exact: undefined, begun: begunWord, limit: NAMED })),
    )
    return words.length === 0 ? [] : listTitles(db, { ...spaces, spaceIds: [] }, '', namedPages.flat())
  }
  const latest = listLatestTitlesOfEach(db, spaces, limitInEach(spaces.spaceIds, COMPARED))
  return uniqueTitles((await Promise.all([latest, findAlone()])).flat())
    .map((row) => ({ row, score: computeScore(row, typedText) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || compareText(a.row.path, b.row.path))
    .slice(0, limit)
    .map(({ row }) => titledPage(row))
}

function computeScore({ title, path }: TitleRow, typedText: string): number {
  const score = (text: string) => fuzzyScore(foldText(text.slice(0, COMPARED_LENGTH)), typedText)
  return Math.max(score(title), score(path.replaceAll('/', ' ')) * 0.5)
}
