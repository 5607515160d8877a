import type { Db } from '../../../platform/database/database.ts'
import { newestMatches } from '../../search/newest-matches.ts'
import { areSmall, endOfPages, type PageKey } from '../../search/store.ts'
import type { SearchedPages } from '../../search/store-templates.ts'
import { limitInEach, listNewestNamed, type NamedRow } from './store-titles.ts'
import type { TitleQuery } from './title-query.ts'

/** The number of newest pages that are compared with the query first, at least some of each space. */
const COMPARED = 2_000
/** With so many matches among these, no further pages are searched for words of which only a prefix was typed. */
const ENOUGH = 50
/** The maximum of pages of spaces in which all pages are compared with the query. */
const MAX_SMALL = 10_000
/** The maximum of matches that are read from the index of words: of complete words, and of prefixes. */
const MAX_COMPLETE = 300
const MAX_BEGUN = 100

/** Pages of some spaces by the words of their names. */
interface Named extends SearchedPages, Pick<TitleQuery, 'exact' | 'begun'> {
  /** The maximum of pages. */
  readonly limit: number
}

/**
 * The pages whose names (title, aliases, path) have the words of a query: of all pages if few match, else of the newest
 * matches those with the fewest other words. The index of words reads every word with a prefix, wherever it is: it is
 * used for prefixes only where few of the newest pages match. Which pages are found depends only on pages of the given
 * spaces.
 */
export async function findNamed(db: Db, namedQuery: Named): Promise<PageKey[]> {
  return chooseBest(
    await (namedQuery.begun === undefined ? completeMatches(db, namedQuery) : allMatches(db, namedQuery)),
    namedQuery.limit,
  )
}

async function allMatches(db: Db, namedQuery: Named): Promise<NamedRow[]> {
  const { spaceIds, begun = '' } = namedQuery
  const compare = (comparedRows: number) =>
    listNewestNamed(db, { ...namedQuery, compared: comparedRows, limit: MAX_COMPLETE })
  const [small, newest] = await Promise.all([
    areSmall(db, spaceIds, MAX_SMALL),
    compare(limitInEach(spaceIds, COMPARED)),
  ])
  if (newest.length < ENOUGH && small) return compare(MAX_SMALL)
  // Complete words cost less: there are enough with them, or the prefixes of several words would be read.
  const completeFirst = newest.length >= ENOUGH || begun.includes(' & ')
  const complete = completeFirst ? await completeMatches(db, namedQuery) : []
  if (newest.length + complete.length >= ENOUGH) return [...newest, ...complete]
  const others = await matches(db, namedQuery, begun, MAX_BEGUN)
  const more = others.length === MAX_BEGUN && !completeFirst ? await completeMatches(db, namedQuery) : complete
  return [...others.map((row) => ({ ...row, complete: false })), ...newest, ...more]
}

async function completeMatches(db: Db, { exact, ...spaces }: Named): Promise<NamedRow[]> {
  if (exact === undefined) return []
  return (await matches(db, spaces, exact, MAX_COMPLETE)).map((row) => ({ ...row, complete: true }))
}

async function matches(db: Db, { spaceIds, hidden, templates }: SearchedPages, query: string, limit: number) {
  const end = (await endOfPages.first(db, {}))?.id ?? 0
  const matching = {
    spaceIds,
    hidden,
    templates,
    query,
    prefilter: query,
    negative: false,
    condition: undefined,
    small: false,
  }
  return newestMatches({ db, matching, tier: 'title', end, limit })
}

/** The pages with the fewest words, at least half of them with the complete words if there are as many. */
function chooseBest(rows: readonly NamedRow[], limit: number): NamedRow[] {
  const sortedRows = uniqueRows(rows).sort((a, b) => a.name_words - b.name_words || b.page_id - a.page_id)
  const complete = sortedRows.filter((row) => row.complete).slice(0, limit / 2)
  return uniqueRows([...complete, ...sortedRows]).slice(0, limit)
}

/** The last row of each page. */
function uniqueRows(rows: readonly NamedRow[]): NamedRow[] {
  return [...new Map(rows.map((row) => [row.page_id, row])).values()]
}
