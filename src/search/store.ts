import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { read, write } from '../database/statement.ts'
import { type IdRange, isShort, LARGE_BASE, LARGE_BITS, SMALL_BITS } from './id-ranges.ts'

/** So many spaces are looked up in the index; more are compared with what is found. */
const FEW_SPACES = 30

/** A further condition on the page `m.space_id`, `m.page_id`. */
type PageCondition = RawBuilder<boolean>

/** Makes what pages are found by that which is given, where it is another. */
export const putText = write(
  'put_search_text',
  (a: {
    spaceId: number
    pageIds: readonly number[]
    titles: readonly string[]
    words: readonly string[]
  }) => sql<unknown>`
    insert into page_search as s (space_id, page_id, title, words)
    select ${a.spaceId}::bigint, t.page_id, t.title::tsvector, t.words::tsvector
    from unnest(${a.pageIds}::bigint[], ${a.titles}::text[], ${a.words}::text[]) as t (page_id, title, words)
    on conflict (space_id, page_id) do update set title = excluded.title, words = excluded.words
    where s.words <> excluded.words or s.title <> excluded.title`,
)

/** Which matches: those whose title alone has what is looked for, or the others. */
export type Tier = 'title' | 'rest'

export interface Matching {
  /** The spaces that the caller was found to see: named one by one, so that the planner knows how much is in them. */
  readonly spaceIds: readonly number[]
  readonly query: string
  /** What the query asks for but for its prefixes. */
  readonly loose: string | undefined
  readonly negative: boolean
  readonly condition: PageCondition | undefined
}

/** A page in its space. */
export interface PageKey {
  readonly space_id: number
  readonly page_id: number
}

export interface TextMatchRow extends PageKey {
  /** Whether its title alone has what is looked for. */
  readonly titled: boolean
}

export interface HitRow extends PageKey {
  /** Thousandths of thousandths, so that a cursor holds it as it is. */
  readonly score: number
}

/** No page has this id or a higher one, of those that a statement sees which begins before it. */
export const endOfPages = read(
  'end_of_pages',
  () => sql<{ id: number }>`select last_value + 1 as id from page_id`,
)

/**
 * The newest matches of a stretch, in one tier or in both. The index would gather all words with a prefix wherever they stand: in a short stretch
 * the pages that have the rest are looked at instead. The query is never prepared: its plan depends on the words.
 */
export async function findTextMatches(
  db: Db,
  matching: Matching,
  tier: Tier | undefined,
  stretch: IdRange,
  limit: number,
): Promise<TextMatchRow[]> {
  const { spaceIds, condition, query, loose } = matching
  const { low, below, groups } = stretch
  const fits = inTier(matching, tier)
  const column = tier === 'title' ? sql`m.title` : sql`m.words`
  const found =
    loose === query || !isShort(stretch)
      ? fits
      : sql`${loose === undefined ? sql`true` : sql`${column} @@ ${loose}::tsquery`} and case when ${fits} then true else false end`
  const { rows } = await sql<TextMatchRow>`
    select m.space_id, m.page_id, ${isTitled(query)} as titled from page_search m
    where ${found} and m.page_id + 0 >= ${low}::bigint and m.page_id + 0 < ${below}::bigint
      ${groups ? sql`and ${groupsOf} && ${groups}::bigint[]` : sql``}
      and ${
        spaceIds.length <= FEW_SPACES
          ? sql`${groupsOf} && ${spaceIds.map((id) => -id)}::bigint[] and m.space_id = any(${spaceIds}::bigint[])`
          : sql`m.space_id + 0 = any(${spaceIds}::bigint[])`
      }
      ${condition ? sql`and ${condition}` : sql``}
    order by m.page_id desc limit ${limit}`.execute(db)
  return rows
}

/** The pages that fit best, of equal ones by their addresses: only those are looked up that may be among them. */
export async function rankMatches(
  db: Db,
  { query }: Matching,
  pages: readonly PageKey[],
  limit: number,
): Promise<HitRow[]> {
  const { rows } = await sql<HitRow>`
    with best as materialized (
      select w.space_id, w.page_id, (ts_rank_cd(w.words, ${query}::tsquery, 33) * 1000000)::int as score
      from unnest(${pages.map((page) => page.space_id)}::bigint[], ${pages.map((page) => page.page_id)}::bigint[])
        as t (space_id, page_id)
      join page_search w on w.space_id = t.space_id and w.page_id = t.page_id
      order by score desc fetch first ${limit} rows with ties
    )
    select b.space_id, b.page_id, b.score
    from best b join page p on p.space_id = b.space_id and p.id = b.page_id join space s on s.id = b.space_id
    order by b.score desc, coalesce(s.slug, 'personal'), p.path limit ${limit}`.execute(db)
  return rows
}

/** As the index has it: the space of a page, and the groups of neighbours that it belongs to. */
const groupsOf = sql`(array[- m.space_id, m.page_id >> ${sql.lit(SMALL_BITS)}, (m.page_id >> ${sql.lit(LARGE_BITS)}) + ${sql.lit(LARGE_BASE)}])`

function inTier({ negative, query }: Matching, tier: Tier | undefined): RawBuilder<boolean> {
  const fits = sql<boolean>`m.words @@ ${query}::tsquery`
  if (tier === undefined) return fits
  if (tier === 'rest') return sql<boolean>`${fits} and not ${isTitled(query)}`
  // What must not be there must not be in the body, either.
  return negative ? sql<boolean>`${isTitled(query)} and ${fits}` : isTitled(query)
}

function isTitled(query: string): RawBuilder<boolean> {
  return sql<boolean>`m.title @@ ${query}::tsquery`
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

/** What is shown of some pages, in their order. */
export async function readFound(db: Db, hits: readonly PageKey[]): Promise<FoundRow[]> {
  const { rows } = await sql<FoundRow>`
    select p.id as page_id, coalesce(s.slug, 'personal') as space, p.path, p.title, p.version, p.updated_at, p.revision_id,
      coalesce(p.body, r.data) as data
    from unnest(${hits.map((hit) => hit.space_id)}::bigint[], ${hits.map((hit) => hit.page_id)}::bigint[])
      with ordinality as t (space_id, page_id, n)
    join page p on p.space_id = t.space_id and p.id = t.page_id and p.deleted_at is null
    join revision r on r.space_id = p.space_id and r.page_id = p.id and r.version = p.version
    join space s on s.id = p.space_id
    order by t.n`.execute(db)
  return rows
}
