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
const KEY = sql`(tree_key(address.path) collate "C")`

/**
 * The names directly in some folders in the order of the tree, each folder (`''` for the space) after a name or from the
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
    with recursive start as (
      select folder, ord, cardinality(tree_key(folder)) as depth, case folder when '' then '' else folder || '/' end as prefix,
        case after when '' then tree_key(folder) else tree_key(case folder when '' then after else folder || '/' || after end) || ${LAST} end as low
      from unnest(${a.folders}::text[], ${a.afters}::text[]) with ordinality as given (folder, after, ord)
    ), step (folder, ord, depth, prefix, path, n) as (
      select start.folder, start.ord, start.depth, start.prefix, found.path, 1 from start cross join lateral (
        select address.path from page_address address
        where address.space_id = ${a.spaceId} and address.page_id is not null and ${KEY} > start.low collate "C" order by ${KEY} limit 1) found
      where starts_with(found.path, start.prefix)
      union all
      select step.folder, step.ord, step.depth, step.prefix, found.path, step.n + 1 from step cross join lateral (
        select address.path from page_address address
        where address.space_id = ${a.spaceId} and address.page_id is not null
          and ${KEY} > ((tree_key(step.path))[1:step.depth + 1] || ${LAST}) collate "C" order by ${KEY} limit 1) found
      where step.n < ${a.limit} and starts_with(found.path, step.prefix)
    )
    select step.folder, split_part(step.path, '/', step.depth + 1) as name, page.title, below.path is not null as has_children
    from step
    left join page_address child on child.space_id = ${a.spaceId} and child.path = step.prefix || split_part(step.path, '/', step.depth + 1)
    left join page on page.space_id = child.space_id and page.id = child.page_id
    left join lateral (select address.path from page_address address
      where address.space_id = ${a.spaceId} and address.page_id is not null and address.path > step.prefix || split_part(step.path, '/', step.depth + 1) || '/'
        and address.path < step.prefix || split_part(step.path, '/', step.depth + 1) || '0' order by address.path limit 1) below on true
    order by step.ord, step.n`,
)

/** The names in a folder that come before a name, the nearest first: `listChildren` backwards. */
export const listChildrenBefore = read(
  'list_children_before',
  (a: { spaceId: number; folder: string; before: string; limit: number }) => sql<{ name: string }>`
    with recursive start as (
      select cardinality(tree_key(${a.folder})) as depth, case ${a.folder}::text when '' then '' else ${a.folder} || '/' end as prefix
    ), step (path, n) as (
      select found.path, 1 from start cross join lateral (
        select address.path from page_address address
        where address.space_id = ${a.spaceId} and address.page_id is not null and ${KEY} < tree_key(start.prefix || ${a.before}) collate "C"
        order by ${KEY} desc limit 1) found
      where starts_with(found.path, start.prefix)
      union all
      select found.path, step.n + 1 from step cross join start cross join lateral (
        select address.path from page_address address
        where address.space_id = ${a.spaceId} and address.page_id is not null
          and ${KEY} < ((tree_key(step.path))[1:start.depth + 1]) collate "C" order by ${KEY} desc limit 1) found
      where step.n < ${a.limit} and starts_with(found.path, start.prefix)
    )
    select split_part(step.path, '/', start.depth + 1) as name from step cross join start order by step.n`,
)

/** The names that people put first in some folders, in their order; those that are gone are left out. */
export const listArranged = read(
  'list_arranged',
  (a: { spaceId: number; folders: readonly string[] }) => sql<ChildRow>`
    select page_order.folder, arranged.name, page.title, below.path is not null as has_children
    from page_order
    cross join lateral (select name, ord, case page_order.folder when '' then '' else page_order.folder || '/' end || name as path
      from unnest(page_order.names) with ordinality as names (name, ord)) arranged
    left join page_address child on child.space_id = page_order.space_id and child.path = arranged.path
    left join page on page.space_id = child.space_id and page.id = child.page_id
    left join lateral (select address.path from page_address address
      where address.space_id = page_order.space_id and address.page_id is not null and address.path > arranged.path || '/' and address.path < arranged.path || '0' order by address.path limit 1) below on true
    where page_order.space_id = ${a.spaceId} and page_order.folder = any(${a.folders}::text[]) and (page.id is not null or below.path is not null)
    order by page_order.folder, arranged.ord`,
)
