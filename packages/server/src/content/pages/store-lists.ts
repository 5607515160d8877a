import { type RawBuilder, sql } from 'kysely'
import type { Static } from 'typebox'
import { actorJson } from '../../access/authors.ts'
import type { Actor } from '../../access/caller.ts'
import { isNoTemplate } from '../../access/template-folder.ts'
import { viaName } from '../../access/via.ts'
import { type AccessSubject, isVisible } from '../../access/visibility.ts'
import { type Db, queryRows } from '../../platform/database/database.ts'
import type { RowFor } from '../../platform/database/rows.ts'
import type { PageRow } from './page.ts'
import type { revisionSchema } from './schema.ts'
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

/** Pages of one space that the caller can read, in the order of their paths. */
export async function listPages(
  db: Db,
  subject: AccessSubject,
  { spaceId, prefix, after, limit }: InSpace,
): Promise<ListedRow[]> {
  return queryRows<ListedRow>(db)`
    select ${pageColumns}, page.id, page.space_id, coalesce(space.slug, 'personal') as space_slug
    from page_address address
    join page on page.space_id = address.space_id and page.id = address.page_id
    join space on space.id = address.space_id
    ${actorJoins}
    where address.space_id = ${spaceId} and address.page_id is not null
      and ${isVisible(subject, 'address.space_id', 'address.path')}
      ${after === undefined ? sql`` : sql`and address.path > ${after}`}
      ${
        prefix === ''
          ? sql``
          : sql`and address.path >= ${prefix} and starts_with(address.path, ${prefix}) ${upTo(prefix)}`
      }
    order by address.path limit ${limit}`
}

export async function listPagesById(db: Db, spaceId: number, ids: readonly number[]): Promise<ListedRow[]> {
  if (ids.length === 0) return []
  return queryRows<ListedRow>(db)`
    select ${pageColumns}, page.id, page.space_id, coalesce(space.slug, 'personal') as space_slug
    from page join space on space.id = page.space_id ${actorJoins}
    where page.space_id = ${spaceId} and page.id = any(${ids}::bigint[]) and page.deleted_at is null`
}

/** The first path after a prefix, so that the index scan ends; none where the prefix has no successor. */
export function upTo(prefix: string): RawBuilder<unknown> {
  const characters = [...prefix]
  const last = characters.pop()?.codePointAt(0)
  if (last === undefined || last >= 0xd7ff) return sql``
  return sql`and address.path < ${characters.join('') + String.fromCodePoint(last + 1)}`
}

interface Recent {
  readonly spaces: RawBuilder<unknown>
  readonly templates: 'out' | undefined
  /** Update time, path and space of the last page of the previous results. */
  readonly after: readonly [string, string, string] | undefined
  readonly limit: number
}

/**
 * Pages of some spaces, latest change first; pages that were changed within one millisecond by path and space. The
 * index has time and path: only pages with equal time and path are sorted.
 */
export async function listRecent(
  db: Db,
  subject: AccessSubject,
  { spaces, templates, after, limit }: Recent,
): Promise<ListedRow[]> {
  return queryRows<ListedRow>(db)`
    select ${pageColumns}, page.id, page.space_id, coalesce(space.slug, 'personal') as space_slug
    from page join space on space.id = page.space_id ${actorJoins}
    where page.space_id in ${spaces} and page.deleted_at is null
      and ${isVisible(subject, 'page.space_id', 'page.path')}
        ${templates === 'out' ? sql`and ${isNoTemplate('page.path')}` : sql``}
      ${
        after === undefined
          ? sql``
          : sql`and (page.updated_at, page.path) <= (${after[0]}::timestamptz, ${after[1]})
        and ((page.updated_at, page.path) < (${after[0]}::timestamptz, ${after[1]})
          or coalesce(space.slug, 'personal') < ${after[2]})`
      }
    order by ${latestFirst} limit ${limit}`
}

/** The order of the rows `page` with their `space` by their last change. */
export const latestFirst = sql`page.updated_at desc, page.path desc, coalesce(space.slug, 'personal') desc`

export interface RevisionRow extends RowFor<Omit<Static<typeof revisionSchema>, 'isLatest' | keyof MergeOfRevision>> {
  readonly merge: MergeOfRevision | null
}

/** The merge of a change request that made a revision. */
interface MergeOfRevision {
  /** Null: the page has left the space of the request. */
  readonly changeRequest: number | null
  readonly mergedBy: Actor
  readonly authors: Actor[]
}

/** Revisions of a page, newest first. */
export async function listRevisions(
  db: Db,
  page: {
    readonly spaceId: number
    readonly pageId: number
    readonly before?: number | undefined
    /** Only these. */
    readonly versions?: readonly number[]
    readonly limit: number
  },
): Promise<RevisionRow[]> {
  return queryRows<RevisionRow>(db)`
    select revision.version, revision.title, revision.note, revision.size, revision.restored_from, revision.created_at,
      json_strip_nulls(json_build_object('id', creator.id, 'name', creator.name, 'kind', creator.kind,
        'via', ${viaName('revision.via')})) as created_by,
      (select json_build_object('changeRequest',
        case when merged.request_space_id = merged.space_id then merged.number end, 'mergedBy', ${actorJson('merger')},
          'authors', (select json_agg(${actorJson('author')} order by author.id) from principal author
            where author.id = any(merged.authors)))
        from merged_revision merged join principal merger on merger.id = merged.merged_by
        where merged.space_id = revision.space_id and merged.page_id = revision.page_id
          and merged.version = revision.version) as merge
    from revision join principal creator on creator.id = revision.created_by
    where revision.space_id = ${page.spaceId} and revision.page_id = ${page.pageId}
      ${page.before === undefined ? sql`` : sql`and revision.version < ${page.before}`}
      ${page.versions === undefined ? sql`` : sql`and revision.version = any(${page.versions}::int[])`}
    order by revision.version desc limit ${page.limit}`
}

export interface HeadBodyRow {
  readonly space_id: number
  readonly space: string
  readonly page_id: number
  readonly path: string
  readonly title: string
  readonly version: number
  readonly data: Buffer
}

const heads = sql`select page.space_id, coalesce(space.slug, 'personal') as space, page.id as page_id, page.path,
  page.title, page.version,
    coalesce(page.body, revision.data) as data
  from page join space on space.id = page.space_id
  join revision on revision.space_id = page.space_id and revision.page_id = page.id and revision.version = page.version`

/** Pages with their latest bodies after a position, in the order of space and id. */
export async function listHeadsAfter(
  db: Db,
  window: {
    readonly spaceId: number
    readonly pageId: number
    readonly within: number | undefined
    readonly limit: number
  },
): Promise<HeadBodyRow[]> {
  const { spaceId, pageId, within, limit } = window
  return queryRows<HeadBodyRow>(db)`${heads}
    where (page.space_id, page.id) > (${spaceId}::bigint, ${pageId}::bigint) and page.deleted_at is null
      ${within === undefined ? sql`` : sql`and page.space_id = ${within}`}
    order by page.space_id, page.id limit ${limit}`
}

/** Some pages of a space with their latest bodies. */
export async function listHeads(db: Db, spaceId: number, ids: readonly number[]): Promise<HeadBodyRow[]> {
  return queryRows<HeadBodyRow>(db)`${heads}
    where page.space_id = ${spaceId} and page.id = any(${ids}::bigint[]) and page.deleted_at is null
    order by page.id`
}

/** The latest bodies of the pages of a space that the caller can read, in the order of their paths. */
export async function listBodies(
  db: Db,
  subject: AccessSubject,
  { spaceId, prefix, after, limit }: InSpace,
): Promise<Pick<HeadBodyRow, 'path' | 'title' | 'version' | 'data'>[]> {
  return queryRows<HeadBodyRow>(db)`${heads}
    join page_address address on address.space_id = page.space_id and address.page_id = page.id
    where page.space_id = ${spaceId} and ${isVisible(subject, 'address.space_id', 'address.path')}
      ${after === undefined ? sql`` : sql`and address.path > ${after}`}
      ${
        prefix === ''
          ? sql``
          : sql`and address.path >= ${prefix} and starts_with(address.path, ${prefix}) ${upTo(prefix)}`
      }
    order by address.path limit ${limit}`
}
