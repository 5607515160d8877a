import { sql } from 'kysely'
import type { Db } from '../../database/database.ts'
import type { PageKey } from '../../search/store.ts'

/** A page whose names match a query. */
export interface NamedRow extends PageKey {
  /** The number of different words of its title, aliases and path. */
  readonly name_words: number
  /** Whether they have all words of the query as complete words. */
  readonly complete: boolean
}

/**
 * Of the newest pages of each space those whose names match: those with the complete words first, then those with the fewest words. Plan: a range of the
 * primary key of page_search for each space, read backwards, without the index of words.
 */
export async function listNewestNamed(
  db: Db,
  {
    spaceIds,
    exact,
    begun,
    compared,
    limit,
  }: {
    readonly spaceIds: readonly number[]
    readonly exact: string | undefined
    readonly begun: string | undefined
    /** The number of pages of each space. */
    readonly compared: number
    readonly limit: number
  },
): Promise<NamedRow[]> {
  const { rows } = await sql<NamedRow>`
    select newest.space_id, newest.page_id, length(newest.title) as name_words,
      ${exact === undefined ? sql`false` : sql`newest.title @@ ${exact}::tsquery`} as complete
    from unnest(${spaceIds}::bigint[]) as searched (id) cross join lateral (
      select page_search.space_id, page_search.page_id, page_search.title from page_search
      where page_search.space_id = searched.id order by page_search.page_id desc limit ${compared}
    ) newest
    where newest.title @@ ${begun}::tsquery
    order by complete desc, name_words, newest.page_id desc limit ${limit}`.execute(db)
  return rows
}
