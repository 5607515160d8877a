import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { statement } from '../database/statement.ts'

/** A further condition on the page `m.space_id`, `m.page_id`. */
export type PageCondition = RawBuilder<boolean>

/** Makes what pages are found by that which is given, where it is another. */
export const putText = statement(
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
  readonly negative: boolean
  readonly condition: PageCondition | undefined
}

/** A place among the matches of a tier: the block that begins below the page `from`, and in it a score and a page. */
export interface Place {
  readonly from: number
  readonly after: readonly [number, number] | undefined
}

export interface HitRow {
  readonly space_id: number
  readonly page_id: number
  /** Thousandths of thousandths, so that a cursor holds it as it is. */
  readonly score: number
}

export interface Block {
  readonly hits: readonly HitRow[]
  /** Where the next block begins; absent after the last. */
  readonly next: number | undefined
}

/**
 * Matches of a block by their score: a block is the newest `block` matches below `place.from`, for to rank costs more than
 * to find. The query is never prepared: its plan depends on the words.
 */
export async function listHits(
  db: Db,
  matching: Matching,
  tier: Tier,
  place: Place,
  size: { readonly block: number; readonly limit: number },
): Promise<Block> {
  const query = sql`${matching.query}::tsquery`
  const { after } = place
  const { rows } = await sql<HitRow & { low: number; n: number }>`
    with matches as materialized (
      select m.space_id, m.page_id from page_search m
      where ${inTier(matching, tier, query)} and m.page_id < ${place.from}::bigint and m.space_id = any(${matching.spaceIds}::bigint[])
        ${matching.condition ? sql`and ${matching.condition}` : sql``}
    ), newest as materialized (
      select * from matches order by page_id desc limit ${size.block}
    ), extent as (
      select min(page_id) as low, count(*) as n from newest
    ), ranked as (
      select w.space_id, w.page_id, (ts_rank_cd(w.words, ${query}, 33) * 1000000)::int as score
      from newest n join page_search w on w.space_id = n.space_id and w.page_id = n.page_id
    )
    select r.space_id, r.page_id, r.score, e.low, e.n from extent e left join lateral (
      select * from ranked
      ${after === undefined ? sql`` : sql`where (score, page_id) < (${after[0]}::int, ${after[1]}::bigint)`}
      order by score desc, page_id desc limit ${size.limit}
    ) r on true`.execute(db)
  const extent = rows[0]
  return {
    hits: rows.filter((row) => row.page_id !== null),
    next: extent && extent.n === size.block ? extent.low : undefined,
  }
}

function inTier({ negative }: Matching, tier: Tier, query: RawBuilder<unknown>): RawBuilder<boolean> {
  if (tier === 'rest') return sql<boolean>`m.words @@ ${query} and not m.title @@ ${query}`
  // What must not be there must not be in the body, either.
  return negative
    ? sql<boolean>`m.title @@ ${query} and m.words @@ ${query}`
    : sql<boolean>`m.title @@ ${query}`
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
export async function readFound(db: Db, hits: readonly HitRow[]): Promise<FoundRow[]> {
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
