import { type RawBuilder, sql } from 'kysely'
import { type AccessSubject, isVisible, visibleSpaces } from '../../access/visibility.ts'
import { type Db, queryRows } from '../../platform/database/database.ts'
import { linkingPages } from './store-backlinks.ts'
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

const materializeSeen = (subject: AccessSubject) =>
  sql`seen as materialized (select array${visibleSpaces(subject)} as spaces)`
const VISIBLE_SPACES = sql`any(array(select unnest(spaces) from seen))`

/** The node at the end of the row `link`, as the row `node`: redirects are resolved. */
const nodeOfTarget = (subject: AccessSubject): RawBuilder<unknown> => sql`
  cross join lateral (
    select coalesce(target.id, ${addressId}) as id, coalesce(target.space_id, link.target_space_id) as space_id,
      case when link.target_space_id = ${VISIBLE_SPACES} then '' else link.slug end as slug, target.id is not null as moved
    from (select 1) one
    left join page_address address on link.target_space_id = ${VISIBLE_SPACES} and address.space_id = link.target_space_id and address.id = ${addressId}
      and address.page_id is null and address.moved_space_id = ${VISIBLE_SPACES} and ${isVisible(subject, 'address.space_id', 'address.path')}
    left join page live on live.space_id = address.moved_space_id and live.id = address.moved_page_id and live.deleted_at is null
      and ${isVisible(subject, 'live.space_id', 'live.path')}
    left join page_address target on target.space_id = live.space_id and target.path = live.path
    where link.slug <> '' or link.target_space_id = ${VISIBLE_SPACES}
  ) node`

/** The address of a live page. */
export async function findAddress(db: Db, page: { spaceId: number; path: string }): Promise<NodeId[]> {
  return queryRows<NodeId>(db)`
    select id, space_id, '' as slug
    from page_address where space_id = ${page.spaceId} and path = ${page.path}`
}

/** The tables `origin` and `origin_address`: the addresses of each page, its own and those that redirect to it. */
function origins(
  subject: AccessSubject,
  { spaceIds, ids }: Pick<ReturnType<typeof columns>, 'spaceIds' | 'ids'>,
): RawBuilder<unknown> {
  const isShown = sql`address.space_id = ${VISIBLE_SPACES} and ${isVisible(subject, 'address.space_id', 'address.path')}`
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
      join page_address address on address.moved_space_id = origin.space_id and address.moved_page_id = origin.page_id and address.page_id is null
        and ${isShown}
    )`
}

/** The nodes one link away from some pages, either way, except known ones; at most `fan` each, with `more`. */
export async function listNeighbours(
  db: Db,
  subject: AccessSubject,
  input: {
    readonly from: readonly NodeId[]
    readonly known: readonly NodeId[]
    readonly fan: number
    readonly limit: number
  },
): Promise<(NodeId & { readonly more: boolean })[]> {
  const knownColumns = columns(input.known)
  return queryRows<NodeId & { more: boolean }>(db)`
    with ${materializeSeen(subject)}, ${origins(subject, columns(input.from))}
    select neighbour.id, neighbour.space_id, neighbour.slug, bool_or(neighbour.place > ${input.fan}) as more from (
      select origin.n, 0 as way, node.id, node.space_id, node.slug, link.place from origin cross join lateral (
        select target_id, address_id, target_space_id, slug, row_number() over (order by ord) as place from link
        where space_id = origin.space_id and page_id = origin.page_id order by ord limit ${input.fan + 1}) link
      ${nodeOfTarget(subject)}
      union all
      select origin.n, 1, address.id, address.space_id, '', row_number() over (partition by origin.n order by link.slug, link.path)
      from origin cross join lateral ${linkingPages({
        subject,
        targets: sql`(select space_id, id from origin_address where n = origin.n)`,
        isSeen: (id) => sql`${id} = ${VISIBLE_SPACES}`,
        after: { space: sql`''`, path: sql`''` },
        limit: sql`${input.fan + 1}::bigint`,
      })} link
      join page_address address on address.space_id = link.space_id and address.path = link.path
    ) neighbour
    where not exists (
      select 1 from unnest(${knownColumns.ids}::bigint[], ${knownColumns.slugs}::text[]) as known (id, slug)
      where known.id = neighbour.id and known.slug = neighbour.slug)
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
        from unnest(${spaceIds}::bigint[], ${ids}::bigint[], ${slugs}::text[]) with ordinality as given (space_id, id, slug, n)
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
  subject: AccessSubject,
  nodes: readonly NodeId[],
  limit: number,
): Promise<EdgeRow[]> {
  const { ids, spaceIds, slugs } = columns(nodes)
  return queryRows<EdgeRow>(db)`
    with ${materializeSeen(subject)},
    edge as (
      select distinct on (given.n, node.id, node.slug) given.n, link.ord, address.id as source, node.id as target, node.slug as target_slug,
        link.slug, link.target_space_id, ${addressId} as target_id, address.space_id, node.slug = '' and (node.moved or ${namesFormerSlug}) as redirects
      from unnest(${spaceIds}::bigint[], ${ids}::bigint[]) with ordinality as given (space_id, id, n)
      join page_address address on address.space_id = given.space_id and address.id = given.id
      join link on link.space_id = address.space_id and link.page_id = address.page_id
      left join space target_space on target_space.id = link.target_space_id
      ${nodeOfTarget(subject)}
      where address.space_id = ${VISIBLE_SPACES} and ${isVisible(subject, 'address.space_id', 'address.path')} and exists (
        select 1 from unnest(${ids}::bigint[], ${slugs}::text[]) as other (id, slug) where other.id = node.id and other.slug = node.slug)
      order by given.n, node.id, node.slug, node.moved or ${namesFormerSlug}, link.ord
    )
    select edge.source, edge.target, edge.target_slug,
      case when edge.redirects then coalesce(nullif(edge.slug, ''), (select slug from space where id = edge.space_id), 'personal') end as via_space,
      case when edge.redirects then
        (select path from page_address where space_id = edge.target_space_id and id = edge.target_id) end as via_path
    from edge order by edge.n, edge.ord limit ${limit}`
}
