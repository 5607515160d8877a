import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { read, write } from '../database/statement.ts'
import { type IdRange, isShort, LARGE_BASE, LARGE_BITS, SMALL_BITS } from './id-ranges.ts'

/** Up to so many spaces are looked up in the index; more are compared with each row. */
const MAX_INDEXED_SPACES = 30

/** A further condition on the page of a row of `page_search`. */
type PageCondition = RawBuilder<boolean>

/** Upserts the search text of pages; a row whose text is the same is not written. */
export const putText = write(
  'put_search_text',
  (a: {
    spaceId: number
    pageIds: readonly number[]
    titles: readonly string[]
    words: readonly string[]
  }) => sql<unknown>`
    insert into page_search (space_id, page_id, title, words)
    select ${a.spaceId}::bigint, input.page_id, input.title::tsvector, input.words::tsvector
    from unnest(${a.pageIds}::bigint[], ${a.titles}::text[], ${a.words}::text[]) as input (page_id, title, words)
    on conflict (space_id, page_id) do update set title = excluded.title, words = excluded.words
    where page_search.words <> excluded.words or page_search.title <> excluded.title`,
)

/** Rank class of a match: its title alone meets the query, or title and body together do. */
export type Tier = 'title' | 'rest'

export interface Matching {
  /** The spaces that the caller can read, as values: so the planner knows how many rows they have. */
  readonly spaceIds: readonly number[]
  readonly query: string
  /** The query without its prefixes, which more pages match. */
  readonly relaxed: string | undefined
  readonly negative: boolean
  readonly condition: PageCondition | undefined
}

/** A page in its space. */
export interface PageKey {
  readonly space_id: number
  readonly page_id: number
}

export interface TextMatchRow extends PageKey {
  /** Whether its title alone meets the query. */
  readonly in_title: boolean
}

export interface HitRow extends PageKey {
  /** In millionths, so that a cursor holds it exactly. */
  readonly score: number
}

/** No page has this id or a higher one, of those that a statement sees which begins before it. */
export const endOfPages = read(
  'end_of_pages',
  () => sql<{ id: number }>`select last_value + 1 as id from page_id`,
)

/**
 * The newest matches of a range of ids, in one tier or in both. Plan: a bitmap scan of the GIN index page_search_found by
 * words, spaces and id partitions. That index reads all words with a prefix, wherever they occur: in a short range
 * it serves the relaxed query, and each row is compared with the complete one. Not prepared: the plan depends on the words.
 */
export async function findTextMatches(
  db: Db,
  matching: Matching,
  tier: Tier | undefined,
  range: IdRange,
  limit: number,
): Promise<TextMatchRow[]> {
  const { spaceIds, condition, query, relaxed } = matching
  const { low, below, partitions } = range
  const meets = meetsInTier(matching, tier)
  const column = tier === 'title' ? sql`page_search.title` : sql`page_search.words`
  const found =
    relaxed === query || !isShort(range)
      ? meets
      : sql`${relaxed === undefined ? sql`true` : sql`${column} @@ ${relaxed}::tsquery`} and case when ${meets} then true else false end`
  const { rows } = await sql<TextMatchRow>`
    select page_search.space_id, page_search.page_id, ${meetsInTitle(query)} as in_title from page_search
    where ${found} and page_search.page_id + 0 >= ${low}::bigint and page_search.page_id + 0 < ${below}::bigint
      ${partitions ? sql`and ${indexKeys} && ${partitions}::bigint[]` : sql``}
      and ${
        spaceIds.length <= MAX_INDEXED_SPACES
          ? sql`${indexKeys} && ${spaceIds.map((id) => -id)}::bigint[] and page_search.space_id = any(${spaceIds}::bigint[])`
          : sql`page_search.space_id + 0 = any(${spaceIds}::bigint[])`
      }
      ${condition ? sql`and ${condition}` : sql``}
    order by page_search.page_id desc limit ${limit}`.execute(db)
  return rows
}

/** The pages with the highest scores, equal ones by space and path: only pages that may be among them are read. */
export async function rankMatches(
  db: Db,
  { query }: Matching,
  pages: readonly PageKey[],
  limit: number,
): Promise<HitRow[]> {
  const { rows } = await sql<HitRow>`
    with best as materialized (
      select candidate.space_id, candidate.page_id,
        (ts_rank_cd(page_search.words, ${query}::tsquery, 33) * 1000000)::int as score
      from unnest(${pages.map((page) => page.space_id)}::bigint[], ${pages.map((page) => page.page_id)}::bigint[])
        as candidate (space_id, page_id)
      join page_search on page_search.space_id = candidate.space_id and page_search.page_id = candidate.page_id
      order by score desc fetch first ${limit} rows with ties
    )
    select best.space_id, best.page_id, best.score
    from best
    join page on page.space_id = best.space_id and page.id = best.page_id
    join space on space.id = best.space_id
    order by best.score desc, coalesce(space.slug, 'personal'), page.path limit ${limit}`.execute(db)
  return rows
}

/** The expression of the index page_search_found: the negative id of the space, and the id partitions of the page. */
const indexKeys = sql`(array[- page_search.space_id, page_search.page_id >> ${sql.lit(SMALL_BITS)}, (page_search.page_id >> ${sql.lit(LARGE_BITS)}) + ${sql.lit(LARGE_BASE)}])`

function meetsInTier({ negative, query }: Matching, tier: Tier | undefined): RawBuilder<boolean> {
  const meets = sql<boolean>`page_search.words @@ ${query}::tsquery`
  if (tier === undefined) return meets
  if (tier === 'rest') return sql<boolean>`${meets} and not ${meetsInTitle(query)}`
  // An excluded word must not be in the body, either.
  return negative ? sql<boolean>`${meetsInTitle(query)} and ${meets}` : meetsInTitle(query)
}

function meetsInTitle(query: string): RawBuilder<boolean> {
  return sql<boolean>`page_search.title @@ ${query}::tsquery`
}

export interface FoundRow {
  readonly page_id: number
  readonly space: string
  readonly path: string
  readonly title: string
  readonly version: number
  readonly updated_at: Date
  readonly revision_id: string
  readonly data: Buffer
}

/** What hits show of some pages, in their order. */
export async function readFound(db: Db, hits: readonly PageKey[]): Promise<FoundRow[]> {
  const { rows } = await sql<FoundRow>`
    select page.id as page_id, coalesce(space.slug, 'personal') as space, page.path, page.title, page.version,
      page.updated_at, page.revision_id, coalesce(page.body, revision.data) as data
    from unnest(${hits.map((hit) => hit.space_id)}::bigint[], ${hits.map((hit) => hit.page_id)}::bigint[])
      with ordinality as hit (space_id, page_id, n)
    join page on page.space_id = hit.space_id and page.id = hit.page_id and page.deleted_at is null
    join revision
      on revision.space_id = page.space_id and revision.page_id = page.id and revision.version = page.version
    join space on space.id = page.space_id
    order by hit.n`.execute(db)
  return rows
}
