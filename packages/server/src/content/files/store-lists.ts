import { sql } from 'kysely'
import type { Actor } from '../../access/caller.ts'
import type { DraftedPage } from '../../access/overlay.ts'
import { viaName } from '../../access/via.ts'
import { type AccessSubject, isVisible } from '../../access/visibility.ts'
import { type Db, queryRow, queryRows } from '../../platform/database/database.ts'
import type { FileRow, StoredBytes } from './file.ts'
import { actorJoins, bytesColumns, fileColumns, latestVersion } from './store.ts'
import { isUnused } from './store-uses.ts'

export interface FilesQuery {
  readonly spaceId: number
  readonly prefix: string
  /** Part of the path; letter case does not count. */
  readonly words: string
  /** A media type, or a prefix of one that ends in a slash. */
  readonly type: string
  readonly after: string | undefined
  /** Only files to which no page refers that the caller can read. */
  readonly unused: boolean
  readonly limit: number
}

/** The number of files that a list of unused ones scans per request. */
const FILES_AT_ONCE = 5_000

/** A file of a list, which a change request may have changed. */
export type ListedFile = FileRow & DraftedPage & { readonly file_id: number }

/** Some files of a space. */
export async function listShownFiles(db: Db, spaceId: number, ids: readonly number[]): Promise<ListedFile[]> {
  return queryRows<ListedFile>(db)`
    select ${fileColumns}, file.id as file_id from file ${latestVersion} ${actorJoins}
    where file.space_id = ${spaceId} and file.id = any(${ids}::bigint[])`
}

/** Files of one space that the caller can read, in the order of their paths. */
export async function listFiles(db: Db, subject: AccessSubject, query: FilesQuery): Promise<ListedFile[]> {
  const { words, type, unused, limit } = query
  return queryRows<ListedFile>(db)`
    select ${fileColumns}, file.id as file_id
    from (${selectAddresses(subject, query)} ${unused ? sql`limit ${FILES_AT_ONCE}` : sql``}) address
    join file on file.space_id = address.space_id and file.id = address.file_id
    ${latestVersion} ${actorJoins}
    where true ${words === '' ? sql`` : sql`and position(lower(${words}) in lower(address.path)) > 0`}
      ${type === '' ? sql`` : sql`and ${isType(type)}`}
      ${unused ? sql`and ${isUnused(subject, 'file')}` : sql``}
    order by address.path limit ${limit}`
}

/** Files of one space with their bytes, as events tell them. */
export async function listFilesById(db: Db, spaceId: number, ids: readonly number[]) {
  return queryRows<StoredBytes & Pick<FileRow, 'path' | 'version'> & { id: number }>(db)`
    select file.id, file.path, file.version, ${bytesColumns} from file ${latestVersion}
    where file.space_id = ${spaceId} and file.id = any(${ids}::bigint[]) order by file.path`
}

/** The path where the scan of a list of unused files ended before the end of the space. */
export async function lastScanned(db: Db, subject: AccessSubject, query: FilesQuery): Promise<string | undefined> {
  const row = await queryRow<{ path: string }>(
    db,
  )`${selectAddresses(subject, query)} offset ${FILES_AT_ONCE - 1} limit 1`
  return row?.path
}

function selectAddresses(subject: AccessSubject, { spaceId, prefix, after }: FilesQuery) {
  return sql`select address.space_id, address.path, address.file_id from file_address address
    where address.space_id = ${spaceId} and address.file_id is not null
      and ${isVisible(subject, 'address.space_id', 'address.path')}
      ${after === undefined ? sql`` : sql`and address.path > ${after}`}
      ${prefix === '' ? sql`` : sql`and address.path >= ${prefix} and starts_with(address.path, ${prefix})`}
    order by address.path`
}

function isType(type: string) {
  return type.endsWith('/')
    ? sql`starts_with(version.content_type, ${type})`
    : sql`split_part(version.content_type, ';', 1) = ${type}`
}

export interface VersionRow extends StoredBytes {
  readonly version: number
  readonly created_at: Date
  readonly created_by: Actor
}

/** Versions of a file, the newest first. */
export async function listVersions(
  db: Db,
  file: {
    readonly spaceId: number
    readonly fileId: number
    readonly before: number | undefined
    readonly limit: number
  },
): Promise<VersionRow[]> {
  return queryRows<VersionRow>(db)`
    select version.version, ${bytesColumns}, version.created_at,
      json_strip_nulls(json_build_object('id', author.id, 'name', author.name, 'kind', author.kind, 'via',
        ${viaName('version.via')})) as created_by
    from file_version version join principal author on author.id = version.created_by
    where version.space_id = ${file.spaceId} and version.file_id = ${file.fileId}
      ${file.before === undefined ? sql`` : sql`and version.version < ${file.before}`}
    order by version.version desc limit ${file.limit}`
}
