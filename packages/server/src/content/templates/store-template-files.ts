import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { sql } from 'kysely'
import { isOpen } from '../../access/visibility.ts'
import { type Db, queryRows } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import type { StoredBytes } from '../files/file.ts'

type Writing = Pick<Tx, 'db'>

interface Template {
  readonly source: string
  readonly id: string
}

export interface TemplateFileRow extends StoredBytes {
  readonly path: string
}

export async function listTemplateFiles(db: Db, { source, id }: Template): Promise<TemplateFileRow[]> {
  return queryRows<TemplateFileRow>(db)`
    select path, digest, size, content_type, width, height from space_template_file
    where source = ${source} and template_id = ${id} order by path`
}

/**
 * Replaces the files of a template by the latest versions of those of a space, at most so many; returns their number.
 * Blobs are locked before there is a reference, as the sweep requires.
 */
export async function putTemplateFiles(
  tx: Writing,
  { source, id }: Template,
  from: { readonly spaceId: number; readonly limit: number },
): Promise<number> {
  await sql`delete from space_template_file where source = ${source} and template_id = ${id}`.execute(tx.db)
  const rows = await queryRows(tx.db)`
    insert into space_template_file (source, template_id, path, digest, size, content_type, width, height)
    select ${source}, ${id}, address.path, version.digest, version.size, version.content_type, version.width,
      version.height
    from file_address as address
    join file on file.space_id = address.space_id and file.id = address.file_id
    join file_version as version on version.space_id = file.space_id and version.file_id = file.id
      and version.version = file.version
    join blob on blob.digest = version.digest
    where address.space_id = ${from.spaceId} and address.file_id is not null
      and ${isOpen(from.spaceId, 'address.space_id', 'address.path')}
    order by blob.digest limit ${from.limit} for share of blob
    returning 1`
  return rows.length
}

/** The files of a template, whose blobs are locked until the transaction ends. */
export async function lockTemplateFiles(tx: Writing, { source, id }: Template): Promise<TemplateFileRow[]> {
  return queryRows<TemplateFileRow>(tx.db)`
    select given.path, given.digest, given.size, given.content_type, given.width, given.height
    from space_template_file as given join blob on blob.digest = given.digest
    where given.source = ${source} and given.template_id = ${id}
    order by given.digest for share of blob`
}

/** Creates files in a new space; returns their ids by path. */
export async function insertFiles(
  tx: Writing,
  files: readonly TemplateFileRow[],
  by: { readonly spaceId: number; readonly actorId: string; readonly now: Date },
): Promise<ReadonlyMap<string, number>> {
  const { spaceId, actorId, now } = by
  const rows = await queryRows<{ path: string; file_id: number }>(tx.db)`
    with given as (
      select * from unnest(${files.map(({ path }) => path)}::text[], ${files.map(() => uuid7())}::uuid[],
        ${files.map(({ digest }) => digest)}::bytea[], ${files.map(({ size }) => size)}::bigint[],
        ${files.map((file) => file.content_type)}::text[], ${files.map(({ width }) => width)}::int[],
        ${files.map(({ height }) => height)}::int[]) as given (path, version_id, digest, size, content_type,
          width, height)
    ), taken as (
      insert into file_address (space_id, path, file_id) select ${spaceId}::bigint, path, nextval('file_id') from given
      returning path, file_id
    ), made as (
      insert into file (space_id, id, path, version, created_at, created_by, updated_at, updated_by)
      select ${spaceId}::bigint, file_id, path, 1, ${now}::timestamptz, ${actorId}::uuid, ${now}::timestamptz,
        ${actorId}::uuid
      from taken
    ), referenced as (
      insert into space_blob (space_id, digest, size) select distinct ${spaceId}::bigint, digest, size from given
    ), versions as (
      insert into file_version (space_id, file_id, version, id, digest, size, content_type, width, height, created_at,
        created_by)
      select ${spaceId}::bigint, taken.file_id, 1, given.version_id, given.digest, given.size, given.content_type,
        given.width,
        given.height, ${now}::timestamptz, ${actorId}::uuid
      from taken join given on given.path = taken.path collate "C"
    )
    select path, file_id from taken`
  return new Map(rows.map((row) => [row.path, row.file_id]))
}
