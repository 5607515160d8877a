import { type RawBuilder, sql } from 'kysely'
import { isNoTemplate } from '../../access/template-folder.ts'
import {
  type AccessSubject,
  isPageVisible,
  isReadable,
  isVisible,
  type ListSubject,
  READABLE_TABLES,
  type ReadableParts,
  readableTables,
  visibleSpaces,
} from '../../access/visibility.ts'
import { type Db, queryRow, queryRows, read } from '../../platform/database/database.ts'
import { MAX_ITEMS } from '../../platform/http/schemas.ts'
import { FILE_SUFFIXES } from './resolve.ts'
import { addressId } from './store-read.ts'

/** The pages that a report scans for a request: a page of results may be short, its cursor continues after them. */
const PAGES_AT_ONCE = 5_000
/**
 * One more than the items of a page of the report. PostgreSQL reuses a plan only if it seems cheap for any parameters:
 * of rows that only a parameter limits it expects a tenth of all.
 */
const MAX_ROWS = MAX_ITEMS + 1

/** Whether there is no page at the row `address`, and no readable page has moved away from there. */
const isMissing = sql`(address.page_id is null and (address.moved_page_id is null or (
    -- Address by address: a hashed subplan would read all pages.
    select moved.id from page moved where moved.space_id = address.moved_space_id and moved.id = address.moved_page_id
      and moved.deleted_at is null
      and ${isReadable(READABLE_TABLES, 'moved.space_id', 'moved.path')} limit 1) is null))`

/** After all links of a page. */
export const END_OF_PAGE = 2 ** 31 - 1

export interface BrokenRow {
  readonly kind: 'page' | 'file'
  /** Whether the caller can see the space of the target. */
  readonly in_space: boolean
  readonly source_path: string
  readonly source_title: string
  readonly ord: number
  readonly space: string
  readonly path: string
  readonly text: string
  readonly line: number
}

/** A scan of broken links: after a position, a link of a page. */
export interface BrokenArgs extends ReadableParts {
  readonly spaceId: number
  /** Empty at the beginning. */
  readonly afterPath: string
  readonly afterOrd: number
  readonly limit: number
}

/**
 * Links of a space's pages whose target is missing, images included, in the order of the pages' paths and of their
 * bodies; a link to a space that the caller cannot see is one of them, and the same whether or not there is such a
 * space. Page by page: each is looked up by itself, so that the scan ends when there are enough. Prepared, because to
 * plan it took as long as to run it; the outer limit ends the inner one.
 */
export const listBroken = read(
  'list_broken_links',
  (a: BrokenArgs) => {
    const isAfter = sql`(source.path > ${a.afterPath} or link.ord > ${a.afterOrd}::int)`
    const limit = sql`${a.limit}::bigint`
    return sql<BrokenRow>`with ${readableTables(a)} select * from (
      select source.path as source_path, page.title as source_title, broken.kind, broken.in_space, broken.ord,
        broken.space, broken.path, broken.text, broken.line
      from (${livePages(READABLE_TABLES, { spaceId: a.spaceId, after: a.afterPath, inclusive: true })}) source
      cross join lateral (
        (${brokenLinks()} and ${isAfter} order by link.ord limit ${limit})
        union all
        (${brokenFiles()} and ${isAfter} order by link.ord limit ${limit})
      ) broken
      cross join lateral (
        select title from page where page.space_id = source.space_id and page.id = source.page_id offset 0
      ) page
      order by source.path, broken.ord limit ${sql.lit(MAX_ROWS)}
    ) broken order by source_path, ord limit ${limit}`
  },
  { isLong: true },
)

/**
 * Whether the caller can see the space with the id `column`; false if it is null. A look-up in a hash: as the condition
 * of an index, all visible spaces would be sorted again for each address.
 */
function seesSpace(column: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`coalesce(${column} in ${visibleSpaces(READABLE_TABLES)}, false)`
}

/** Whether the caller can read the page of the row `link`. */
const isFromVisible = sql`${seesSpace(sql`link.space_id`)}
  and ${isPageVisible(READABLE_TABLES, 'link.space_id', 'link.page_id')}`

/** Links of the page of the row `source` whose target is missing, or in a space that the caller cannot see. */
function brokenLinks(): RawBuilder<unknown> {
  return sql`
    select 'page' as kind, target.in_space, link.ord, coalesce(address.path, unknown.path) as path, link.text,
      link.line,
      -- Only of missing targets: a join would look up the space of each link.
      coalesce(nullif(link.slug, ''), (select slug from space where id = link.target_space_id), unknown.slug,
        'personal') as space
    from link
    cross join lateral (select ${seesSpace(sql`link.target_space_id`)} as in_space) target
    -- By its key, whatever the statistics say: a hash join would read all addresses. Most have a page: those without
    -- have a small index.
    left join lateral (
      select * from page_address where space_id = link.target_space_id and id = ${addressId} and page_id is null
      union all
      select * from page_address where space_id = link.target_space_id and id = ${addressId} and page_id is not null
        and not target.in_space
      offset 0
    ) address on true
    left join lateral (
      select * from unknown_address where link.target_space_id is null and id = ${addressId} offset 0
    ) unknown on true
    where link.space_id = source.space_id and link.page_id = source.page_id
      and case when target.in_space then address.id is not null and ${isMissing}
      and ${isVisible(READABLE_TABLES, 'address.space_id', 'address.path')}
        -- Rows without a slug, written by an old release, would tell the present one.
        else unknown.id is not null or address.id is not null and link.slug <> '' end
      -- A page may name one address by several slugs: that is one edge, except where it would tell that they are of
      -- one space. Missing link by missing link: an anti-join may compare all links of the page with all, and
      -- without \`case\` this condition comes first.
      and case when target.in_space and address.id is not null then (
        select earlier.ord from link earlier where earlier.space_id = link.space_id and earlier.page_id = link.page_id
          and earlier.target_id = ${addressId}
          and earlier.ord < link.ord limit 1) is null
      and (
        select earlier.ord from link earlier where earlier.space_id = link.space_id and earlier.page_id = link.page_id
          and earlier.target_id < 0
          and earlier.address_id = ${addressId} and earlier.ord < link.ord limit 1) is null else true end
      and (address.id is null or not ${mayBeFile(sql`address.path`)})`
}

/** Whether the row `link`, relative and without a page at `path`, refers to a file: by its suffix, or there is one. */
function mayBeFile(
  path: RawBuilder<unknown>,
  facts = { hasSuffix: hasFileSuffix(path), isFile: isFileAt(sql`link.target_space_id`, path) },
): RawBuilder<boolean> {
  return sql<boolean>`(link.slug = '' and (${facts.hasSuffix} and exists (
    select 1 from file_link file where file.space_id = link.space_id and file.page_id = link.page_id and file.slug = ''
      and file.path = ${path}
      and file.maybe_page) or ${facts.isFile}))`
}

/** As the function of this name in `resolve.ts`; an expression with all suffixes takes 18 to 30 µs for a path. */
function hasFileSuffix(path: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(lower(split_part(${path}, '.', -1)) = any(${sql.lit(`{${FILE_SUFFIXES}}`)})
    and ${path} ~ '[^/][.][^.]*$')`
}

/** Whether there is a file at an address, or one that has moved away from there and that the caller can read. */
function isFileAt(spaceId: RawBuilder<unknown>, path: RawBuilder<unknown>) {
  return sql<boolean>`exists (
    select 1 from file_address written
    join file on file.space_id = case when written.file_id is null then written.moved_space_id else written.space_id end
      and file.id = coalesce(written.file_id, written.moved_file_id)
    where written.space_id = ${spaceId} and written.path = ${path} and file.deleted_at is null
      and (file.space_id = written.space_id or file.space_id = any(array${visibleSpaces(READABLE_TABLES)}))
      and ${isVisible(READABLE_TABLES, 'file.space_id', 'file.path')})`
}

/** References of the page of the row `source` to files that are missing, or in a space that the caller cannot see. */
function brokenFiles(): RawBuilder<unknown> {
  return sql`
    select 'file' as kind, ${seesSpace(sql`target.id`)} as in_space, link.ord, link.path, link.text, link.line,
      coalesce(nullif(link.slug, ''), target_space.slug, 'personal') as space
    from file_link link
    cross join lateral (select case when link.slug = '' then link.space_id else coalesce(
      (select id from space where slug = link.slug), (select space_id from former_slug where slug = link.slug))
        end as id) target
    left join space target_space on target_space.id = target.id
    where link.space_id = source.space_id and link.page_id = source.page_id
      and (link.surely_file or ${hasFileSuffix(sql`link.path`)})
      and case when not ${seesSpace(sql`target.id`)} then true
        else ${isVisible(READABLE_TABLES, 'target.id', 'link.path')} and not ${isFileAt(sql`target.id`, sql`link.path`)}
        and (link.surely_file or not exists (
          select 1 from page_address address where address.space_id = target.id and address.path = link.path
            and not ${isMissing})) end`
}

/** Links of a space's pages to some of its pages, but for some addresses, in the order of `listBroken`. */
export async function listLinksTo(
  db: Db,
  subject: AccessSubject,
  a: Omit<BrokenArgs, keyof ReadableParts> & { readonly pageIds: readonly number[]; readonly taken: readonly string[] },
): Promise<BrokenRow[]> {
  if (a.pageIds.length === 0) return []
  return queryRows<BrokenRow>(db)`
    select 'page' as kind, true as in_space, source.path as source_path, source.title as source_title, link.ord,
      coalesce(nullif(link.slug, ''), space.slug, 'personal') as space, target.path, link.text, link.line
    from page_address target join space on space.id = target.space_id
    join link on link.target_space_id = target.space_id and ${addressId} = target.id and link.space_id = target.space_id
    join page source on source.space_id = link.space_id and source.id = link.page_id and source.deleted_at is null
    where target.space_id = ${a.spaceId} and (target.page_id = any(${a.pageIds}::bigint[])
        or target.page_id is null and target.moved_space_id = ${a.spaceId}
        and target.moved_page_id = any(${a.pageIds}::bigint[]))
      and target.path <> all(${a.taken}::text[]) and ${isVisible(subject, 'target.space_id', 'target.path')}
      and ${isVisible(subject, 'source.space_id', 'source.path')}
      and (source.path, link.ord) > (${a.afterPath}, ${a.afterOrd}::int)
    order by source.path, link.ord limit ${a.limit}`
}

export interface OrphanRow {
  readonly path: string
  readonly title: string
  readonly updated_at: Date
}

interface InSpace {
  readonly spaceId: number
  /** The path to begin after, or at if `inclusive`. */
  readonly after: string | undefined
  readonly inclusive?: boolean
}

/** Pages of a space to which no other readable page links, in the order of their paths. */
export async function listOrphans(
  db: Db,
  input: InSpace & ReadableParts & { readonly limit: number; readonly templates: 'out' | undefined },
): Promise<OrphanRow[]> {
  return queryRows<OrphanRow>(db)`
    with ${readableTables(input)}, orphan as materialized (
      select address.space_id, address.page_id, address.path from (${livePages(READABLE_TABLES, input)}) address
      -- Address by address: an anti-join may read all links of all spaces.
      where ${input.templates === 'out' ? isNoTemplate('address.path') : sql`true`} and (
        select link.page_id from link
        where link.target_space_id = address.space_id and ${addressId} = address.id
          and (link.space_id, link.page_id) <> (address.space_id, address.page_id)
          and ${isFromVisible} limit 1) is null
        -- Nor by an address that redirects to it.
        and (
        select link.page_id from page_address former join link on link.target_space_id = former.space_id
          and ${addressId} = former.id
        where former.moved_space_id = address.space_id and former.moved_page_id = address.page_id
          and former.page_id is null
          and former.space_id = any(array${visibleSpaces(READABLE_TABLES)})
          and ${isVisible(READABLE_TABLES, 'former.space_id', 'former.path')}
          and (link.space_id, link.page_id) <> (address.space_id, address.page_id)
          and ${isFromVisible} limit 1) is null
      order by address.path limit ${input.limit}
    )
    select page.path, page.title, page.updated_at from orphan join page on page.space_id = orphan.space_id
      and page.id = orphan.page_id
    order by orphan.path`
}

/** The last path of such a scan, if there are that many. */
export async function lastScannedPath(db: Db, subject: AccessSubject, input: InSpace): Promise<string | undefined> {
  const row = await queryRow<{ path: string }>(db)`
    select path from (${livePages(subject, input)}) scanned order by path offset ${PAGES_AT_ONCE - 1}`
  return row?.path
}

/** Some thousand pages of a space that the caller can read, as the rows `address`, in the order of their paths. */
export function livePages(subject: ListSubject, { spaceId, after, inclusive }: InSpace): RawBuilder<unknown> {
  const begins = inclusive ? sql`>=` : sql`>`
  return sql`select address.space_id, address.id, address.page_id, address.path from page_address address
    where address.space_id = ${spaceId} and address.page_id is not null
      and ${isVisible(subject, 'address.space_id', 'address.path')}
      ${after === undefined ? sql`` : sql`and address.path ${begins} ${after}`}
    order by address.path limit ${sql.lit(PAGES_AT_ONCE)}`
}

export interface WantedRow {
  readonly path: string
  readonly pages: number
}

/** Missing addresses of a space by the number of readable pages that link to them. */
export async function listWanted(
  db: Db,
  input: ReadableParts & {
    readonly spaceId: number
    readonly after: readonly [number, string] | undefined
    readonly limit: number
  },
): Promise<WantedRow[]> {
  const { after } = input
  const path = sql`address.path`
  const facts = { hasSuffix: sql<boolean>`facts.has_suffix`, isFile: sql<boolean>`facts.is_file` }
  return queryRows<WantedRow>(db)`
    with ${readableTables(input)}
    select path, pages from (
      select address.path, link.pages from page_address address
      -- Once for an address: many pages may link to it.
      cross join lateral (
        select ${hasFileSuffix(path)} as has_suffix, ${isFileAt(sql`address.space_id`, path)} as is_file offset 0
      ) facts
      -- Address by address: joining all links of the space would read them all. The index has the links of each in
      -- the order of their pages.
      cross join lateral (
        select count(*) as pages from (
          select distinct link.space_id, link.page_id from link
          where link.target_space_id = address.space_id and ${addressId} = address.id and ${isFromVisible}
            and not ${mayBeFile(path, facts)}
        ) page
      ) link
      where address.space_id = ${input.spaceId}
        and ${isVisible(READABLE_TABLES, 'address.space_id', 'address.path')} and ${isMissing} and link.pages > 0
    ) wanted
    where true ${
      after === undefined
        ? sql``
        : sql`and (pages < ${after[0]}::bigint or (pages = ${after[0]}::bigint and path > ${after[1]} collate "C"))`
    }
    order by pages desc, path limit ${input.limit}`
}
