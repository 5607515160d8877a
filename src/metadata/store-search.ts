import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { SortKey } from './sort-key.ts'
import {
  all,
  beyondValue,
  type Group,
  inGroup,
  inSpaces,
  isOrdered,
  probeByPage,
  type Query,
  scanByIndex,
  scanByOrder,
} from './store-conditions.ts'

/** A page that was found. `sort` is null where it has no value to order by. */
export interface MatchRow {
  readonly space_id: number
  readonly id: number
  readonly path: string
  readonly title: string
  readonly version: number
  readonly updated_at: Date
  readonly sort: SortKey | null
}

const columns = sql`p.space_id, p.id, p.path, p.title, p.version, p.updated_at, m.sort`

/** To pass by a page of another space costs so much less than to look at one. */
const SPACES_AWAY = 10

/** Where in the order of spaces and paths a group is read on. */
export interface After {
  readonly spaceId: number
  readonly path: string
}

/** Some matches, in no order. */
export async function findMetadataMatches(
  db: Db,
  query: Query,
  group: Group,
  limit: number,
): Promise<MatchRow[]> {
  const { from, where, sort } = scanByIndex(query, group)
  return run(
    db,
    sql`with found as materialized (
        select p.space_id, p.id, ${sort} as sort from ${from}
        where ${all(where)} limit ${limit}
      )
      select ${columns} from found m join page p on p.space_id = m.space_id and p.id = m.id`,
  )
}

/** Where the walk through the values begins, and its direction. */
export interface ValueWalk {
  readonly after: SortKey | undefined
  readonly descending: boolean
  readonly limit: number
}

/** Matches that have a value to order by, in the order of these values, among the first `among` pages in this order. */
export async function walkValues(
  db: Db,
  query: Query,
  walk: ValueWalk & { readonly among: number },
): Promise<MatchRow[]> {
  const { from, where, sort } = scanByOrder(query)
  const direction = walk.descending ? sql`desc` : sql``
  const beyond = [...isOrdered(query), ...beyondValue(query, walk.after, walk.descending)]
  return run(
    db,
    sql`with candidate as materialized (
        select o.space_id, o.page_id, o.rank from (
          select o.space_id, o.page_id, o.rank from metadata_entry o
          where ${all(beyond)} order by o.rank ${direction} limit ${SPACES_AWAY * walk.among}
        ) o
        where ${inSpaces(query.spaceIds, sql.ref('o'))} order by o.rank ${direction} limit ${walk.among}
      ), found as materialized (
        select p.space_id, p.id, o.rank, ${sort} as sort
        from candidate o cross join lateral (select o.space_id, o.page_id as id) p ${from}
        where ${all(where)} order by o.rank ${direction} limit ${walk.limit}
      )
      select ${columns} from found m join page p on p.space_id = m.space_id and p.id = m.id
      order by m.rank ${direction}`,
  )
}

/** The same among all pages. */
export async function sortValues(db: Db, query: Query, walk: ValueWalk): Promise<MatchRow[]> {
  const { from, where, sort } = scanByIndex(query, 'ordered')
  const direction = walk.descending ? sql`desc` : sql``
  return run(
    db,
    sql`with found as materialized (
        select p.space_id, p.id, o.rank, ${sort} as sort from ${from}
        where ${all([...where, ...beyondValue(query, walk.after, walk.descending)])}
      )
      select ${columns} from (select * from found order by rank ${direction} limit ${walk.limit}) m
      join page p on p.space_id = m.space_id and p.id = m.id
      order by m.rank ${direction}`,
  )
}

/**
 * Matches of one group in the order of spaces and paths, among the first `among` pages in this order: where matches are
 * many this finds enough of them soon, and where they are few it ends soon.
 */
export async function walkPages(
  db: Db,
  query: Query,
  walk: { group: Group; after: After | undefined; among: number; limit: number },
): Promise<MatchRow[]> {
  const { from, where, sort } = probeByPage(query)
  const { after, among } = walk
  const beyond = after === undefined ? sql`` : sql`and (s.id <> ${after.spaceId} or a.path > ${after.path})`
  return run(
    db,
    sql`with candidate as materialized (
        select s.ord, a.space_id, a.path, a.page_id
        from (select id, ord from unnest(${query.spaceIds}::bigint[]) with ordinality as u (id, ord) order by ord) s
        cross join lateral (
          select a.space_id, a.path, a.page_id from page_address a
          where a.space_id = s.id and a.page_id is not null ${beyond} order by a.path limit ${among}
        ) a
        order by s.ord, a.path limit ${among}
      ), found as materialized (
        select p.space_id, p.id, p.ord, p.path, ${sort} as sort
        from (select space_id, page_id as id, ord, path from candidate) p ${from}
        where ${all([...where, ...inGroup(query, walk.group)])}
        order by p.ord, p.path limit ${walk.limit}
      )
      select ${columns} from found m join page p on p.space_id = m.space_id and p.id = m.id
      order by m.ord, m.path`,
  )
}

/**
 * The same among all pages, for matches that are few or far apart. Only those in the first spaces are visited, as many
 * as have enough of them.
 */
export async function sortPages(
  db: Db,
  query: Query,
  walk: { group: Group; after: After | undefined; limit: number },
): Promise<MatchRow[]> {
  const { after, group, limit } = walk
  const { from, where, sort } = scanByIndex(query, group)
  const begun = sql`s.id = ${after?.spaceId ?? 0}`
  return run(
    db,
    sql`with found as materialized (
        select p.space_id, p.id, ${sort} as sort from ${from} where ${all(where)}
      ), space as (
        select s.id, s.ord, sum(case when ${begun} then 0 else n end) over (order by s.ord) - n as before
        from unnest(${query.spaceIds}::bigint[]) with ordinality as s (id, ord)
        join (select space_id, count(*) as n from found group by space_id) c on c.space_id = s.id
      )
      select ${columns} from space s
      join found m on m.space_id = s.id
      join page p on p.space_id = m.space_id and p.id = m.id
      where s.before < ${limit} and (not ${begun} or p.path > ${after?.path ?? ''})
      order by s.ord, p.path limit ${limit}`,
  )
}

/** The values of some pages. */
export async function readDocuments(
  db: Db,
  pages: readonly { readonly space_id: number; readonly id: number }[],
): Promise<{ page_id: number; doc: Readonly<Record<string, unknown>> }[]> {
  const { rows } = await sql<{ page_id: number; doc: Readonly<Record<string, unknown>> }>`
    select d.page_id, d.doc
    from unnest(${pages.map((page) => page.space_id)}::bigint[], ${pages.map((page) => page.id)}::bigint[]) as u (space_id, id)
    join page_metadata d on d.space_id = u.space_id and d.page_id = u.id`.execute(db)
  return rows
}

async function run(db: Db, query: RawBuilder<unknown>): Promise<MatchRow[]> {
  const { rows } = await (query as RawBuilder<MatchRow>).execute(db) // every query here selects `columns`
  return rows
}
