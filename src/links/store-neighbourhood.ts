import { sql } from 'kysely'
import { type Sight, visibleSpaces } from '../access/visibility.ts'
import type { Db } from '../database/database.ts'
import { isMissing, seesAllSpaces, targetJoins } from './store-read.ts'

/** An address by its id, which is unique among all; without a space when that does not exist. */
export interface NodeId {
  readonly id: number
  readonly space_id: number | null
}

interface NodeIds {
  readonly ids: readonly number[]
  readonly spaceIds: readonly (number | null)[]
}

function columns(nodes: readonly NodeId[]): NodeIds {
  return { ids: nodes.map((node) => node.id), spaceIds: nodes.map((node) => node.space_id) }
}

/** The address at which a page stands. */
export async function findAddress(db: Db, page: { spaceId: number; path: string }): Promise<NodeId[]> {
  const { rows } = await sql<NodeId>`
    select id, space_id from page_address where space_id = ${page.spaceId} and path = ${page.path}`.execute(
    db,
  )
  return rows
}

/**
 * What is one link away from some pages, in either direction, without what is known already; of each page and direction
 * at most `fan`, and `more` where there were others.
 */
export async function listNeighbours(
  db: Db,
  sight: Sight,
  asked: {
    readonly from: readonly NodeId[]
    readonly known: readonly NodeId[]
    readonly fan: number
    readonly limit: number
  },
): Promise<(NodeId & { readonly more: boolean })[]> {
  const from = columns(asked.from)
  const { rows } = await sql<NodeId & { more: boolean }>`
    with seen as materialized (select array${visibleSpaces(sight)} as spaces),
    f as (
      select t.n, a.space_id, a.id, a.page_id
      from unnest(${from.spaceIds}::bigint[], ${from.ids}::bigint[]) with ordinality as t (space_id, id, n)
      join page_address a on a.space_id = t.space_id and a.id = t.id
      where a.space_id = any(array(select unnest(spaces) from seen))
    )
    select x.id, x.space_id, bool_or(x.r > ${asked.fan}) as more from (
      select f.n, 0 as way, l.id, l.space_id, l.r from f cross join lateral (
        select target_id as id, target_space_id as space_id, row_number() over (order by ord) as r from link
        where space_id = f.space_id and page_id = f.page_id order by ord limit ${asked.fan + 1}) l
      union all
      select f.n, 1, l.id, l.space_id, l.r from f cross join lateral (
        select a.id, a.space_id, row_number() over (order by l.space_id, l.page_id) as r
        from link l
        join page p on p.space_id = l.space_id and p.id = l.page_id
        join page_address a on a.space_id = p.space_id and a.path = p.path
        where l.target_space_id = f.space_id and l.target_id = f.id
          and l.space_id = any(array(select unnest(spaces) from seen))
        order by l.space_id, l.page_id limit ${asked.fan + 1}) l
    ) x
    where x.id <> all(${asked.known.map((node) => node.id)}::bigint[])
    group by x.id, x.space_id
    order by min((x.n, x.way, x.r)), x.id
    limit ${asked.limit}`.execute(db)
  return rows
}

export interface NodeRow {
  readonly space: string
  readonly path: string
  readonly title: string | null
  readonly exists: boolean | null
}

/** What the caller may know of some addresses, in their order. */
export async function readNodes(db: Db, sight: Sight, nodes: readonly NodeId[]): Promise<NodeRow[]> {
  const { ids, spaceIds } = columns(nodes)
  const { rows } = await sql<NodeRow>`
    select coalesce(ts.slug, u.slug, 'personal') as space, coalesce(a.path, u.path) as path, p.title,
      case when ts.visible then not ${isMissing(sight)} when u.id is not null and ${seesAllSpaces(sight)} then false end as exists
    from unnest(${spaceIds}::bigint[], ${ids}::bigint[]) with ordinality as l (target_space_id, target_id, n)
    ${targetJoins(sight)}
    left join page p on ts.visible and p.space_id = a.space_id and p.id = a.page_id
    order by l.n`.execute(db)
  return rows
}

export interface EdgeRow {
  readonly source: number
  readonly target: number
}

/** The links between some addresses whose source the caller can read, by the ids of both. */
export async function listEdges(
  db: Db,
  sight: Sight,
  nodes: readonly NodeId[],
  limit: number,
): Promise<EdgeRow[]> {
  const { ids, spaceIds } = columns(nodes)
  const { rows } = await sql<EdgeRow>`
    select a.id as source, l.target_id as target
    from unnest(${spaceIds}::bigint[], ${ids}::bigint[]) with ordinality as t (space_id, id, n)
    join page_address a on a.space_id = t.space_id and a.id = t.id
    join link l on l.space_id = a.space_id and l.page_id = a.page_id and l.target_id = any(${ids}::bigint[])
    where a.space_id = any(array${visibleSpaces(sight)})
    order by t.n, l.ord limit ${limit}`.execute(db)
  return rows
}
