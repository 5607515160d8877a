import { type RawBuilder, sql } from 'kysely'
import type { Language } from '../../../../lib/src/languages.ts'
import { compareText } from '../../../../lib/src/text/text-order.ts'
import {
  type AddressArgs,
  type AddressedRow,
  addressedColumns,
  pageStatement,
} from '../../access/addressed-page.ts'
import type { Actor } from '../../access/caller.ts'
import { currentVia } from '../../access/via.ts'
import { memberJoin } from '../../access/visibility.ts'
import type { Db } from '../../platform/database/database.ts'
import { read, write } from '../../platform/database/statement.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import type { PageRow } from '../pages/page.ts'
import { actorJoins, pageColumns, type WrittenRow } from '../pages/store.ts'
import type { IndexedMetadata } from '../search/index-text.ts'
import { indexedMetadata, indexedMetadataJoin } from '../search/store.ts'

interface TrashArgs {
  readonly spaceId: number
  readonly pageId: number
  readonly path: string
  readonly expected: number
  readonly actorId: string
  readonly now: Date
}

/**
 * Moves a page to the trash (soft delete) and releases its address, while its version is still `expected`; no row: it is
 * not. The address keeps the last version. Links and search text are deleted, and derived again when the page is restored.
 */
export const trashPage = write(
  'trash_page',
  (a: TrashArgs) => sql<{ version: number }>`
    with trashed as (
      update page set deleted_at = ${a.now}::timestamptz, deleted_by = ${a.actorId}::uuid, links_digest = null
      where space_id = ${a.spaceId} and id = ${a.pageId} and version = ${a.expected} and path = ${a.path} and deleted_at is null
      returning id, version
    ), released_address as (
      update page_address address set page_id = null, last_version = greatest(address.last_version, trashed.version)
      from trashed where address.space_id = ${a.spaceId} and address.path = ${a.path} and address.page_id = trashed.id
    ), deleted_links as (
      delete from link using trashed where link.space_id = ${a.spaceId} and link.page_id = trashed.id
    ), deleted_file_links as (
      delete from file_link using trashed where file_link.space_id = ${a.spaceId} and file_link.page_id = trashed.id
    ), deindexed as (
      delete from page_search using trashed
      where page_search.space_id = ${a.spaceId} and page_search.page_id = trashed.id
    )
    select version from trashed`,
)

/** A deleted page of a folder. */
export interface FolderPage {
  readonly id: number
  readonly path: string
  readonly title: string
  readonly version: number
}

interface Folder {
  readonly spaceId: number
  readonly path: string
}

/** The pages of a folder in the order of their paths, including the page at its own path. */
export async function listFolder(db: Db, folder: Folder): Promise<FolderPage[]> {
  const { rows } =
    await sql<FolderPage>`select page.id, page.path, page.title, page.version from page_address address
    join page on page.space_id = address.space_id and page.id = address.page_id
    where address.space_id = ${folder.spaceId} and ${inFolder('address', folder.path)}
    order by address.path`.execute(db)
  return rows
}

/** The same pages, locked until the transaction ends; in the order of their ids, as everywhere, against deadlocks. */
export async function lockFolder(tx: Pick<Tx, 'db'>, folder: Folder): Promise<FolderPage[]> {
  // The rechecked path and deleted_at show whether a page was moved or deleted while this waited for its lock.
  const { rows } = await sql<FolderPage>`select page.id, page.path, page.title, page.version from page
    where page.space_id = ${folder.spaceId} and page.deleted_at is null and ${inFolder('page', folder.path)} and page.id = any(array(
      select address.page_id from page_address address where address.space_id = ${folder.spaceId} and address.page_id is not null and ${inFolder('address', folder.path)}))
    order by page.id for update of page`.execute(tx.db)
  return rows.sort((one, other) => compareText(one.path, other.path))
}

/** The same as `trashPage` for pages that are locked. */
export async function trashPages(
  tx: Pick<Tx, 'db'>,
  spaceId: number,
  pages: readonly FolderPage[],
  { actorId, now }: Pick<TrashArgs, 'actorId' | 'now'>,
): Promise<void> {
  const ids = pages.map(({ id }) => id)
  await sql`
    with trashed as (
      update page set deleted_at = ${now}::timestamptz, deleted_by = ${actorId}::uuid, links_digest = null
      where space_id = ${spaceId} and id = any(${ids}::bigint[])
      returning id, path, version
    ), released_address as (
      update page_address address set page_id = null, last_version = greatest(address.last_version, trashed.version)
      from trashed
      where address.space_id = ${spaceId} and address.path = trashed.path and address.page_id = trashed.id
    ), deleted_links as (
      delete from link where space_id = ${spaceId} and page_id = any(${ids}::bigint[])
    ), deleted_file_links as (
      delete from file_link where space_id = ${spaceId} and page_id = any(${ids}::bigint[])
    )
    delete from page_search where space_id = ${spaceId} and page_id = any(${ids}::bigint[])`.execute(tx.db)
}

/** The pages of a folder that this deletion has moved to the trash. */
export async function listTrashedFolder(
  tx: Pick<Tx, 'db'>,
  folder: Folder,
  { actorId, now }: Pick<TrashArgs, 'actorId' | 'now'>,
): Promise<FolderPage[]> {
  const { rows } = await sql<FolderPage>`select id, path, title, version from page
    where space_id = ${folder.spaceId} and deleted_at = ${now}::timestamptz and deleted_by = ${actorId}::uuid
      and ${inFolder('page', folder.path)} order by path`.execute(tx.db)
  return rows
}

/** Whether a row is at the path of a folder or below it: in the order of bytes `0` follows `/`. */
function inFolder(row: 'address' | 'page', path: string): RawBuilder<boolean> {
  const column = sql.ref(`${row}.path`)
  return sql<boolean>`(${column} = ${path} or ${column} > ${`${path}/`} and ${column} < ${`${path}0`})`
}

/** Whether this deletion has moved the page to the trash; no row: it is purged. */
export const findLeft = read(
  'find_left',
  (a: Pick<TrashArgs, 'spaceId' | 'pageId' | 'actorId' | 'now'>) => sql<{ trashed: boolean }>`
    select coalesce(deleted_at = ${a.now}::timestamptz and deleted_by = ${a.actorId}::uuid, false) as trashed
    from page where space_id = ${a.spaceId} and id = ${a.pageId}`,
)

/** The page that was deleted last at an address, with its body. `id` is null if there is none. */
export interface TrashedRow extends AddressedRow, PageRow {
  readonly id: number | null
  readonly revision_id: string
  readonly data: Buffer
  readonly space_language: Language
  readonly indexed_metadata: IndexedMetadata | null
}

export const readTrashed = pageStatement<AddressArgs, TrashedRow>(
  'read_trashed',
  (args) => sql`
    select ${addressedColumns(args)}, ${pageColumns}, page.id, page.revision_id, coalesce(page.body, revision.data) as data,
      space.language as space_language, ${indexedMetadata}
    from space ${memberJoin(args)}
    left join page_address address on address.space_id = space.id and address.path = ${args.path}
    left join lateral (
      select * from page trashed where trashed.space_id = space.id and trashed.path = ${args.path} and trashed.deleted_at is not null
      order by trashed.deleted_at desc, trashed.version desc limit 1
    ) page on true ${actorJoins} ${indexedMetadataJoin}
    left join revision on revision.space_id = page.space_id and revision.page_id = page.id and revision.version = page.version`,
)

/**
 * Restores a page from the trash to its address, as its next version with the same body; no row: it is not in the
 * trash any more, or the address is taken.
 */
export const restoreTrashed = write(
  'restore_page',
  (a: TrashArgs & { revisionId: string; note: string }) => sql<WrittenRow>`
    with deleted as (
      select id, version, body is null as whole from page
      where space_id = ${a.spaceId} and id = ${a.pageId} and version = ${a.expected} and path = ${a.path} and deleted_at is not null
      for update
    ), taken as (
      update page_address address set page_id = deleted.id, moved_space_id = null, moved_page_id = null
      from deleted where address.space_id = ${a.spaceId} and address.path = ${a.path} and address.page_id is null
      returning greatest(address.last_version, deleted.version) + 1 as version
    ), restored as (
      update page set deleted_at = null, deleted_by = null, version = taken.version, revision_id = ${a.revisionId}::uuid,
        keyframe = case when deleted.whole then taken.version else page.keyframe end,
        keyframe_id = case when deleted.whole then ${a.revisionId}::uuid else page.keyframe_id end,
        note = ${a.note}, updated_at = ${a.now}::timestamptz, updated_by = ${a.actorId}::uuid, updated_via = ${currentVia}
      from deleted, taken where page.space_id = ${a.spaceId} and page.id = deleted.id
      returning page.id, page.version
    )
    insert into revision (space_id, page_id, version, id, title, note, size, base, data, restored_from, created_at, created_by)
    select revision.space_id, revision.page_id, restored.version, ${a.revisionId}::uuid, revision.title, ${a.note}, revision.size, revision.base, revision.data, revision.version,
      ${a.now}::timestamptz, ${a.actorId}::uuid
    from revision join restored on restored.id = revision.page_id
    where revision.space_id = ${a.spaceId} and revision.version = ${a.expected}
    returning page_id, version`,
)

/** Purges pages from the trash with all rows that refer to them; returns the ids of those that existed. */
export async function removePages(
  tx: Pick<Tx, 'db'>,
  spaceId: number,
  ids: readonly number[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    delete from page where space_id = ${spaceId} and id = any(${ids}::bigint[]) and deleted_at is not null
    returning id`.execute(tx.db)
  const gone = rows.map(({ id }) => id)
  await sql`update page_address set moved_space_id = null, moved_page_id = null
    where moved_space_id = ${spaceId} and moved_page_id = any(${gone}::bigint[])`.execute(tx.db)
  return gone
}

/** Some pages of one space that were deleted before a time, locked against those who restore them. */
export async function lockExpired(
  tx: Pick<Tx, 'db'>,
  before: Date,
  limit: number,
): Promise<{ readonly space_id: number; readonly id: number }[]> {
  const { rows } = await sql<{ space_id: number; id: number }>`
    select space_id, id from page where deleted_at < ${before} order by deleted_at limit ${limit}
    for update skip locked`.execute(tx.db)
  return rows
}

export interface TrashListRow extends PageRow {
  readonly id: number
  readonly deleted_at: Date
  readonly deleted_by: Actor
  readonly restorable: boolean
}

/**
 * The trash of a space, latest deletion first; pages of one deletion by path. Pages of one path that were deleted
 * within one millisecond are ordered by version, since versions of an address never restart.
 */
export async function listTrash(
  db: Db,
  input: {
    readonly spaceId: number
    readonly after: readonly [string, string, number] | undefined
    readonly limit: number
  },
): Promise<TrashListRow[]> {
  const { after } = input
  const { rows } = await sql<TrashListRow>`
    select ${pageColumns}, page.id, page.deleted_at, jsonb_build_object('id', deleter.id, 'name', deleter.name, 'kind', deleter.kind) as deleted_by,
      address.page_id is null and not exists (
        select 1 from page later where later.space_id = page.space_id and later.path = page.path and later.deleted_at is not null
          and (later.deleted_at, later.version) > (page.deleted_at, page.version)
      ) as restorable
    from page left join page_address address on address.space_id = page.space_id and address.path = page.path join principal deleter on deleter.id = page.deleted_by ${actorJoins}
    where page.space_id = ${input.spaceId} and page.deleted_at is not null
      ${
        after === undefined
          ? sql``
          : sql`and page.deleted_at <= ${after[0]}::timestamptz
        and (page.deleted_at < ${after[0]}::timestamptz or (page.path, page.version) > (${after[1]}, ${after[2]}::int))`
      }
    order by page.deleted_at desc, page.path, page.version limit ${input.limit}`.execute(db)
  return rows
}
