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
 * Links of a space's pages whose target is missing, as far as the caller may know that, in the order of the pages'
 * paths and of their bodies. Page by page: each is looked up by itself, so that the scan ends when there are enough.
 */
export async function listBroken(
  db: Db,
  sight: AccessSubject,
  asked: {
    readonly spaceId: number
    readonly after: BrokenPosition | undefined
    readonly limit: number
  },
): Promise<BrokenRow[]> {
  const { spaceId, after, limit } = asked
  const scan = { spaceId, after: after?.[0], inclusive: true }
  const { rows } = await sql<BrokenRow>`
    select p.path as source_path, p.title as source_title, b.ord, b.space, b.path, b.text, b.line
    from (${standing(scan)}) source
    cross join lateral (
      select l.ord, coalesce(nullif(l.slug, ''), t.slug, u.slug, 'personal') as space, coalesce(a.path, u.path) as path,
        l.text, l.line
      from link l
      left join space t on t.id = l.target_space_id
      left join page_address a on a.space_id = l.target_space_id and a.id = ${addressId} and a.page_id is null
      left join unknown_address u on l.target_space_id is null and u.id = ${addressId}
      where l.space_id = source.space_id and l.page_id = source.page_id
        and case when l.target_space_id is null then u.id is not null and ${seesAllSpaces(sight)}
          else a.id is not null and l.target_space_id = any(array${visibleSpaces(sight)}) and ${isMissing(sight)} end
        -- A page may name one address by several slugs: that is one edge. Link by link: an anti-join may compare all
        -- links of the page with all.
        and (
          select d.ord from link d where d.space_id = l.space_id and d.page_id = l.page_id and d.target_id = ${addressId}
            and d.ord < l.ord limit 1) is null
        and (
          select d.ord from link d where d.space_id = l.space_id and d.page_id = l.page_id and d.target_id < 0
            and d.address_id = ${addressId} and d.ord < l.ord limit 1) is null
        ${after === undefined ? sql`` : sql`and (source.path > ${after[0]} or l.ord > ${after[1]}::int)`}
      order by l.ord limit ${limit}
    ) b
    join page p on p.space_id = source.space_id and p.id = source.page_id
    order by source.path, b.ord limit ${limit}`.execute(db)
  return rows
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
  sight: AccessSubject,
  asked: InSpace & { readonly limit: number },
): Promise<OrphanRow[]> {
  const { rows } = await sql<OrphanRow>`
    with orphan as materialized (
      select a.space_id, a.page_id, a.path from (${standing(asked)}) a
      -- Address by address: an anti-join may read all links of all spaces.
      where (
        select l.page_id from link l
        where l.target_space_id = a.space_id and ${addressId} = a.id
          and (l.space_id, l.page_id) <> (a.space_id, a.page_id)
          and l.space_id = any(array${visibleSpaces(sight)}) limit 1) is null
        -- Nor by an address that redirects to it.
        and (
        select l.page_id from page_address m join link l on l.target_space_id = m.space_id and ${addressId} = m.id
        where m.moved_space_id = a.space_id and m.moved_page_id = a.page_id and m.page_id is null
          and m.space_id = any(array${visibleSpaces(sight)})
          and (l.space_id, l.page_id) <> (a.space_id, a.page_id)
          and l.space_id = any(array${visibleSpaces(sight)}) limit 1) is null
      order by a.path limit ${asked.limit}
    )
    select p.path, p.title, p.updated_at from orphan o join page p on p.space_id = o.space_id and p.id = o.page_id
    order by o.path`.execute(db)
  return rows
}

/** The last path of such a scan, if there are that many. */
export async function lastStanding(db: Db, asked: InSpace): Promise<string | undefined> {
  const { rows } = await sql<{ path: string }>`
    select path from (${standing(asked)}) x order by path offset ${PAGES_AT_ONCE - 1}`.execute(db)
  return rows[0]?.path
}

function standing({ spaceId, after, inclusive }: InSpace): RawBuilder<unknown> {
  const begins = inclusive ? sql`>=` : sql`>`
  return sql`select a.space_id, a.id, a.page_id, a.path from page_address a
    where a.space_id = ${spaceId} and a.page_id is not null ${after === undefined ? sql`` : sql`and a.path ${begins} ${after}`}
    order by a.path limit ${PAGES_AT_ONCE}`
}

export interface WantedRow {
  readonly path: string
  readonly pages: number
}

/** Missing addresses of a space by the number of readable pages that link to them. */
export async function listWanted(
  db: Db,
  sight: AccessSubject,
  asked: {
    readonly spaceId: number
    readonly after: readonly [number, string] | undefined
    readonly limit: number
  },
): Promise<WantedRow[]> {
  const { after } = asked
  const { rows } = await sql<WantedRow>`
    select path, pages from (
      select a.path, l.pages from page_address a
      -- Address by address: joining all links of the space would read them all.
      cross join lateral (
        select count(distinct (l.space_id, l.page_id)) as pages from link l
        where l.target_space_id = a.space_id and ${addressId} = a.id and l.space_id = any(array${visibleSpaces(sight)})
      ) l
      where a.space_id = ${asked.spaceId} and ${isMissing(sight)} and l.pages > 0
    ) x
    where true ${
      after === undefined
        ? sql``
        : sql`and (pages < ${after[0]}::bigint or (pages = ${after[0]}::bigint and path > ${after[1]} collate "C"))`
    }
    order by pages desc, path limit ${asked.limit}`.execute(db)
  return rows
}
