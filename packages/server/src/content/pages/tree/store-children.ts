import { type RawBuilder, sql } from 'kysely'
import { pageIcon } from '../../../access/page.ts'
import { type AccessSubject, hiddenPlaces, isNotIn } from '../../../access/visibility.ts'
import { read, write } from '../../../platform/database/database.ts'

export interface ChildRow {
  readonly folder: string
  readonly name: string
  /** The title of the page; null if there are only pages below. */
  readonly title: string | null
  readonly icon: string | null
  readonly has_children: boolean
  /** Whether a folder rule of its own narrows who reads it. */
  readonly is_restricted: boolean
}

/** Greater than every key of a name: the last code point, which is no character. */
const LAST = sql`chr(1114111)`
const KEY = sql`(tree_key(address.path) collate "C")`

interface TreeArgs extends AccessSubject {
  readonly spaceId: number
}

/** The row `hidden`, which conditions of `isShown` need. */
const hiddenRow = (a: TreeArgs) => sql`hidden as materialized (select ${hiddenPlaces(a)} as places)`

/** Whether the row `address` has a page that the caller can read. */
function isShown(a: TreeArgs): RawBuilder<boolean> {
  return sql<boolean>`address.space_id = ${a.spaceId} and address.page_id is not null and ${isNotHidden('address')}`
}

function isNotHidden(row: string): RawBuilder<boolean> {
  return isNotIn(sql`(select places from hidden)`, `${row}.space_id`, `${row}.path`)
}

/**
 * The page at the path of the row `named`, and whether there are pages below it, as far as the caller can read them.
 * Each is the first entry of `page_address_taken` from a path on: a join, or an equality alone, may read the complete
 * space while the statistics do not include its pages yet.
 */
const childLookup = (a: TreeArgs) => sql`
    left join lateral (
      select address.space_id, address.path, address.page_id from page_address address
      where address.space_id = ${a.spaceId} and address.page_id is not null and address.path >= named.path
      order by address.path limit 1) child on child.path = named.path and ${isNotHidden('child')}
    left join lateral (
      select address.path from page_address address
      where ${isShown(a)}
        and address.path > named.path || '/' and address.path < named.path || '0' order by address.path limit 1) below
        on true`
const SHOWN = sql`left join lateral (
      select page.title, ${pageIcon} as icon from page where page.space_id = child.space_id
        and page.id = child.page_id offset 0) shown on true`

/** Whether the path of the row `named` has a rule of its own that narrows reading, and lets the caller read. */
const isRestricted = (a: TreeArgs) => sql`exists (select from folder_rule rule
      where rule.space_id = ${a.spaceId} and rule.prefix = named.path and not rule.opens_read
        and ${isNotIn(sql`(select places from hidden)`, 'rule.space_id', 'rule.prefix')})`

const isAtOrBelow = sql`(address.path = entry.path or address.path > entry.path || '/'
  and address.path < entry.path || '0')`

/**
 * The names directly in some folders in the order of the tree, each folder (`''` for the space) after a name or from
 * the start (`''`). A loose index scan on `page_address_tree`: one descent for a name, which skips what is below it, so
 * that a folder of any size costs as much as a page. `tree_key` is most of the cost: the order computes it for each row
 * found, and the next step takes it from there.
 */
export const listChildren = read(
  'list_children',
  (
    a: TreeArgs & {
      folders: readonly string[]
      afters: readonly string[]
      /** The maximum of names of each folder. */
      limits: readonly number[]
    },
  ) => sql<ChildRow>`
    with recursive ${hiddenRow(a)}, start as (
      select folder, ord, size, cardinality(tree_key(folder)) as depth,
      case folder when '' then '' else folder || '/' end as prefix,
        case after when '' then tree_key(folder)
          else tree_key(case folder when '' then after else folder || '/' || after end) || ${LAST} end as low
      from unnest(${a.folders}::text[], ${a.afters}::text[], ${a.limits}::int[])
      with ordinality as given (folder, after, size, ord)
    ), step (folder, ord, size, depth, prefix, path, key, n) as (
      select start.folder, start.ord, start.size, start.depth, start.prefix, found.path, found.key, 1 from start cross
      join lateral (
        select address.path, ${KEY} as key from page_address address
        where ${isShown(a)} and ${KEY} > start.low collate "C" order by ${KEY} limit 1) found
      where starts_with(found.path, start.prefix)
      union all
      select step.folder, step.ord, step.size, step.depth, step.prefix, found.path, found.key, step.n + 1 from step
      cross join lateral (
        select address.path, ${KEY} as key from page_address address
        where ${isShown(a)}
          and ${KEY} > (step.key[1:step.depth + 1] || ${LAST}) collate "C" order by ${KEY} limit 1) found
      where step.n < step.size and starts_with(found.path, step.prefix)
    )
    select named.folder, named.name, shown.title, shown.icon, below.path is not null as has_children,
      ${isRestricted(a)} as is_restricted
    from (select folder, ord, n, split_part(path, '/', depth + 1) as name,
      prefix || split_part(path, '/', depth + 1) as path from step) named
    ${childLookup(a)} ${SHOWN}
    order by named.ord, named.n`,
)

/** The names in a folder before a name, the nearest first: `listChildren` in reverse. */
export const listChildrenBefore = read(
  'list_children_before',
  (a: TreeArgs & { folder: string; before: string; limit: number }) => sql<{ name: string }>`
    with recursive ${hiddenRow(a)}, start as (
      select cardinality(tree_key(${a.folder})) as depth,
      case ${a.folder}::text when '' then '' else ${a.folder} || '/' end as prefix
    ), step (path, n) as (
      select found.path, 1 from start cross join lateral (
        select address.path from page_address address
        where ${isShown(a)} and ${KEY} < tree_key(start.prefix || ${a.before}) collate "C"
        order by ${KEY} desc limit 1) found
      where starts_with(found.path, start.prefix)
      union all
      select found.path, step.n + 1 from step cross join start cross join lateral (
        select address.path from page_address address
        where ${isShown(a)}
          and ${KEY} < ((tree_key(step.path))[1:start.depth + 1]) collate "C" order by ${KEY} desc limit 1) found
      where step.n < ${a.limit} and starts_with(found.path, start.prefix)
    )
    select split_part(step.path, '/', start.depth + 1) as name from step cross join start order by step.n`,
)

interface NeighboursRow {
  readonly previous: { readonly path: string; readonly title: string } | null
  readonly next: { readonly path: string; readonly title: string } | null
  /** Whether a folder of the space is ordered by hand. */
  readonly has_order: boolean
}

const PAGE = sql`(select json_build_object('path', page.path, 'title', page.title) from page
  where page.space_id = address.space_id and page.id = address.page_id) as page`

/** The pages before and after a path in natural order: one entry of `page_address_tree` each. */
export const readNeighbours = read(
  'read_neighbours',
  (a: TreeArgs & { path: string }) => sql<NeighboursRow>`
    with ${hiddenRow(a)}
    select
      (select page from (
        select ${PAGE} from page_address address
        where ${isShown(a)} and ${KEY} < (tree_key(${a.path}) collate "C")
        order by ${KEY} desc limit 1) address) as previous,
      (select page from (
        select ${PAGE} from page_address address
        where ${isShown(a)} and ${KEY} > (tree_key(${a.path}) collate "C")
        order by ${KEY} limit 1) address) as next,
      exists (select from page_order where page_order.space_id = ${a.spaceId}
        and page_order.names <> '{}') as has_order`,
)

/** The manually ordered names of some folders, in their order; names without a page that is shown are omitted. */
export const listArranged = read(
  'list_arranged',
  (a: TreeArgs & { folders: readonly string[] }) => sql<ChildRow>`
    with ${hiddenRow(a)}
    select named.folder, named.name, shown.title, shown.icon, below.path is not null as has_children,
      ${isRestricted(a)} as is_restricted
    from (
      select page_order.folder, entry.name, entry.ord,
      case page_order.folder when '' then '' else page_order.folder || '/' end || entry.name as path
      from page_order cross join lateral unnest(page_order.names) with ordinality as entry (name, ord)
      where page_order.space_id = ${a.spaceId} and page_order.folder = any(${a.folders}::text[])
    ) named
    ${childLookup(a)} ${SHOWN}
    where child.page_id is not null or below.path is not null
    order by named.folder, named.ord`,
)

interface OrderRow {
  readonly names: string[]
}

/** Locks the order of a folder until the transaction ends, and reads it. */
export const lockOrder = write(
  'lock_order',
  (a: { spaceId: number; folder: string }) => sql<OrderRow>`
    insert into page_order (space_id, folder, names) values (${a.spaceId}, ${a.folder}, '{}')
    on conflict (space_id, folder) do update set names = page_order.names returning names`,
)

/** Which of some names of a folder have pages, of which the caller can read none. */
export const listHiddenNames = read(
  'list_hidden_names',
  (a: TreeArgs & { folder: string; names: readonly string[] }) => sql<{ name: string }>`
    with ${hiddenRow(a)}
    select entry.name from (
      select name, case ${a.folder}::text when '' then '' else ${a.folder} || '/' end || name as path
      from unnest(${a.names}::text[]) as given (name)
    ) entry
    where exists (select from page_address address where address.space_id = ${a.spaceId} and address.page_id is not null
        and ${isAtOrBelow})
      and not exists (select from page_address address where ${isShown(a)} and ${isAtOrBelow})`,
)

/** Replaces the names that come first in a folder. */
export const putOrder = write(
  'put_order',
  (a: { spaceId: number; folder: string; names: readonly string[] }) => sql<OrderRow>`
    insert into page_order (space_id, folder, names) values (${a.spaceId}, ${a.folder}, ${a.names}::text[])
    on conflict (space_id, folder) do update set names = excluded.names returning names`,
)

/** The row `ordered` for each order of a folder and of those in it: names that have pages there, and the others. */
const orderedRows = (a: { spaceId: number; from: string }) => sql`ordered as (
      select folder, array_agg(name order by ord) filter (where stays) as staying,
        array_agg(name order by ord) filter (where not stays) as moving
      from (
        select page_order.folder, given.name, given.ord, exists (select from page_address address
          where address.space_id = ${a.spaceId} and address.page_id is not null and ${isAtOrBelow}) as stays
        from page_order cross join lateral unnest(page_order.names) with ordinality as given (name, ord)
        cross join lateral (select page_order.folder || '/' || given.name as path) entry
        where page_order.space_id = ${a.spaceId}
          and (page_order.folder = ${a.from} or starts_with(page_order.folder, ${a.from} || '/'))
      ) named group by folder
    )`

/**
 * Gives the orders of a folder whose pages have moved, and of those in it, to its new path, before what is ordered
 * there already. Names stay where pages have stayed, because somebody moved what they see.
 */
export const copyOrders = write(
  'copy_orders',
  (a: { spaceId: number; from: string; toSpaceId: number; to: string }) => sql`
    with ${orderedRows(a)}
    insert into page_order (space_id, folder, names)
    select ${a.toSpaceId}::bigint, ${a.to} || substr(folder, length(${a.from}) + 1), moving from ordered
    where moving is not null
    on conflict (space_id, folder) do update set names = excluded.names || array(
      select name from unnest(page_order.names) with ordinality as given (name, ord)
      where name <> all(excluded.names) order by ord)`,
)

/** Removes the names from these orders that have no pages any more. */
export const clearOrders = write(
  'clear_orders',
  (a: { spaceId: number; from: string }) => sql`
    with ${orderedRows(a)}, removed as (
      delete from page_order using ordered
      where page_order.space_id = ${a.spaceId} and page_order.folder = ordered.folder and ordered.staying is null
    )
    update page_order set names = ordered.staying from ordered
    where page_order.space_id = ${a.spaceId} and page_order.folder = ordered.folder
      and ordered.staying <> page_order.names`,
)

/** Gives a name its new one in the order of its folder; it stays next to that where pages have stayed. */
export const renameInOrder = write(
  'rename_in_order',
  (a: { spaceId: number; folder: string; path: string; from: string; to: string }) => sql`
    update page_order set names = (
      select array_agg(renamed.name order by given.ord, renamed.ord)
      from unnest(array_remove(names, ${a.to})) with ordinality as given (name, ord)
      cross join lateral unnest(case when given.name <> ${a.from} then array[given.name]
        when exists (select from page_address address cross join (select ${a.path}::text as path) entry
          where address.space_id = ${a.spaceId} and address.page_id is not null and ${isAtOrBelow})
        then array[${a.from}, ${a.to}] else array[${a.to}] end) with ordinality as renamed (name, ord))
    where space_id = ${a.spaceId} and folder = ${a.folder} and ${a.from} = any(names)`,
)
