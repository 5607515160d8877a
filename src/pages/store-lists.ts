import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../access/caller.ts'
import type { Db } from '../database/database.ts'
import type { PageRow } from './page.ts'
import { actorJoins, pageColumns } from './store.ts'

export interface ListedRow extends PageRow {
  readonly id: number
  readonly space_id: number
  readonly space_slug: string
}

interface InSpace {
  readonly spaceId: number
  readonly prefix: string
  readonly after: string | undefined
  readonly limit: number
}

/** Pages of one space in the order of their paths. */
export async function listPages(db: Db, { spaceId, prefix, after, limit }: InSpace): Promise<ListedRow[]> {
  const { rows } = await sql<ListedRow>`
    select ${pageColumns}, p.id, p.space_id, coalesce(s.slug, 'personal') as space_slug
    from page_address a
    join page p on p.space_id = a.space_id and p.id = a.page_id
    join space s on s.id = a.space_id
    ${actorJoins}
    where a.space_id = ${spaceId} and a.page_id is not null
      ${after === undefined ? sql`` : sql`and a.path > ${after}`}
      ${prefix === '' ? sql`` : sql`and a.path >= ${prefix} and starts_with(a.path, ${prefix}) ${upTo(prefix)}`}
    order by a.path limit ${limit}`.execute(db)
  return rows
}

/** The first path after a prefix, so that the index scan ends; none where the prefix has no successor. */
export function upTo(prefix: string): RawBuilder<unknown> {
  const characters = [...prefix]
  const last = characters.pop()?.codePointAt(0)
  if (last === undefined || last >= 0xd7ff) return sql``
  return sql`and a.path < ${characters.join('') + String.fromCodePoint(last + 1)}`
}

interface Recent {
  readonly spaces: RawBuilder<unknown>
  /** Update time, path and space of the last page of the previous results. */
  readonly after: readonly [string, string, string] | undefined
  readonly limit: number
}

/**
 * Pages of some spaces, latest change first; pages that were changed within one millisecond by path and space. The
 * index has time and path: only pages with equal time and path are sorted.
 */
export async function listRecent(db: Db, { spaces, after, limit }: Recent): Promise<ListedRow[]> {
  const { rows } = await sql<ListedRow>`
    select ${pageColumns}, p.id, p.space_id, coalesce(s.slug, 'personal') as space_slug
    from page p join space s on s.id = p.space_id ${actorJoins}
    where p.space_id in ${spaces} and p.deleted_at is null
      ${
        after === undefined
          ? sql``
          : sql`and (p.updated_at, p.path) <= (${after[0]}::timestamptz, ${after[1]})
        and ((p.updated_at, p.path) < (${after[0]}::timestamptz, ${after[1]}) or coalesce(s.slug, 'personal') < ${after[2]})`
      }
    order by ${latestFirst} limit ${limit}`.execute(db)
  return rows
}

/** The order of pages `p` in spaces `s` by their last change. */
export const latestFirst = sql`p.updated_at desc, p.path desc, coalesce(s.slug, 'personal') desc`

export interface RevisionRow {
  readonly version: number
  readonly title: string
  readonly note: string | null
  readonly size: number
  readonly restored_from: number | null
  readonly created_at: Date
  readonly created_by: Actor
}

/** Revisions of a page, newest first. */
export async function listRevisions(
  db: Db,
  page: {
    readonly spaceId: number
    readonly pageId: number
    readonly before: number | undefined
    readonly limit: number
  },
): Promise<RevisionRow[]> {
  const { rows } = await sql<RevisionRow>`
    select r.version, r.title, r.note, r.size, r.restored_from, r.created_at,
      json_build_object('id', c.id, 'name', c.name, 'kind', c.kind) as created_by
    from revision r join principal c on c.id = r.created_by
    where r.space_id = ${page.spaceId} and r.page_id = ${page.pageId}
      ${page.before === undefined ? sql`` : sql`and r.version < ${page.before}`}
    order by r.version desc limit ${page.limit}`.execute(db)
  return rows
}

export interface HeadBodyRow {
  readonly space_id: number
  readonly space: string
  readonly page_id: number
  readonly path: string
  readonly version: number
  readonly data: Buffer
}

const heads = sql`select p.space_id, coalesce(s.slug, 'personal') as space, p.id as page_id, p.path, p.version,
    coalesce(p.body, r.data) as data
  from page p join space s on s.id = p.space_id
  join revision r on r.space_id = p.space_id and r.page_id = p.id and r.version = p.version`

/** Pages with their latest bodies after a position, in the order of space and id. */
export async function listHeadsAfter(
  db: Db,
  {
    spaceId,
    pageId,
    within,
    limit,
  }: {
    readonly spaceId: number
    readonly pageId: number
    readonly within: number | undefined
    readonly limit: number
  },
): Promise<HeadBodyRow[]> {
  const { rows } = await sql<HeadBodyRow>`${heads}
    where (p.space_id, p.id) > (${spaceId}::bigint, ${pageId}::bigint) and p.deleted_at is null
      ${within === undefined ? sql`` : sql`and p.space_id = ${within}`}
    order by p.space_id, p.id limit ${limit}`.execute(db)
  return rows
}

/** Some pages of a space with their latest bodies. */
export async function listHeads(db: Db, spaceId: number, ids: readonly number[]): Promise<HeadBodyRow[]> {
  const { rows } = await sql<HeadBodyRow>`${heads}
    where p.space_id = ${spaceId} and p.id = any(${ids}::bigint[]) and p.deleted_at is null order by p.id`.execute(
    db,
  )
  return rows
}
