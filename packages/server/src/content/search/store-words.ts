import { type RawBuilder, sql } from 'kysely'
import { type Db, queryRows } from '../../platform/database/database.ts'
import type { IdRange } from './id-ranges.ts'
import { inIdRange, inSpaces, type PageKey, toColumns } from './store.ts'
import { isOpenRow, type SearchedPages } from './store-templates.ts'

function isSearched(pages: SearchedPages): RawBuilder<boolean> {
  const meets = pages.condition ?? sql<boolean>`true`
  return sql<boolean>`${inSpaces(pages.spaceIds)} and ${isOpenRow(pages)} and ${meets}`
}

/** The `tsquery` texts that no page of the spaces meets. */
export async function unknownTexts(
  db: Db,
  searched: SearchedPages,
  texts: readonly string[],
): Promise<readonly string[]> {
  if (texts.length === 0) return []
  // One lookup in the index page_search_found for each text, by its words and the spaces.
  const rows = await queryRows<{ text: string }>(db)`
    select term.text from unnest(${texts}::text[]) as term (text)
    where not exists (
      select from page_search
      where page_search.words @@ term.text::tsquery and ${isSearched(searched)})`
  return rows.map(({ text }) => text)
}

/** The words of titles and texts of some pages that begin with a letter. */
export async function listWords(db: Db, pages: readonly PageKey[], letter: string): Promise<readonly string[]> {
  const { spaceIds, pageIds } = toColumns(pages)
  const rows = await queryRows<{ word: string }>(db)`
    select distinct entry.lexeme as word
    from unnest(${spaceIds}::bigint[], ${pageIds}::bigint[]) as page (space_id, id)
    cross join lateral (
      select words from page_search where page_search.space_id = page.space_id
        and page_search.page_id = page.id offset 0
    ) text
    cross join lateral unnest(text.words) as entry (lexeme, positions, weights)
    where starts_with(entry.lexeme, ${letter}) and entry.weights && '{A,C}'`
  return rows.map(({ word }) => word)
}

/** The maximum of counted pages of a spelling. */
const MAX_COUNTED = 200

/** The number of pages that match a `tsquery`, and of those that match a second one, too. */
export interface TextCount {
  readonly text: string
  readonly pages: number
  readonly with_context: number
}

/** The `tsquery` texts that pages of the spaces match, with the number of these pages, up to 200. */
export async function countTexts(
  db: Db,
  searched: SearchedPages,
  texts: readonly string[],
  { context = '', range, limit = MAX_COUNTED }: Counted,
): Promise<ReadonlyMap<string, TextCount>> {
  if (texts.length === 0) return new Map()
  const inRange = range ? inIdRange(range) : sql`true`
  const count = (condition: RawBuilder<unknown>) => sql`(select count(*)::int from (
    select from page_search where ${condition} and ${inRange} and ${isSearched(searched)} limit ${limit}) page)`
  const meets = sql`page_search.words @@ term.text::tsquery`
  const withContext =
    context === '' ? sql`pages.count` : count(sql`${meets} and page_search.words @@ ${context}::tsquery`)
  const rows = await queryRows<TextCount>(db)`
    select term.text, pages.count as pages, ${withContext} as with_context
    from unnest(${texts}::text[]) as term (text)
    cross join lateral (select ${count(meets)} as count offset 0) pages
    where pages.count > 0`
  return new Map(rows.map((row) => [row.text, row]))
}

/** Which pages are counted: those that match a second `tsquery`, too, those in a range of ids, and up to a limit. */
interface Counted {
  readonly context?: string
  readonly range?: IdRange
  readonly limit?: number
}
