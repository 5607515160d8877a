import { sql } from 'kysely'
import { read } from '../database/statement.ts'

export interface ChildRow {
  readonly folder: string
  readonly name: string
  /** The title of the page that is there; null where there are only pages below. */
  readonly title: string | null
  readonly has_children: boolean
}

/** Greater than every key of a name: the last code point, which is no character. */
const LAST = sql`chr(1114111)`
const KEY = sql`(tree_key(a.path) collate "C")`

/**
 * The names directly in some folders in the order of the tree, each folder (`''` for the space) from behind a name or from the
 * beginning (`''`). A loose index scan on `page_address_tree`: one descent for a name, which skips what is below it, so that a
 * folder of any size costs as much as a page.
 */
export const listChildren = read(
  'list_children',
  (a: {
    spaceId: number
    folders: readonly string[]
    afters: readonly string[]
    limit: number
  }) => sql<ChildRow>`
    with recursive f as (
      select folder, ord, cardinality(tree_key(folder)) as depth, case folder when '' then '' else folder || '/' end as prefix,
        case after when '' then tree_key(folder) else tree_key(case folder when '' then after else folder || '/' || after end) || ${LAST} end as low
      from unnest(${a.folders}::text[], ${a.afters}::text[]) with ordinality as given (folder, after, ord)
    ), step (folder, ord, depth, prefix, path, n) as (
      select f.folder, f.ord, f.depth, f.prefix, found.path, 1 from f cross join lateral (
        select a.path from page_address a
        where a.space_id = ${a.spaceId} and a.page_id is not null and ${KEY} > f.low collate "C" order by ${KEY} limit 1) found
      where starts_with(found.path, f.prefix)
      union all
      select s.folder, s.ord, s.depth, s.prefix, found.path, s.n + 1 from step s cross join lateral (
        select a.path from page_address a
        where a.space_id = ${a.spaceId} and a.page_id is not null
          and ${KEY} > ((tree_key(s.path))[1:s.depth + 1] || ${LAST}) collate "C" order by ${KEY} limit 1) found
      where s.n < ${a.limit} and starts_with(found.path, s.prefix)
    )
    select s.folder, split_part(s.path, '/', s.depth + 1) as name, p.title, below.path is not null as has_children
    from step s
    left join page_address at on at.space_id = ${a.spaceId} and at.path = s.prefix || split_part(s.path, '/', s.depth + 1)
    left join page p on p.space_id = at.space_id and p.id = at.page_id
    left join lateral (select a.path from page_address a
      where a.space_id = ${a.spaceId} and a.page_id is not null and a.path > s.prefix || split_part(s.path, '/', s.depth + 1) || '/'
        and a.path < s.prefix || split_part(s.path, '/', s.depth + 1) || '0' order by a.path limit 1) below on true
    order by s.ord, s.n`,
)

/** The names in a folder that come before a name, the nearest first: `listChildren` backwards. */
export const listChildrenBefore = read(
  'list_children_before',
  (a: { spaceId: number; folder: string; before: string; limit: number }) => sql<{ name: string }>`
    with recursive f as (
      select cardinality(tree_key(${a.folder})) as depth, case ${a.folder}::text when '' then '' else ${a.folder} || '/' end as prefix
    ), step (path, n) as (
      select found.path, 1 from f cross join lateral (
        select a.path from page_address a
        where a.space_id = ${a.spaceId} and a.page_id is not null and ${KEY} < tree_key(f.prefix || ${a.before}) collate "C"
        order by ${KEY} desc limit 1) found
      where starts_with(found.path, f.prefix)
      union all
      select found.path, s.n + 1 from step s cross join f cross join lateral (
        select a.path from page_address a
        where a.space_id = ${a.spaceId} and a.page_id is not null
          and ${KEY} < ((tree_key(s.path))[1:f.depth + 1]) collate "C" order by ${KEY} desc limit 1) found
      where s.n < ${a.limit} and starts_with(found.path, f.prefix)
    )
    select split_part(s.path, '/', f.depth + 1) as name from step s cross join f order by s.n`,
)

/** The names that people put first in some folders, in their order; those that are gone are left out. */
export const listArranged = read(
  'list_arranged',
  (a: { spaceId: number; folders: readonly string[] }) => sql<ChildRow>`
    select o.folder, n.name, p.title, below.path is not null as has_children
    from page_order o
    cross join lateral (select name, ord, case o.folder when '' then '' else o.folder || '/' end || name as path
      from unnest(o.names) with ordinality as names (name, ord)) n
    left join page_address at on at.space_id = o.space_id and at.path = n.path
    left join page p on p.space_id = at.space_id and p.id = at.page_id
    left join lateral (select a.path from page_address a
      where a.space_id = o.space_id and a.page_id is not null and a.path > n.path || '/' and a.path < n.path || '0' order by a.path limit 1) below on true
    where o.space_id = ${a.spaceId} and o.folder = any(${a.folders}::text[]) and (p.id is not null or below.path is not null)
    order by o.folder, n.ord`,
)
