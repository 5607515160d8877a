import { type RawBuilder, sql } from 'kysely'
import {
  type AccessSubject,
  isVisible,
  materializeReadable,
  READABLE_TABLES,
  visibleSpaces,
} from '../../access/visibility.ts'
import { read } from '../../platform/database/database.ts'
import { addressId, namesFormerSlug } from './store-read.ts'

/** The maximum of links of one space that are sorted; where there are more, the pages of the space come first. */
const SORTED = 2_000
/** The number of addresses that such a scan visits before the links are sorted after all. */
const SCANNED = 10_000
/** With more links a scan of as many addresses is tried, too. */
const SORTED_AT_ONCE = 200
/** The number of spaces that are asked first for links to a page. */
const ASKED = 8

interface LinkingInput {
  readonly targets: RawBuilder<unknown>
  readonly after: { readonly space: RawBuilder<unknown>; readonly path: RawBuilder<unknown> }
  readonly limit: RawBuilder<unknown>
  /** Whether pages of the first spaces probably complete the result. */
  readonly isOfHub?: boolean
}

/** A condition of a column: the spaces that the caller can read, of `READABLE_TABLES`. */
export const inSeenSpaces = sql`any(array${visibleSpaces(READABLE_TABLES)})`

/** Whether the row `link` leads to the row `target`. */
const linksHere = sql`link.target_space_id = target.space_id and ${addressId} = target.id`

/** The slug of the row `space`. */
const spaceSlug = sql`coalesce(space.slug, 'personal')`

/** The last path of the previous results, if the row `space` is where they end. */
function afterIn(after: LinkingInput['after']): RawBuilder<unknown> {
  return sql`case when ${spaceSlug} = ${after.space} then ${after.path} else '' end`
}

/** All spaces whose pages link to `targets`, as rows `id, slug, after`. */
function linkingSpaces({ targets, after }: LinkingInput): RawBuilder<unknown> {
  return sql`
    -- A loose index scan: one lookup in the index for each space with links.
    with recursive next as (
      select target.space_id, target.id, (
        select link.space_id from link where ${linksHere} order by link.space_id limit 1) as source
        from ${targets} target
      union all
      select target.space_id, target.id, (
        select link.space_id from link where ${linksHere} and link.space_id > target.source order by link.space_id
        limit 1)
      from next target where target.source is not null
    )
    select space.id, ${spaceSlug} as slug, ${afterIn(after)} as after
    from (select distinct source as id from next) next join space on space.id = next.id
    where space.id = ${inSeenSpaces} and ${spaceSlug} >= ${after.space}
    order by ${spaceSlug}`
}

/**
 * The spaces whose pages link to `targets`, as the query `linking` of rows `id, slug, after, n` in the order of their
 * visits, and the row of the next one. Of a hub the first spaces that the caller can read are asked, because they
 * usually complete the result: only after them all spaces with links are looked up.
 */
function orderedSpaces(input: LinkingInput): {
  readonly queries: RawBuilder<unknown>
  readonly next: RawBuilder<unknown>
} {
  const { targets, after, limit, isOfHub } = input
  const isNext = sql`linking.n = visited.n + 1 and visited.total < ${limit}`
  const linking = sql`linking as materialized (
      select source.*, row_number() over (order by source.slug) as n from (${linkingSpaces(input)}) source`
  if (!isOfHub) return { queries: sql`${linking})`, next: sql`select * from linking where ${isNext} offset 0` }
  const queries = sql`asked as materialized (
      select space.id, ${spaceSlug} as slug, ${afterIn(after)} as after from space
      where space.id = ${inSeenSpaces} and ${spaceSlug} >= ${after.space}
      order by ${spaceSlug} limit ${sql.lit(ASKED)}
    ),
    near as materialized (
      select asked.*, row_number() over (order by asked.slug) as n from asked
      where exists (select from ${targets} target cross join lateral (
        select from link where ${linksHere} and link.space_id = asked.id offset 0) link)
    ),
    ${linking}
      where (select count(*) from asked) = ${sql.lit(ASKED)} and source.slug > (select max(slug) from asked)
    )`
  return {
    queries,
    next: sql`
      select * from near linking where ${isNext}
      union all
      select id, slug, after, visited.n + 1 from linking
      where visited.n >= (select count(*) from near) and linking.n = visited.n + 1 - (select count(*) from near)
        and visited.total < ${limit}
      offset 0`,
  }
}

/**
 * The first `limit` pages of the row `source`, a space, that link to `targets`, as the row `listed` of two arrays:
 * their ids and their paths, in the order of the paths. Links have no index in this order. Where few pages of the space
 * link to them, these are sorted; where many do, as to a start page, a scan of the space by path soon finds enough of
 * them: by their ids, which `width_bucket` looks up by binary search, or, where they are too many to be read first, by
 * their links. Plan: the pages by their key, all in one scan of the index (`offset 0` keeps the planner from a scan by
 * path).
 */
function listedOfSpace({ targets, limit }: LinkingInput): RawBuilder<unknown> {
  // Laterals with `offset 0` look up each link by its address: a join might read all links of the space.
  const selectLinks = (page: RawBuilder<unknown>) => sql`${targets} target cross join lateral (
    select link.page_id from link where ${linksHere} and link.space_id = source.id ${page} offset 0) link`
  const link = selectLinks(sql``)
  return sql`
    cross join lateral (
      select array_agg(link.page_id order by link.page_id) as ids
      from (select link.page_id from ${link} limit ${sql.lit(SORTED + 1)}) link
    ) few
    cross join lateral (
      select array_agg(address.page_id) as ids from (
        select address.page_id from (
          select page_id, path from page_address address
          where cardinality(few.ids) > ${sql.lit(SORTED_AT_ONCE)} and address.space_id = source.id
            and address.page_id is not null
            and address.path > source.after
          order by address.path limit case when cardinality(few.ids) > ${sql.lit(SORTED)} then ${sql.lit(SCANNED)}
            else cardinality(few.ids) end
        ) address
        where ${isVisible(READABLE_TABLES, 'source.id', 'address.path')} and
        case when cardinality(few.ids) > ${sql.lit(SORTED)}
          then exists (select from ${selectLinks(sql`and link.page_id = address.page_id`)})
          else few.ids[width_bucket(address.page_id, few.ids)] = address.page_id end
        order by address.path limit ${limit}
      ) address
    ) scanned
    cross join lateral (
      select array_agg(page.id order by page.path) as ids, array_agg(page.path order by page.path) as paths from (
        select page.id, page.path from (
          select id, path from page where space_id = source.id and id = any(case
            when cardinality(scanned.ids) = ${limit} then scanned.ids
            when cardinality(few.ids) <= ${sql.lit(SORTED)} then few.ids
            else array(select link.page_id from ${link}) end)
          offset 0
        ) page
        where page.path > source.after and ${isVisible(READABLE_TABLES, 'source.id', 'page.path')} order by page.path
        limit ${limit}
      ) page
    ) listed`
}

/**
 * Pages that link to one of the addresses `targets` (rows `space_id, id`), as rows `space_id, page_id, slug, path`: the
 * first `limit` after a position, by space and path. Needs `READABLE_TABLES`. A recursion visits one space after the
 * other, and ends with the one that completes the result: a sort by both would also sort the pages of the next space.
 */
export function linkingPages(input: LinkingInput): RawBuilder<unknown> {
  const { queries, next } = orderedSpaces(input)
  return sql`(
    with recursive ${queries},
    visited as (
      select 0::bigint as n, 0::bigint as space_id, '' collate "C" as slug, '{}'::bigint[] as ids,
        '{}'::text[] collate "C" as paths, 0 as total
      union all
      select source.n, source.id, source.slug, listed.ids, listed.paths,
        visited.total + coalesce(cardinality(listed.ids), 0)
      from visited cross join lateral (${next}) source
      ${listedOfSpace(input)}
    )
    select visited.space_id, page.id as page_id, visited.slug, page.path
    from visited cross join lateral unnest(visited.ids, visited.paths) as page (id, path)
    order by visited.slug, page.path limit ${input.limit}
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

export interface BacklinkArgs extends AccessSubject {
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
    with ${materializeReadable(a)},
    target as materialized (
      select address.*, space.slug from (
        select space_id, id, path, false as moved from page_address where space_id = ${a.spaceId} and path = ${a.path}
        union all
        select space_id, id, path, true from page_address
        where moved_space_id = ${a.spaceId} and moved_page_id = ${a.pageId} and page_id is null
          and space_id = ${inSeenSpaces} and ${isVisible(READABLE_TABLES, 'space_id', 'path')}
      ) address join space on space.id = address.space_id
    )
    select source.slug as space, source.path, page.title, link.text, page.updated_at,
      case when link.redirects then coalesce(nullif(link.slug, ''), link.target_slug, 'personal') end as via_space,
      case when link.redirects then link.target_path end as via_path
    from ${linkingPages({
      targets: sql`target`,
      after: { space: sql`${a.afterSpace}::text`, path: sql`${a.afterPath}::text` },
      limit: sql`${a.limit}::bigint`,
      isOfHub: true,
    })} source
    join page on page.space_id = source.space_id and page.id = source.page_id
    cross join lateral (
      select link.slug, link.text, target_space.path as target_path, target_space.slug as target_slug, link.redirects
      from target target_space -- with the slug of its space, which \`namesFormerSlug\` compares
      cross join lateral (
        select link.*, target_space.moved or ${namesFormerSlug} as redirects from link
        where link.target_space_id = target_space.space_id and ${addressId} = target_space.id
          and link.space_id = source.space_id and link.page_id = source.page_id
        offset 0
      ) link
      order by link.redirects, link.ord limit 1
    ) link
    order by source.slug, source.path`,
)
