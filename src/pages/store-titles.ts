import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { latestFirst, upTo } from './store-lists.ts'
import type { TitleQuery } from './title-query.ts'

export interface TitleRow {
  readonly space: string
  readonly path: string
  readonly title: string
  readonly updated_at: Date
}

/** So many matches of each kind are ranked: where there are more, whoever types will type on. */
const ENOUGH = 200
const ENOUGH_IN_SPACE = 20

/**
 * Pages of some spaces whose title or path may be the one that is being typed, in no order: with the very words, with
 * words that begin so, and with a path or words of a path that begin so. Never prepared: the plan depends on the words.
 */
export async function listTitles(
  db: Db,
  spaceIds: readonly number[],
  query: TitleQuery,
): Promise<TitleRow[]> {
  const arms = [
    ...(query.exact === undefined ? [] : [byTitle(spaceIds, query.exact)]),
    ...(query.begun === undefined ? [] : [byTitle(spaceIds, query.begun)]),
    ...(query.inPath === undefined ? [] : [byPathWords(spaceIds, query.inPath)]),
    byPath(spaceIds, query.prefix),
  ]
  const { rows } = await sql<TitleRow>`
    select coalesce(s.slug, 'personal') as space, p.path, p.title, p.updated_at
    from (${sql.join(arms, sql` union `)}) as m
    join page p on p.space_id = m.space_id and p.id = m.page_id and p.deleted_at is null
    join space s on s.id = p.space_id`.execute(db)
  return rows
}

/** The pages of some spaces that were changed last. */
export async function listLatestTitles(
  db: Db,
  spaceIds: readonly number[],
  limit: number,
): Promise<TitleRow[]> {
  const { rows } = await sql<TitleRow>`
    select coalesce(s.slug, 'personal') as space, p.path, p.title, p.updated_at
    from page p join space s on s.id = p.space_id
    where p.space_id = any(${spaceIds}::bigint[]) and p.deleted_at is null
    order by ${latestFirst} limit ${limit}`.execute(db)
  return rows
}

// `offset 0` keeps the limit outside from turning the planner to a scan that ends early only where matches are many.
function byTitle(spaceIds: readonly number[], query: string): RawBuilder<unknown> {
  return sql`(select * from (
    select m.space_id, m.page_id from page_search m
    where m.title @@ ${query}::tsquery and m.space_id = any(${spaceIds}::bigint[]) offset 0) x limit ${ENOUGH})`
}

function byPathWords(spaceIds: readonly number[], query: string): RawBuilder<unknown> {
  return sql`(select * from (
    select a.space_id, a.page_id from page_address a
    where a.page_id is not null and ${pathWords} @@ ${query}::tsquery and a.space_id = any(${spaceIds}::bigint[]) offset 0) x limit ${ENOUGH})`
}

/** As the index `page_address_words` has it. */
const pathWords = sql`to_tsvector('simple', translate(a.path, '/-_.', '    '))`

function byPath(spaceIds: readonly number[], prefix: string): RawBuilder<unknown> {
  return sql`(select a.space_id, a.page_id from unnest(${spaceIds}::bigint[]) as t (id)
    cross join lateral (
      select a.space_id, a.page_id from page_address a
      where a.space_id = t.id and a.page_id is not null
        and a.path >= ${prefix} and starts_with(a.path, ${prefix}) ${upTo(prefix)}
      order by a.path limit ${ENOUGH_IN_SPACE}
    ) a limit ${ENOUGH})`
}

export interface AlikeRow {
  /** Which of the queries it answers, counted from 1. */
  readonly n: number
  readonly path: string
  readonly title: string
}

/** For each of some queries pages of a space that have one of its words in their title or path. */
export async function listAlike(db: Db, spaceId: number, queries: readonly string[]): Promise<AlikeRow[]> {
  const { rows } = await sql<AlikeRow>`
    select t.n::int as n, p.path, p.title
    from unnest(${queries}::text[]) with ordinality as t (q, n)
    cross join lateral (
      (select m.page_id from page_search m where m.title @@ t.q::tsquery and m.space_id = ${spaceId} limit ${ENOUGH})
      union
      (select a.page_id from page_address a
        where a.page_id is not null and ${pathWords} @@ t.q::tsquery and a.space_id = ${spaceId} limit ${ENOUGH})
    ) m
    join page p on p.space_id = ${spaceId} and p.id = m.page_id and p.deleted_at is null`.execute(db)
  return rows
}
