import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { SortKey } from './sort-key.ts'
import {
  all,
  beyondValue,
  type Group,
  inGroup,
  inSpaces,
  type Joins,
  joinsOf,
  type Query,
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

/** Where in the order of spaces and paths a group is read on. */
export interface After {
  readonly spaceId: number
  readonly path: string
}

/** Pages in the trash keep their metadata, and are not found by it. */
const standing = sql<boolean>`p.deleted_at is null`

/** Some matches, in no order. */
export async function findMatches(db: Db, query: Query, group: Group, limit: number): Promise<MatchRow[]> {
  const joins = joinsOf(query)
  return run(
    db,
    sql`select ${columns(joins)} from page p ${joins.from}
      where ${all([inSpaces(query.spaceIds), standing, ...joins.where, ...inGroup(query, group)])} limit ${limit}`,
  )
}

/** Matches that have a value to order by, beyond the value `after`, in the order of these values. */
export async function walkValues(
  db: Db,
  query: Query,
  walk: { readonly after: SortKey | undefined; readonly descending: boolean; readonly limit: number },
): Promise<MatchRow[]> {
  const joins = joinsOf(query, true)
  return run(
    db,
    sql`select ${columns(joins)} from page p ${joins.from}
      where ${all([inSpaces(query.spaceIds), standing, ...joins.where, ...beyondValue(query, walk.after, walk.descending)])}
      order by o.rank ${walk.descending ? sql`desc` : sql``} limit ${walk.limit}`,
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
  const joins = joinsOf(query)
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
      )
      select ${columns(joins)} from candidate c
      join page p on p.space_id = c.space_id and p.id = c.page_id ${joins.from}
      where ${all([...joins.where, ...inGroup(query, walk.group)])}
      order by c.ord, c.path limit ${walk.limit}`,
  )
}

/** The same among all pages, for matches that are few or far apart. */
export async function sortPages(
  db: Db,
  query: Query,
  walk: { group: Group; after: After | undefined; limit: number },
): Promise<MatchRow[]> {
  const joins = joinsOf(query)
  const { after } = walk
  const beyond = after === undefined ? [] : [sql`(s.id <> ${after.spaceId} or p.path > ${after.path})`]
  return run(
    db,
    sql`select ${columns(joins)} from page p
      join unnest(${query.spaceIds}::bigint[]) with ordinality as s (id, ord) on s.id = p.space_id ${joins.from}
      where ${all([inSpaces(query.spaceIds), standing, ...joins.where, ...inGroup(query, walk.group), ...beyond])}
      order by s.ord, p.path limit ${walk.limit}`,
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

function columns(joins: Joins): RawBuilder<unknown> {
  return sql`p.space_id, p.id, p.path, p.title, p.version, p.updated_at, ${joins.sort} as sort`
}

async function run(db: Db, query: RawBuilder<unknown>): Promise<MatchRow[]> {
  const { rows } = await (query as RawBuilder<MatchRow>).execute(db) // every query here selects `columns`
  return rows
}
