import { type RawBuilder, sql } from 'kysely'
import {
  type AccessSubject,
  isVisible,
  READABLE_TABLES,
  type ReadableParts,
  readableTables,
} from '../../access/visibility.ts'
import { type Db, queryRows } from '../../platform/database/database.ts'
import { inSeenSpaces, linkingPages } from './store-backlinks.ts'
import {
  addressId,
  isDisclosed,
  type LinkTargetRow,
  linkTargetColumns,
  namesFormerSlug,
  targetJoins,
} from './store-read.ts'

/**
 * The id of an address: the canonical one of a page that the caller can read. One that the caller cannot see is also
 * identified by the written slug, so that two slugs of one space are two nodes, as if there were no such space.
 */
export interface NodeId {
  readonly id: number
  readonly space_id: number | null
  /** Empty if the caller can see the space. */
  readonly slug: string
}

function columns(nodes: readonly NodeId[]) {
  return {
    ids: nodes.map((node) => node.id),
    spaceIds: nodes.map((node) => node.space_id),
    slugs: nodes.map((node) => node.slug),
  }
}

/**
 * Whether a row with `id` and `slug` is one of some nodes: a look-up in a hash. A caller asks `is true`, or not, which
 * keeps the planner from a join that compares each row with all nodes.
 */
function isAmong(row: string, { ids, slugs }: Pick<ReturnType<typeof columns>, 'ids' | 'slugs'>): RawBuilder<unknown> {
  return sql`((${sql.ref(`${row}.id`)}, ${sql.ref(`${row}.slug`)}) in (select *
    from unnest(${ids}::bigint[], ${slugs}::text[])))`
}

/** The node at the end of the row `link`, as the row `node`: redirects are resolved. */
const nodeOfTarget = sql`
  cross join lateral (
    select coalesce(target.id, ${addressId}) as id, coalesce(target.space_id, link.target_space_id) as space_id,
      case when link.target_space_id = ${inSeenSpaces} then ''
        else link.slug end as slug, target.id is not null as moved
    from (select 1) one
    left join page_address address on link.target_space_id = ${inSeenSpaces} and address.space_id = link.target_space_id
      and address.id = ${addressId}
      and address.page_id is null and address.moved_space_id = ${inSeenSpaces}
      and ${isVisible(READABLE_TABLES, 'address.space_id', 'address.path')}
    left join page live on live.space_id = address.moved_space_id and live.id = address.moved_page_id
      and live.deleted_at is null
      and ${isVisible(READABLE_TABLES, 'live.space_id', 'live.path')}
    left join page_address target on target.space_id = live.space_id and target.path = live.path
    where link.slug <> '' or link.target_space_id = ${inSeenSpaces}
  ) node`

/** The address of a live page. */
export async function findAddress(db: Db, page: { spaceId: number; path: string }): Promise<NodeId[]> {
  return queryRows<NodeId>(db)`
    select id, space_id, '' as slug
    from page_address where space_id = ${page.spaceId} and path = ${page.path}`
}

/** The tables `origin` and `origin_address`: the addresses of each page, its own and those that redirect to it. */
function origins({ spaceIds, ids }: Pick<ReturnType<typeof columns>, 'spaceIds' | 'ids'>): RawBuilder<unknown> {
  const isShown = sql`address.space_id = ${inSeenSpaces}
    and ${isVisible(READABLE_TABLES, 'address.space_id', 'address.path')}`
  return sql`
    origin as (
      select given.n, address.space_id, address.id, address.page_id
      from unnest(${spaceIds}::bigint[], ${ids}::bigint[]) with ordinality as given (space_id, id, n)
      join page_address address on address.space_id = given.space_id and address.id = given.id
      where ${isShown}
    ),
    origin_address as (
      select n, space_id, id from origin
      union all
      select origin.n, address.space_id, address.id from origin
      join page_address address on address.moved_space_id = origin.space_id and address.moved_page_id = origin.page_id
        and address.page_id is null
        and ${isShown}
    )`
}

/** The nodes one link away from some pages, either way, except known ones; at most `fan` each, with `more`. */
export async function listNeighbours(
  db: Db,
  input: ReadableParts & {
    readonly from: readonly NodeId[]
    readonly known: readonly NodeId[]
    readonly fan: number
    readonly limit: number
  },
): Promise<(NodeId & { readonly more: boolean })[]> {
  return queryRows<NodeId & { more: boolean }>(db)`
    with ${readableTables(input)}, ${origins(columns(input.from))}
    select neighbour.id, neighbour.space_id, neighbour.slug, bool_or(neighbour.place > ${input.fan}) as more from (
      select origin.n, 0 as way, node.id, node.space_id, node.slug, link.place from origin cross join lateral (
        select target_id, address_id, target_space_id, slug, row_number() over (order by ord) as place from link
        where space_id = origin.space_id and page_id = origin.page_id order by ord limit ${input.fan + 1}) link
      ${nodeOfTarget}
      union all
      select origin.n, 1, address.id, address.space_id, '',
        row_number() over (partition by origin.n order by link.slug, link.path)
      from origin cross join lateral ${linkingPages({
        targets: sql`(select space_id, id from origin_address where n = origin.n)`,
        after: { space: sql`''`, path: sql`''` },
        limit: sql`${input.fan + 1}::bigint`,
      })} link
      join page_address address on address.space_id = link.space_id and address.path = link.path
    ) neighbour
    where ${isAmong('neighbour', columns(input.known))} is not true
    group by neighbour.id, neighbour.space_id, neighbour.slug
    order by min((neighbour.n, neighbour.way, neighbour.place))
    limit ${input.limit}`
}

export interface NodeRow extends Pick<LinkTargetRow, 'space' | 'path' | 'title' | 'exists'> {
  /** Its position in the input, counted from 1. */
  readonly n: number
}

/** The visible state of some addresses, in their order; without deleted ones. */
export async function readNodes(db: Db, subject: AccessSubject, nodes: readonly NodeId[]): Promise<NodeRow[]> {
  const { ids, spaceIds, slugs } = columns(nodes)
  return queryRows<NodeRow>(db)`
    select node.space, node.path, node.title, node.exists, node.n from (
      select ${linkTargetColumns(subject)}, link.n
      from (
        select coalesce(given.space_id, 0) as space_id, given.space_id as target_space_id, given.id as target_id,
          null::bigint as address_id, given.slug, given.n
        from unnest(${spaceIds}::bigint[], ${ids}::bigint[], ${slugs}::text[])
        with ordinality as given (space_id, id, slug, n)
      ) link ${targetJoins(subject)} where ${isDisclosed}
    ) node
    order by node.n`
}

export interface EdgeRow {
  readonly source: number
  readonly target: number
  readonly target_slug: string
  /** The written address, if it redirects. */
  readonly via_space: string | null
  readonly via_path: string | null
}

/** The links between some addresses whose source the caller can read, by the ids of both; direct ones first. */
export async function listEdges(
  db: Db,
  readable: ReadableParts,
  nodes: readonly NodeId[],
  limit: number,
): Promise<EdgeRow[]> {
  const { ids, spaceIds, slugs } = columns(nodes)
  return queryRows<EdgeRow>(db)`
    with ${readableTables(readable)},
    edge as (
      select distinct on (given.n, node.id, node.slug) given.n, link.ord, address.id as source, node.id as target,
        node.slug as target_slug,
        link.slug, link.target_space_id, ${addressId} as target_id, address.space_id,
        node.slug = '' and (node.moved or ${namesFormerSlug}) as redirects
      from unnest(${spaceIds}::bigint[], ${ids}::bigint[]) with ordinality as given (space_id, id, n)
      join page_address address on address.space_id = given.space_id and address.id = given.id
      join link on link.space_id = address.space_id and link.page_id = address.page_id
      left join space target_space on target_space.id = link.target_space_id
      ${nodeOfTarget}
      where address.space_id = ${inSeenSpaces}
        and ${isVisible(READABLE_TABLES, 'address.space_id', 'address.path')}
        and ${isAmong('node', { ids, slugs })} is true
      order by given.n, node.id, node.slug, node.moved or ${namesFormerSlug}, link.ord
    )
    select edge.source, edge.target, edge.target_slug,
      case when edge.redirects then coalesce(nullif(edge.slug, ''), (select slug from space where id = edge.space_id),
        'personal') end as via_space,
      case when edge.redirects then
        (select path from page_address where space_id = edge.target_space_id and id = edge.target_id) end as via_path
    from edge order by edge.n, edge.ord limit ${limit}`
}
