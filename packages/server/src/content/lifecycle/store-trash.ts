import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../access/caller.ts'
import { forBoth, type Resource, TABLES } from '../../access/resource.ts'
import { type AccessSubject, isVisible } from '../../access/visibility.ts'
import { type Db, queryRows, read, write } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import type { FileRow } from '../files/file.ts'
import * as files from '../files/store.ts'
import type { PageRow } from '../pages/page.ts'
import * as pages from '../pages/store.ts'

/** A deletion: its time and author are also how a repeated attempt knows it again. */
export interface Deletion {
  readonly actorId: string
  readonly now: Date
}

export interface TrashArgs extends Deletion {
  readonly spaceId: number
  readonly id: number
  readonly path: string
  readonly expected: number
}

/** Moves a page or file to the trash and releases its address, while its version is `expected`; else no row. */
export const trashRow = forBoth((resource, { rows }) =>
  write(
    `trash_${resource}`,
    (a: TrashArgs) => sql<{ version: number }>`
      with trashed as (
        update ${rows} set ${trashColumns(resource, a)}
        where space_id = ${a.spaceId} and id = ${a.id} and version = ${a.expected} and path = ${a.path}
          and deleted_at is null
        returning id, path, version
      ), ${release(resource, a.spaceId, sql`in (select id from trashed)`)}
      select version from trashed`,
  ),
)

/** The same for locked rows with locked addresses. */
export async function trashRows(
  tx: Pick<Tx, 'db'>,
  resource: Resource,
  { spaceId, ids }: { readonly spaceId: number; readonly ids: readonly number[] },
  deletion: Deletion,
): Promise<void> {
  await sql`
    with trashed as (
      update ${TABLES[resource].rows} set ${trashColumns(resource, deletion)}
      where space_id = ${spaceId} and id = any(${ids}::bigint[])
      returning id, path, version
    ), ${release(resource, spaceId, sql`= any(${ids}::bigint[])`)}
    select 1`.execute(tx.db)
}

function trashColumns(resource: Resource, { actorId, now }: Deletion): RawBuilder<unknown> {
  const forgotten = resource === 'page' ? sql`, links_digest = null` : sql``
  return sql`deleted_at = ${now}::timestamptz, deleted_by = ${actorId}::uuid ${forgotten}`
}

/**
 * The parts of a statement that follow `trashed`: they release the addresses, which keep the last versions. Links and
 * search text of pages are deleted, and derived again when they are restored. `matches` compares an id with theirs.
 */
function release(resource: Resource, spaceId: number, matches: RawBuilder<unknown>): RawBuilder<unknown> {
  const { addresses, id } = TABLES[resource]
  const derivedData = sql`, deleted_links as (
      delete from link where space_id = ${spaceId} and page_id ${matches}
    ), deleted_file_links as (
      delete from file_link where space_id = ${spaceId} and page_id ${matches}
    ), deindexed as (
      delete from page_search where space_id = ${spaceId} and page_id ${matches}
    )`
  return sql`released as (
      update ${addresses} address set ${id} = null, last_version = greatest(address.last_version, trashed.version)
      from trashed where address.space_id = ${spaceId} and address.path = trashed.path and address.${id} = trashed.id
    ) ${resource === 'page' ? derivedData : sql``}`
}

/** Whether this deletion has moved the page or file to the trash; no row: it is purged. */
export const findTrashedBy = forBoth((resource, { rows }) =>
  read(
    `find_trashed_${resource}`,
    (a: Pick<TrashArgs, 'spaceId' | 'id' | 'actorId' | 'now'>) => sql<{ trashed: boolean }>`
      select coalesce(deleted_at = ${a.now}::timestamptz and deleted_by = ${a.actorId}::uuid, false) as trashed
      from ${rows} where space_id = ${a.spaceId} and id = ${a.id}`,
  ),
)

/** What a list of the trash shows besides the page or file. */
export interface DeletedColumns {
  readonly path: string
  readonly version: number
  readonly deleted_at: Date
  readonly deleted_by: Actor
  readonly restorable: boolean
}

export interface ListedRows {
  readonly page: PageRow
  readonly file: FileRow
}

const LISTED = {
  page: { columns: pages.pageColumns, joins: pages.actorJoins },
  file: { columns: files.fileColumns, joins: sql`${files.latestVersion} ${files.actorJoins}` },
}

/**
 * The trash of a space as far as the caller can read it, latest deletion first; those of one deletion by path. Those of
 * one path that were deleted within one millisecond are ordered by version, since versions of an address never restart.
 */
export async function listTrash<R extends Resource>(
  db: Db,
  subject: AccessSubject,
  resource: R,
  window: {
    readonly spaceId: number
    readonly after: readonly [string, string, number] | undefined
    readonly limit: number
    /** A part of the path or of the title. */
    readonly name: string
  },
): Promise<(ListedRows[R] & DeletedColumns)[]> {
  const { spaceId, after, limit, name } = window
  const { rows: row, addresses, id } = TABLES[resource]
  const { columns, joins } = LISTED[resource]
  return queryRows<ListedRows[R] & DeletedColumns>(db)`
    select ${columns}, ${row}.deleted_at,
      jsonb_build_object('id', deleter.id, 'name', deleter.name, 'kind', deleter.kind) as deleted_by,
      address.${id} is null and not exists (
        select 1 from ${row} later
        where later.space_id = ${row}.space_id and later.path = ${row}.path and later.deleted_at is not null
          and (later.deleted_at, later.version) > (${row}.deleted_at, ${row}.version)
      ) as restorable
    from ${row}
    left join ${addresses} address on address.space_id = ${row}.space_id and address.path = ${row}.path
    join principal deleter on deleter.id = ${row}.deleted_by ${joins}
    where ${row}.space_id = ${spaceId} and ${row}.deleted_at is not null
      and ${isVisible(subject, `${resource}.space_id`, `${resource}.path`)}
      and position(lower(${name}) in
        lower(${resource === 'page' ? sql`page.title || ' ' || page.path` : sql`file.path`})) > 0
      ${
        after === undefined
          ? sql``
          : sql`and ${row}.deleted_at <= ${after[0]}::timestamptz and (${row}.deleted_at < ${after[0]}::timestamptz
        or (${row}.path, ${row}.version) > (${after[1]}, ${after[2]}::int))`
      }
    order by ${row}.deleted_at desc, ${row}.path, ${row}.version limit ${limit}`
}
