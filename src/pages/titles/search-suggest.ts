import type { Ctx } from '../../access/ctx.ts'
import { readableSpaces } from '../../access/space.ts'
import { pageUrl } from '../../http/addresses/page-address.ts'
import { unpackSmall } from '../../lib/encoding/body-codec.ts'
import { compareText } from '../../lib/text/text-order.ts'
import { startSlugger } from '../../markdown/slugs.ts'
import { headingsOf } from '../../search/snippets/headings.ts'
import { findFuzzyTitles } from './fuzzy-titles.ts'
import { listNewestMatches, type NewestMatchRow } from './store-search-suggest.ts'
import { foldTitle, parseTitleQuery } from './title-query.ts'
import { type TitledPage, titlesIn } from './titles.ts'

/** A heading of a page. */
interface SuggestedHeading extends TitledPage {
  readonly heading: string
}

export interface SearchSuggestions {
  readonly pages: TitledPage[]
  readonly headings: SuggestedHeading[]
  /** Completions of the last word. */
  readonly words: string[]
}

/** Larger bodies are not searched for headings. */
const MAX_BODY = 64 * 1024

/**
 * Suggestions while a query is typed: pages by title and path (with letters left out if there are none otherwise), headings, and words. Headings and words are those of
 * the newest pages that the caller can read: their number depends on these pages only, and the time on no other page.
 */
export async function suggestSearches(
  ctx: Ctx,
  input: { readonly q: string; readonly space?: string; readonly limit: number },
): Promise<SearchSuggestions> {
  const { q, limit } = input
  const { begun } = parseTitleQuery(q)
  const last = foldTitle(q).split(' ').at(-1) ?? ''
  const spaces = await readableSpaces(ctx, input.space)
  const spaceIds = spaces.map(({ id }) => id)
  const [found, rows] = await Promise.all([
    titlesIn(ctx.db, spaceIds, input),
    begun === undefined ? [] : listNewestMatches(ctx.db, { spaceIds, begun, prefix: last }),
  ])
  const pages = found.length > 0 ? found : await findFuzzyTitles(ctx.db, spaceIds, input)
  const words = /\s$/.test(q) ? [] : frequentWords(rows, last)
  return { pages, headings: headingsIn(rows, foldTitle(q).split(' '), limit), words: words.slice(0, limit) }
}

/** The words of the pages, those of most pages first. */
function frequentWords(rows: readonly NewestMatchRow[], typed: string): string[] {
  const counts = new Map<string, number>()
  for (const word of rows.flatMap((row) => row.words)) counts.set(word, (counts.get(word) ?? 0) + 1)
  counts.delete(typed)
  return [...counts]
    .sort(([a, n], [b, m]) => m - n || a.length - b.length || compareText(a, b))
    .map(([word]) => word)
}

/** Headings with all words, each as a prefix. */
function headingsIn(
  rows: readonly NewestMatchRow[],
  words: readonly string[],
  limit: number,
): SuggestedHeading[] {
  const found: SuggestedHeading[] = []
  for (const { space, path, title, data } of rows) {
    const body = data && unpackSmall(data, MAX_BODY)
    if (!body) continue
    const slug = startSlugger()
    for (const heading of headingsOf(body.toString('utf8'))) {
      const id = slug(heading)
      const text = ` ${foldTitle(heading)}`
      if (heading === title || !words.every((word) => text.includes(` ${word}`))) continue
      found.push({ space, path, title, url: `${pageUrl(space, path)}#${encodeURIComponent(id)}`, heading })
      if (found.length === limit) return found
    }
  }
  return found
}
