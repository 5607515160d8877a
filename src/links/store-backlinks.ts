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

/**
 * Pages that link to one of the addresses `targets` (rows `space_id, id`), as rows `space_id, page_id, slug, path`:
 * the first `limit` after a position, by space and path. Links have no index in this order. Where few pages of a
 * space link to them, these are sorted; where many do, as to a start page, a scan of the space by path soon finds
 * enough of them.
 */
export function linkingPages(asked: {
  readonly targets: RawBuilder<unknown>
  /** The condition that the caller can read the space of a column. */
  readonly isSeen: (spaceId: RawBuilder<unknown>) => RawBuilder<unknown>
  readonly after: { readonly space: RawBuilder<unknown>; readonly path: RawBuilder<unknown> }
  readonly limit: RawBuilder<unknown>
}): RawBuilder<unknown> {
  const { targets, isSeen, after, limit } = asked
  const linksHere = sql`l.target_space_id = t.space_id and ${addressId} = t.id`
  // Laterals with `offset 0` look up each link by its address: a join might read all links of the space.
  const linksOf = (page: RawBuilder<unknown>) => sql`${targets} t cross join lateral (
    select l.page_id from link l where ${linksHere} and l.space_id = source.id ${page} offset 0) l`
  const link = linksOf(sql``)
  return sql`(
    select source.id as space_id, page.id as page_id, source.slug, page.path
    from (
      -- A loose index scan: one lookup in the index for each space with links.
      with recursive next as (
        select t.space_id, t.id, (
          select l.space_id from link l where ${linksHere} order by l.space_id limit 1) as source from ${targets} t
        union all
        select t.space_id, t.id, (
          select l.space_id from link l where ${linksHere} and l.space_id > t.source order by l.space_id limit 1)
        from next t where t.source is not null
      )
      select s.id, coalesce(s.slug, 'personal') as slug,
        case when coalesce(s.slug, 'personal') = ${after.space} then ${after.path} else '' end as after
      from (select distinct source as id from next) n join space s on s.id = n.id
      where ${isSeen(sql`s.id`)} and coalesce(s.slug, 'personal') >= ${after.space}
      order by coalesce(s.slug, 'personal')
    ) source
    cross join lateral (select count(*) as links from (select from ${link} limit ${sql.lit(SORTED + 1)}) l) size
    cross join lateral (
      select array_agg(a.page_id) as ids from (
        select a.page_id from (
          select page_id, path from page_address a
          where size.links > ${sql.lit(SORTED)} and a.space_id = source.id and a.page_id is not null and a.path > source.after
          order by a.path limit ${sql.lit(SCANNED)}
        ) a
        where exists (select from ${linksOf(sql`and l.page_id = a.page_id`)})
        order by a.path limit ${limit}
      ) a
    ) scanned
    cross join lateral (
      select p.id, p.path from page p
      where cardinality(scanned.ids) = ${limit} and p.space_id = source.id and p.id = any(scanned.ids)
      union all (
        select distinct p.id, p.path from ${link}
        cross join lateral (select id, path from page where space_id = source.id and id = l.page_id offset 0) p
        where coalesce(cardinality(scanned.ids), 0) < ${limit} and p.path > source.after
        order by p.path limit ${limit})
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
    select b.slug as space, b.path, p.title, l.text, p.updated_at,
      case when l.redirects then coalesce(nullif(l.slug, ''), l.target_slug, 'personal') end as via_space,
      case when l.redirects then l.target_path end as via_path
    from ${linkingPages({
      targets: sql`target`,
      isSeen: (id) => sql`${id} = any(array(select unnest(spaces) from seen))`,
      after: { space: sql`${a.afterSpace}::text`, path: sql`${a.afterPath}::text` },
      limit: sql`${a.limit}::bigint`,
    })} b
    join page p on p.space_id = b.space_id and p.id = b.page_id
    cross join lateral (
      select l.slug, l.text, l.target_path, ts.slug as target_slug, l.redirects
      from target t join space ts on ts.id = t.space_id
      cross join lateral (
        select l.*, t.path as target_path, t.moved or ${namesFormerSlug} as redirects from link l
        where l.target_space_id = t.space_id and ${addressId} = t.id and l.space_id = b.space_id and l.page_id = b.page_id
        offset 0
      ) l
      order by l.redirects, l.ord limit 1
    ) l
    order by b.slug, b.path`,
)
