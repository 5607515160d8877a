import { type RawBuilder, sql } from 'kysely'
import {
  type AddressArgs,
  type AddressedSpace,
  addressedColumns,
  addressedRow,
  pageStatement,
} from '../../access/addressed-page.ts'
import type { DraftedPage } from '../../access/overlay.ts'
import { viaName } from '../../access/via.ts'
import { read, write } from '../../platform/database/database.ts'
import type { FileRow, StoredBytes } from './file.ts'

/** The space of a file address and, if there is one, the file at its path. */
export interface AddressedFileRow extends AddressedSpace {
  readonly file_id: number | null
}

/** The latest version of the file at an address; the columns of the file are null if there is none. */
export interface TargetRow extends AddressedFileRow, Omit<FileRow, 'draft'>, DraftedPage {}

/** The columns of `StoredBytes`, from the row `version`. */
export const bytesColumns = sql`version.digest, version.size, version.content_type, version.width, version.height`

/** The columns of `FileRow`, from the rows `file` and `version` and the principals of `actorJoins`. */
export const fileColumns = sql`file.path, version.version, ${bytesColumns},
  file.created_at, file.created_by, creator.name as created_by_name, creator.kind as created_by_kind,
  ${viaName('file.created_via')} as created_by_via,
  version.created_at as updated_at, version.created_by as updated_by, editor.name as updated_by_name,
  editor.kind as updated_by_kind,
  ${viaName('version.via')} as updated_by_via`

export const actorJoins = sql`left join principal creator on creator.id = file.created_by left
  join principal editor on editor.id = version.created_by`

/** Joins the latest version of the row `file`. */
export const latestVersion = sql`left join file_version version
  on version.space_id = file.space_id and version.file_id = file.id and version.version = file.version`

/** The file at an address with its latest version, and the caller's rank in its space. */
export const readTarget = pageStatement<AddressArgs, TargetRow>(
  'read_file',
  (args) => sql`
    select ${addressedColumns(args, 'file')}, ${fileColumns} ${addressedRow(args, 'file')}
    ${latestVersion} ${actorJoins}`,
)

/** The same with one version of it; `version` is null if the file has no such version. */
export const readFileVersion = pageStatement<AddressArgs & { version: number }, TargetRow>(
  'read_file_version',
  (args) => sql`
    select ${addressedColumns(args, 'file')}, ${fileColumns} ${addressedRow(args, 'file')}
    left join file_version version on version.space_id = file.space_id and version.file_id = file.id
      and version.version = ${args.version} ${actorJoins}`,
)

/** What a variant needs of a version of a file, and the variant; its columns are null if it does not exist yet. */
export interface FileVariantRow
  extends AddressedFileRow,
    StoredBytes,
    Pick<FileRow, 'path' | 'version' | 'updated_at'> {
  readonly variant_data: Buffer | null
  readonly variant_type: string | null
  readonly variant_failure: string | null
}

/**
 * A version of the file at an address, the latest unless `version` is given, with a variant of it. The variant is not
 * looked up for an image whose digest is `held`, and its bytes are omitted for versions that the caller has.
 */
export const readFileVariant = pageStatement<
  AddressArgs & { version: number | null; name: string; known: readonly number[]; held: Buffer | null },
  FileVariantRow
>(
  'read_file_variant',
  (args) => sql`
    select ${addressedColumns(args, 'file')}, file.path, version.version, ${bytesColumns},
      version.created_at as updated_at,
      case when version.version = any(${args.known}::int[]) then null else variant.data end as variant_data,
      variant.content_type as variant_type, variant.failure as variant_failure ${addressedRow(args, 'file')}
    left join file_version version on version.space_id = file.space_id and version.file_id = file.id
      and version.version = coalesce(${args.version}::int, file.version)
    left join blob_variant variant on variant.digest = version.digest and variant.name = ${args.name}
      and version.digest is distinct from ${args.held}::bytea`,
)

export interface VersionArgs extends StoredBytes {
  readonly spaceId: number
  readonly path: string
  readonly versionId: string
  readonly actorId: string
  readonly now: Date
}

export interface WrittenRow {
  readonly file_id: number
  readonly version: number
}

function versionValues(a: VersionArgs): RawBuilder<unknown> {
  return sql`${a.versionId}::uuid, ${a.digest}::bytea, ${a.size}::bigint, ${a.content_type}, ${a.width}::int,
    ${a.height}::int,
    ${a.now}::timestamptz, ${a.actorId}::uuid`
}

const VERSION_COLUMNS = sql`space_id, file_id, version, id, digest, size, content_type, width, height, created_at,
  created_by`

/** Acquires the address and creates the file with its first version; no row: there is a file already. */
export const insertFile = write(
  'insert_file',
  (a: VersionArgs) => sql<WrittenRow>`
    with taken as (
      insert into file_address (space_id, path, file_id) values (${a.spaceId}, ${a.path}, nextval('file_id'))
      on conflict (space_id, path) do update set file_id = excluded.file_id, moved_space_id = null, moved_file_id = null
        where file_address.file_id is null
      returning space_id, path, file_id, last_version + 1 as version
    ), made as (
      insert into file (space_id, id, path, version, created_at, created_by, updated_at, updated_by)
      select space_id, file_id, path, version, ${a.now}::timestamptz, ${a.actorId}::uuid, ${a.now}::timestamptz,
        ${a.actorId}::uuid
      from taken
    )
    insert into file_version (${VERSION_COLUMNS})
    select space_id, file_id, version, ${versionValues(a)} from taken
    returning file_id, version`,
)

/** Adds a version to the file if its version is still `expected`; no row: it is not. */
export const insertVersion = write(
  'insert_file_version',
  (a: VersionArgs & { fileId: number; expected: number }) => sql<WrittenRow>`
    with changed as (
      update file set version = version + 1, updated_at = ${a.now}::timestamptz, updated_by = ${a.actorId}::uuid
      where space_id = ${a.spaceId} and id = ${a.fileId} and version = ${a.expected}
        and path = ${a.path} and deleted_at is null
      returning space_id, id as file_id, version
    )
    insert into file_version (${VERSION_COLUMNS})
    select space_id, file_id, version, ${versionValues(a)} from changed
    returning file_id, version`,
)

/** The version with this id at an address, if an earlier attempt of the same write stored it. */
export const findWritten = read(
  'find_written_file',
  (a: Pick<VersionArgs, 'spaceId' | 'path' | 'versionId'>) => sql<WrittenRow>`
    select version.file_id, version.version from file_address address
    join file_version version on version.space_id = address.space_id and version.file_id = address.file_id
    where address.space_id = ${a.spaceId} and address.path = ${a.path} and version.id = ${a.versionId}::uuid`,
)
