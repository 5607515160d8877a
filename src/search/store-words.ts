import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { IdRange } from './id-ranges.ts'
import { inIdRange, inSpaces } from './store.ts'

/** The `tsquery` texts that no page of the spaces meets. */
export async function unknownTexts(
  db: Db,
  spaceIds: readonly number[],
  texts: readonly string[],
): Promise<readonly string[]> {
  if (texts.length === 0) return []
  // One lookup in the index page_search_found for each text, by its words and the spaces.
  const { rows } = await sql<{ text: string }>`
    select asked.text from unnest(${texts}::text[]) as asked (text)
    where not exists (select from page_search where page_search.words @@ asked.text::tsquery and ${inSpaces(spaceIds)})`.execute(
    db,
  )
  return rows.map(({ text }) => text)
}

/** The maximum of counted pages with a word. */
const MAX_COUNTED = 50

/**
 * * The words that are on pages of the spaces, the most frequent first, in a range of ids or in all. Weights
 * distinguish words of titles (A) and texts (C) from stems, which have other weights.
 */
export async function countWords(
  db: Db,
  spaceIds: readonly number[],
  words: readonly string[],
  range: IdRange | undefined,
): Promise<readonly string[]> {
  const { rows } = await sql<{ word: string }>`
    select candidate.word from unnest(${words}::text[]) as candidate (word)
    cross join lateral (
      select count(*) from (
        select from page_search
        where page_search.words @@ ('''' || candidate.word || ''':AC')::tsquery and ${inSpaces(spaceIds)}
          ${range ? sql`and ${inIdRange(range)}` : sql``}
        limit ${MAX_COUNTED}
      ) page
    ) pages
    where pages.count > 0 order by pages.count desc, candidate.word limit 1`.execute(db)
  return rows.map(({ word }) => word)
}
