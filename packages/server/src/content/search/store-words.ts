import { type RawBuilder, sql } from 'kysely'
import { isPageOutside } from '../../access/visibility.ts'
import type { Db } from '../../platform/database/database.ts'
import { inSpaces, type Matching } from './store.ts'

/** The pages whose words are looked up. */
export type Searched = Pick<Matching, 'spaceIds' | 'hidden'>

function isSearched({ spaceIds, hidden }: Searched): RawBuilder<boolean> {
  if (hidden === null) return inSpaces(spaceIds)
  return sql<boolean>`${inSpaces(spaceIds)} and ${isPageOutside(hidden, 'page_search.space_id', 'page_search.page_id')}`
}

/** The `tsquery` texts that no page of the spaces meets. */
export async function unknownTexts(db: Db, searched: Searched, texts: readonly string[]): Promise<readonly string[]> {
  if (texts.length === 0) return []
  // One lookup in the index page_search_found for each text, by its words and the spaces.
  const { rows } = await sql<{ text: string }>`
    select term.text from unnest(${texts}::text[]) as term (text)
    where not exists (
      select from page_search
      where page_search.words @@ term.text::tsquery and ${isSearched(searched)})`.execute(db)
  return rows.map(({ text }) => text)
}

/** The maximum of counted pages. */
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
  searched: Searched,
  texts: readonly string[],
  context: string,
): Promise<ReadonlyMap<string, TextCount>> {
  if (texts.length === 0) return new Map()
  const count = (condition: RawBuilder<unknown>) => sql`(select count(*)::int from (
    select from page_search where ${condition} and ${isSearched(searched)} limit ${MAX_COUNTED}) page)`
  const meets = sql`page_search.words @@ term.text::tsquery`
  const withContext =
    context === '' ? sql`pages.count` : count(sql`${meets} and page_search.words @@ ${context}::tsquery`)
  const { rows } = await sql<TextCount>`
    select term.text, pages.count as pages, ${withContext} as with_context
    from unnest(${texts}::text[]) as term (text)
    cross join lateral (select ${count(meets)} as count offset 0) pages
    where pages.count > 0`.execute(db)
  return new Map(rows.map((row) => [row.text, row]))
}
