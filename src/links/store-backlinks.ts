import { type RawBuilder, sql } from 'kysely'
import { type AccessSubject, visibleSpaces } from '../access/visibility.ts'
import { read } from '../database/statement.ts'
import { addressId, namesFormerSlug } from './store-read.ts'

/**
 * The maximum of links of one space that are sorted; where there are more, the pages of the space are scanned first.
 */
const SORTED = 2_000
/** The number of addresses that such a scan visits before the links are sorted after all. */
const SCANNED = 10_000

interface LinkingInput {
  readonly targets: RawBuilder<unknown>
  /** The condition that the caller can read the space of a column. */
  readonly isSeen: (spaceId: RawBuilder<unknown>) => RawBuilder<unknown>
  readonly after: { readonly space: RawBuilder<unknown>; readonly path: RawBuilder<unknown> }
  readonly limit: RawBuilder<unknown>
}

/** Whether the row `link` leads to the row `target`. */
const linksHere = sql`link.target_space_id = target.space_id and ${addressId} = target.id`

/** The spaces whose pages link to `targets`, as rows `id, slug, after`: the last path of the previous results. */
function linkingSpaces({ targets, isSeen, after }: LinkingInput): RawBuilder<unknown> {
  return sql`
    -- A loose index scan: one lookup in the index for each space with links.
    with recursive next as (
      select target.space_id, target.id, (
        select link.space_id from link where ${linksHere} order by link.space_id limit 1) as source from ${targets} target
      union all
      select target.space_id, target.id, (
        select link.space_id from link where ${linksHere} and link.space_id > target.source order by link.space_id limit 1)
      from next target where target.source is not null
    )
    select space.id, coalesce(space.slug, 'personal') as slug,
      case when coalesce(space.slug, 'personal') = ${after.space} then ${after.path} else '' end as after
    from (select distinct source as id from next) next join space on space.id = next.id
    where ${isSeen(sql`space.id`)} and coalesce(space.slug, 'personal') >= ${after.space}
    order by coalesce(space.slug, 'personal')`
}

/**
 * Pages that link to one of the addresses `targets` (rows `space_id, id`), as rows `space_id, page_id, slug, path`:
 * the first `limit` after a position, by space and path. Links have no index in this order. Where few pages of a
 * space link to them, these are sorted; where many do, as to a start page, a scan of the space by path soon finds
 * enough of them.
 */
export function linkingPages(input: LinkingInput): RawBuilder<unknown> {
  const { targets, limit } = input
  // Laterals with `offset 0` look up each link by its address: a join might read all links of the space.
  const linksOf = (page: RawBuilder<unknown>) => sql`${targets} target cross join lateral (
    select link.page_id from link where ${linksHere} and link.space_id = source.id ${page} offset 0) link`
  const link = linksOf(sql``)
  return sql`(
    select source.id as space_id, page.id as page_id, source.slug, page.path
    from (${linkingSpaces(input)}) source
    cross join lateral (select count(*) as links from (select from ${link} limit ${sql.lit(SORTED + 1)}) link) size
    cross join lateral (
      select array_agg(address.page_id) as ids from (
        select address.page_id from (
          select page_id, path from page_address address
          where size.links > ${sql.lit(SORTED)} and address.space_id = source.id and address.page_id is not null and address.path > source.after
          order by address.path limit ${sql.lit(SCANNED)}
        ) address
        where exists (select from ${linksOf(sql`and link.page_id = address.page_id`)})
        order by address.path limit ${limit}
      ) address
    ) scanned
    cross join lateral (
      select page.id, page.path from page
      where cardinality(scanned.ids) = ${limit} and page.space_id = source.id and page.id = any(scanned.ids)
      union all (
        select distinct page.id, page.path from ${link}
        cross join lateral (select id, path from page where space_id = source.id and id = link.page_id offset 0) page
        where coalesce(cardinality(scanned.ids), 0) < ${limit} and page.path > source.after
        order by page.path limit ${limit})
    ) page
    order by source.slug, page.path limit ${limit}
  )`
}

export interface BacklinkRow {
  readonly space: string
  readonly path: string
  readonly title: string
  readonly text: string
  readonly updated_at: Date
  /** The written address if it redirects; null if the page also links directly. */
  readonly via_space: string | null
  readonly via_path: string | null
}

interface BacklinkArgs extends AccessSubject {
  readonly spaceId: number
  readonly pageId: number
  readonly path: string
  /** The last page of the previous results; empty at the beginning. */
  readonly afterSpace: string
  readonly afterPath: string
  readonly limit: number
}

/** Readable pages that link to a page, by its address or by one that redirects to it. */
export const listBacklinks = read(
  'list_backlinks',
  (a: BacklinkArgs) => sql<BacklinkRow>`
    with seen as materialized (select array${visibleSpaces(a)} as spaces),
    target as materialized (
      select space_id, id, path, false as moved from page_address where space_id = ${a.spaceId} and path = ${a.path}
      union all
      select space_id, id, path, true from page_address
      where moved_space_id = ${a.spaceId} and moved_page_id = ${a.pageId} and page_id is null
        and space_id = any(array(select unnest(spaces) from seen))
    )
    select source.slug as space, source.path, page.title, link.text, page.updated_at,
      case when link.redirects then coalesce(nullif(link.slug, ''), link.target_slug, 'personal') end as via_space,
      case when link.redirects then link.target_path end as via_path
    from ${linkingPages({
      targets: sql`target`,
      isSeen: (id) => sql`${id} = any(array(select unnest(spaces) from seen))`,
      after: { space: sql`${a.afterSpace}::text`, path: sql`${a.afterPath}::text` },
      limit: sql`${a.limit}::bigint`,
    })} source
    join page on page.space_id = source.space_id and page.id = source.page_id
    cross join lateral (
      select link.slug, link.text, link.target_path, target_space.slug as target_slug, link.redirects
      from target join space target_space on target_space.id = target.space_id
      cross join lateral (
        select link.*, target.path as target_path, target.moved or ${namesFormerSlug} as redirects from link
        where link.target_space_id = target.space_id and ${addressId} = target.id and link.space_id = source.space_id and link.page_id = source.page_id
        offset 0
      ) link
      order by link.redirects, link.ord limit 1
    ) link
    order by source.slug, source.path`,
)
