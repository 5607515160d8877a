import type { Language } from '@recto/lib/languages.ts'
import { sql } from 'kysely'
import type { Rank } from '../../access/caller.ts'
import { type Resource, TABLES } from '../../access/resource.ts'
import { type AccessSubject, isVisible, memberJoin, rankAt, ruleJoin } from '../../access/visibility.ts'
import { type Db, queryRows } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { referencesTo } from '../files/store-uses.ts'
import { addressId } from '../links/store-read.ts'
import type { PageRow } from '../pages/page.ts'
import { actorJoins, pageColumns } from '../pages/store.ts'
import type { IndexedMetadata } from '../search/index-text.ts'
import { indexedMetadata, indexedMetadataJoin } from '../search/store-metadata.ts'
import type { NewBody } from './move-order.ts'

type Writing = Pick<Tx, 'db'>

/** A page with what moving and rewriting it needs. */
export interface MovingRow extends PageRow {
  readonly space_id: number
  readonly space_slug: string
  readonly page_id: number
  readonly revision_id: string
  readonly keyframe: number
  readonly keyframe_id: string
  /** The body that the move gives it; absent: its own, with the links that follow. */
  readonly newBody?: NewBody | undefined
}

const columns = sql`${pageColumns}, page.space_id, coalesce(space.slug, 'personal') as space_slug, page.id as page_id,
  page.revision_id,
  page.keyframe, page.keyframe_id`

/** The pages at a path or several, and with `children` those below the one, that the caller can read, by path. */
export async function listMoving(
  db: Db,
  subject: AccessSubject,
  at: {
    readonly spaceId: number
    readonly path: string
    readonly children: boolean
    /** In place of the one path. */
    readonly paths?: ReadonlyMap<string, unknown> | undefined
  },
): Promise<(MovingRow & { readonly address_id: number })[]> {
  const paths = at.paths ? [...at.paths.keys()] : [at.path]
  // In byte order `0` follows `/`.
  return queryRows<MovingRow & { address_id: number }>(db)`
    select ${columns}, address.id as address_id from page_address address
    -- By the key, row by row: in a space without statistics a join may read all of its pages for each address.
    cross join lateral (
      select * from page where space_id = address.space_id and id = address.page_id offset 0
    ) page
    join space on space.id = address.space_id ${actorJoins}
    where address.space_id = ${at.spaceId} and address.page_id is not null and (address.path = any(${paths}::text[])
      or ${at.children}::boolean and address.path > ${`${at.path}/`} and address.path < ${`${at.path}0`})
      and ${isVisible(subject, 'address.space_id', 'address.path')}
    order by address.path`
}

/** An address that redirects to a moved page or file. */
export interface FormerRow {
  readonly space_id: number
  readonly space: string
  readonly path: string
  readonly address_id: number
  readonly moved_id: number
}

/** The former addresses of some pages or files of a space, wherever they are. */
export async function listFormer(
  db: Db,
  resource: Resource,
  { spaceId, ids }: { readonly spaceId: number; readonly ids: readonly number[] },
): Promise<FormerRow[]> {
  const { addresses, id, movedId } = TABLES[resource]
  return queryRows<FormerRow>(db)`
    select address.space_id, coalesce(space.slug, 'personal') as space, address.path, address.${movedId} as moved_id,
      ${resource === 'page' ? sql`address.id` : sql`0`} as address_id
    from ${addresses} address join space on space.id = address.space_id
    where address.moved_space_id = ${spaceId}
      and address.${movedId} = any(${ids}::bigint[]) and address.${id} is null`
}

/** The files of a space to which some of its pages refer by relative targets, except at addresses with a page. */
export async function listReferredFiles(
  db: Db,
  spaceId: number,
  pageIds: readonly number[],
): Promise<{ readonly path: string }[]> {
  return queryRows<{ path: string }>(db)`
    select link.path from unnest(${pageIds}::bigint[]) as moving (id)
    join file_link link on link.space_id = ${spaceId} and link.page_id = moving.id and link.slug = ''
    join file_address address on address.space_id = link.space_id and address.path = link.path
      and address.file_id is not null
    where link.surely_file or not link.maybe_page or not exists (
      select 1 from page_address page where page.space_id = link.space_id
        and page.path = link.path and page.page_id is not null)
    union
    select missing.path from unnest(${pageIds}::bigint[]) as moving (id)
    join link on link.space_id = ${spaceId} and link.page_id = moving.id and link.slug = ''
    join page_address missing on missing.space_id = link.target_space_id and missing.id = ${addressId}
      and missing.page_id is null and missing.moved_page_id is null
    join file_address address on address.space_id = missing.space_id and address.path = missing.path
      and address.file_id is not null`
}

/** The former slugs of some spaces, each with the current one. */
export async function listFormerSlugs(
  db: Db,
  spaceIds: readonly number[],
): Promise<{ readonly former: string; readonly slug: string }[]> {
  return queryRows<{ former: string; slug: string }>(db)`
    select former.slug as former, space.slug from former_slug former join space on space.id = former.space_id
    where former.space_id = any(${spaceIds}::bigint[])`
}

/** Readable pages, other than the given ones of a space, that link to some addresses of pages or files. */
export async function listLinking(
  db: Db,
  subject: AccessSubject,
  to: {
    readonly addresses: readonly { readonly space_id: number; readonly address_id: number }[]
    readonly files: readonly { readonly space_id: number; readonly path: string }[]
    readonly spaceId: number
    readonly pageIds: readonly number[]
  },
): Promise<(MovingRow & { readonly rank: Rank })[]> {
  return queryRows<MovingRow & { rank: Rank }>(db)`
    with source as materialized (
      select distinct link.space_id, link.page_id
      from unnest(${to.addresses.map((address) => address.space_id)}::bigint[],
        ${to.addresses.map((address) => address.address_id)}::bigint[]) as given (space_id, id)
      join link on link.target_space_id = given.space_id and ${addressId} = given.id
      union
      select link.space_id, link.page_id
      from unnest(${to.files.map((file) => file.space_id)}::bigint[], ${to.files.map((file) => file.path)}::text[])
        as address (space_id, path)
      cross join lateral ${referencesTo('address')} link
    ), moving as materialized (select unnest(${to.pageIds}::bigint[]) as id)
    select ${columns}, ${rankAt(subject)} as rank from source
    join page on page.space_id = source.space_id and page.id = source.page_id
    join space on space.id = page.space_id ${memberJoin(subject)} ${ruleJoin(subject, sql`page.path`)} ${actorJoins}
    where ${rankAt(subject)} >= 1 and not (page.space_id = ${to.spaceId} and page.id in (select id from moving))
    order by page.space_id, page.path`
}

export interface PageKey {
  readonly space_id: number
  readonly page_id: number
}

export interface BodiesRow {
  readonly revision_id: string
  /** The latest body, packed in full. */
  readonly data: Buffer
  /** The keyframe of the next revision, packed in full; null if that is the latest. */
  readonly keyframe: Buffer | null
  /** Of its space. */
  readonly language: Language
  readonly indexed_metadata: IndexedMetadata | null
}

/** The latest bodies of some pages, with the keyframes of their next revisions. */
export async function readBodies(db: Db, pages: readonly PageKey[]): Promise<BodiesRow[]> {
  return queryRows<BodiesRow>(db)`
    select page.revision_id, coalesce(page.body, revision.data) as data, keyframe_row.data as keyframe, space.language,
      ${indexedMetadata}
    from unnest(${pages.map((page) => page.space_id)}::bigint[],
      ${pages.map((page) => page.page_id)}::bigint[]) as given (space_id, id)
    join page on page.space_id = given.space_id and page.id = given.id
    join space on space.id = page.space_id ${indexedMetadataJoin}
    left join revision on revision.space_id = page.space_id and revision.page_id = page.id
      and revision.version = page.version and page.body is null
    left join revision keyframe_row on keyframe_row.space_id = page.space_id and keyframe_row.page_id = page.id
      and keyframe_row.version = page.keyframe and page.body is not null`
}

/** Whether spaces have the slugs that a plan was made with; then they keep them until the transaction ends. */
export async function keepSlugs(
  tx: Writing,
  spaces: readonly { readonly spaceId: number; readonly space: string }[],
): Promise<boolean> {
  const rows = await queryRows<{ id: number; slug: string }>(tx.db)`
    select id, coalesce(slug, 'personal') as slug from space
    where id = any(${spaces.map(({ spaceId }) => spaceId)}::bigint[]) order by id for key share`
  const slugs = new Map(rows.map(({ id, slug }) => [id, slug]))
  return spaces.every(({ spaceId, space }) => slugs.get(spaceId) === space)
}
