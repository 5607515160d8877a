import { type RawBuilder, sql } from 'kysely'
import { type AccessSubject, visibleSpaces } from '../access/visibility.ts'
import type { Db } from '../database/database.ts'
import { addressId, isMissing, seesAllSpaces } from './store-read.ts'

/**
 * The number of pages that a report scans per request: a page of results may be short, and its cursor continues after
 * them.
 */
const PAGES_AT_ONCE = 5_000

export interface BrokenRow {
  readonly kind: 'page' | 'file'
  readonly source_path: string
  readonly source_title: string
  readonly ord: number
  readonly space: string
  readonly path: string
  readonly text: string
  readonly line: number
}

/** A broken link in the report: the path of its page, and its position in the page. */
export type BrokenPosition = readonly [string, number]

/**
 * Links of a space's pages whose target is missing, images included, as far as the caller may know that, in the order of the
 * pages' paths and of their bodies. Page by page: each is looked up by itself, so that the scan ends when there are enough.
 */
export async function listBroken(
  db: Db,
  subject: AccessSubject,
  input: {
    readonly spaceId: number
    readonly after: BrokenPosition | undefined
    readonly limit: number
  },
): Promise<BrokenRow[]> {
  const { spaceId, after, limit } = input
  const scan = { spaceId, after: after?.[0], inclusive: true }
  const isAfter =
    after === undefined ? sql`` : sql`and (source.path > ${after[0]} or link.ord > ${after[1]}::int)`
  const { rows } = await sql<BrokenRow>`
    select page.path as source_path, page.title as source_title, broken.kind, broken.ord, broken.space, broken.path, broken.text, broken.line
    from (${livePages(scan)}) source
    cross join lateral (
      (${brokenLinks(subject)} ${isAfter} order by link.ord limit ${limit})
      union all
      (${brokenFiles(subject)} ${isAfter} order by link.ord limit ${limit})
    ) broken
    join page on page.space_id = source.space_id and page.id = source.page_id
    order by source.path, broken.ord limit ${limit}`.execute(db)
  return rows
}

/** Links of the page of the row `source` whose target is missing, as far as the caller may know that. */
function brokenLinks(subject: AccessSubject): RawBuilder<unknown> {
  return sql`
    select 'page' as kind, link.ord, coalesce(nullif(link.slug, ''), target_space.slug, unknown.slug, 'personal') as space, coalesce(address.path, unknown.path) as path,
      link.text, link.line
    from link
    left join space target_space on target_space.id = link.target_space_id
    left join page_address address on address.space_id = link.target_space_id and address.id = ${addressId} and address.page_id is null
    left join unknown_address unknown on link.target_space_id is null and unknown.id = ${addressId}
    where link.space_id = source.space_id and link.page_id = source.page_id
      and case when link.target_space_id is null then unknown.id is not null and ${seesAllSpaces(subject)}
        else address.id is not null and link.target_space_id = any(array${visibleSpaces(subject)}) and ${isMissing(subject)} end
      -- A page may name one address by several slugs: that is one edge. Link by link: an anti-join may compare all
      -- links of the page with all.
      and (
        select earlier.ord from link earlier where earlier.space_id = link.space_id and earlier.page_id = link.page_id and earlier.target_id = ${addressId}
          and earlier.ord < link.ord limit 1) is null
      and (
        select earlier.ord from link earlier where earlier.space_id = link.space_id and earlier.page_id = link.page_id and earlier.target_id < 0
          and earlier.address_id = ${addressId} and earlier.ord < link.ord limit 1) is null
      and not ${mayBeFile(sql`coalesce(address.path, unknown.path)`)}`
}

/**
 * Whether the row `link` is a relative one to `path` that refers to a file if there is no page: then it counts as a
 * reference to a file.
 */
function mayBeFile(path: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`exists (select 1 from file_link file where file.space_id = link.space_id and file.page_id = link.page_id
    and file.slug = link.slug and file.path = ${path} and file.maybe_page)`
}

/** References of the page of the row `source` to files that are missing, as far as the caller may know that. */
function brokenFiles(subject: AccessSubject): RawBuilder<unknown> {
  return sql`
    select 'file' as kind, link.ord, coalesce(nullif(link.slug, ''), target_space.slug, 'personal') as space, link.path, link.text, link.line
    from file_link link
    cross join lateral (select case when link.slug = '' then link.space_id else coalesce(
      (select id from space where slug = link.slug), (select space_id from former_slug where slug = link.slug)) end as id) target
    left join space target_space on target_space.id = target.id
    where link.space_id = source.space_id and link.page_id = source.page_id
      and case when target.id is null then ${seesAllSpaces(subject)}
        else target.id = any(array${visibleSpaces(subject)}) and not exists (
          select 1 from file_address address
          join file on file.space_id = case when address.file_id is null then address.moved_space_id else address.space_id end
            and file.id = coalesce(address.file_id, address.moved_file_id)
          where address.space_id = target.id and address.path = link.path and file.deleted_at is null
            and (file.space_id = target.id or file.space_id = any(array${visibleSpaces(subject)}))
        ) and (link.surely_file or not exists (
          select 1 from page_address address where address.space_id = target.id and address.path = link.path
            and not ${isMissing(subject)})) end`
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
  subject: AccessSubject,
  input: InSpace & { readonly limit: number },
): Promise<OrphanRow[]> {
  const { rows } = await sql<OrphanRow>`
    with orphan as materialized (
      select address.space_id, address.page_id, address.path from (${livePages(input)}) address
      -- Address by address: an anti-join may read all links of all spaces.
      where (
        select link.page_id from link
        where link.target_space_id = address.space_id and ${addressId} = address.id
          and (link.space_id, link.page_id) <> (address.space_id, address.page_id)
          and link.space_id = any(array${visibleSpaces(subject)}) limit 1) is null
        -- Nor by an address that redirects to it.
        and (
        select link.page_id from page_address former join link on link.target_space_id = former.space_id and ${addressId} = former.id
        where former.moved_space_id = address.space_id and former.moved_page_id = address.page_id and former.page_id is null
          and former.space_id = any(array${visibleSpaces(subject)})
          and (link.space_id, link.page_id) <> (address.space_id, address.page_id)
          and link.space_id = any(array${visibleSpaces(subject)}) limit 1) is null
      order by address.path limit ${input.limit}
    )
    select page.path, page.title, page.updated_at from orphan join page on page.space_id = orphan.space_id and page.id = orphan.page_id
    order by orphan.path`.execute(db)
  return rows
}

/** The last path of such a scan, if there are that many. */
export async function lastScannedPath(db: Db, input: InSpace): Promise<string | undefined> {
  const { rows } = await sql<{ path: string }>`
    select path from (${livePages(input)}) scanned order by path offset ${PAGES_AT_ONCE - 1}`.execute(db)
  return rows[0]?.path
}

function livePages({ spaceId, after, inclusive }: InSpace): RawBuilder<unknown> {
  const begins = inclusive ? sql`>=` : sql`>`
  return sql`select address.space_id, address.id, address.page_id, address.path from page_address address
    where address.space_id = ${spaceId} and address.page_id is not null ${after === undefined ? sql`` : sql`and address.path ${begins} ${after}`}
    order by address.path limit ${PAGES_AT_ONCE}`
}

export interface WantedRow {
  readonly path: string
  readonly pages: number
}

/** Missing addresses of a space by the number of readable pages that link to them. */
export async function listWanted(
  db: Db,
  subject: AccessSubject,
  input: {
    readonly spaceId: number
    readonly after: readonly [number, string] | undefined
    readonly limit: number
  },
): Promise<WantedRow[]> {
  const { after } = input
  const { rows } = await sql<WantedRow>`
    select path, pages from (
      select address.path, link.pages from page_address address
      -- Address by address: joining all links of the space would read them all.
      cross join lateral (
        select count(distinct (link.space_id, link.page_id)) as pages from link
        where link.target_space_id = address.space_id and ${addressId} = address.id and link.space_id = any(array${visibleSpaces(subject)})
          and not ${mayBeFile(sql`address.path`)}
      ) link
      where address.space_id = ${input.spaceId} and ${isMissing(subject)} and link.pages > 0
    ) wanted
    where true ${
      after === undefined
        ? sql``
        : sql`and (pages < ${after[0]}::bigint or (pages = ${after[0]}::bigint and path > ${after[1]} collate "C"))`
    }
    order by pages desc, path limit ${input.limit}`.execute(db)
  return rows
}
