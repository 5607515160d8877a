import { sql } from 'kysely'
import type { Actor } from '../access/caller.ts'
import { viaName } from '../access/via.ts'
import type { AccessSubject } from '../access/visibility.ts'
import type { Db } from '../database/database.ts'
import type { FileRow, StoredBytes } from './file.ts'
import { actorJoins, fileColumns } from './store.ts'
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

/** Files of one space in the order of their paths. */
export async function listFiles(
  db: Db,
  subject: AccessSubject,
  query: FilesQuery,
): Promise<(FileRow & { readonly file_id: number })[]> {
  const { words, type, unused, limit } = query
  const { rows } = await sql<FileRow & { file_id: number }>`
    select ${fileColumns}, f.id as file_id from (${addressesOf(query)} ${unused ? sql`limit ${FILES_AT_ONCE}` : sql``}) a
    join file f on f.space_id = a.space_id and f.id = a.file_id
    join file_version v on v.space_id = f.space_id and v.file_id = f.id and v.version = f.version ${actorJoins}
    where true ${words === '' ? sql`` : sql`and position(lower(${words}) in lower(a.path)) > 0`}
      ${type === '' ? sql`` : sql`and ${isType(type)}`}
      ${unused ? sql`and ${isUnused(subject, 'f')}` : sql``}
    order by a.path limit ${limit}`.execute(db)
  return rows
}

/** The path where the scan of a list of unused files ended before the end of the space. */
export async function lastScanned(db: Db, query: FilesQuery): Promise<string | undefined> {
  const { rows } = await sql<{
    path: string
  }>`${addressesOf(query)} offset ${FILES_AT_ONCE - 1} limit 1`.execute(db)
  return rows[0]?.path
}

function addressesOf({ spaceId, prefix, after }: FilesQuery) {
  return sql`select a.space_id, a.path, a.file_id from file_address a
    where a.space_id = ${spaceId} and a.file_id is not null
      ${after === undefined ? sql`` : sql`and a.path > ${after}`}
      ${prefix === '' ? sql`` : sql`and a.path >= ${prefix} and starts_with(a.path, ${prefix})`}
    order by a.path`
}

function isType(type: string) {
  return type.endsWith('/')
    ? sql`starts_with(v.content_type, ${type})`
    : sql`split_part(v.content_type, ';', 1) = ${type}`
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
  const { rows } = await sql<VersionRow>`
    select v.version, v.digest, v.size, v.content_type, v.width, v.height, v.created_at,
      json_strip_nulls(json_build_object('id', c.id, 'name', c.name, 'kind', c.kind, 'via', ${viaName('v.via')})) as created_by
    from file_version v join principal c on c.id = v.created_by
    where v.space_id = ${file.spaceId} and v.file_id = ${file.fileId}
      ${file.before === undefined ? sql`` : sql`and v.version < ${file.before}`}
    order by v.version desc limit ${file.limit}`.execute(db)
  return rows
}
