import { type Db, queryRows } from '../../../platform/database/database.ts'
import type { PackedRevision } from './fold.ts'

interface PageKey {
  readonly spaceId: number
  readonly pageId: number
}

export interface RevisionSizeRow {
  readonly version: number
  readonly id: string
  readonly base: number | null
  readonly bytes: number
}

/** The revisions of a page up to a version, the newest one first. */
export async function listRevisionSizes(
  db: Db,
  { spaceId, pageId, upTo, limit }: PageKey & { readonly upTo: number; readonly limit: number },
): Promise<RevisionSizeRow[]> {
  return queryRows<RevisionSizeRow>(db)`
    select version, id, base, octet_length(data) as bytes from revision
    where space_id = ${spaceId} and page_id = ${pageId} and version <= ${upTo} order by version desc limit ${limit}`
}

/** Some revisions of a page, the newest one first. */
export async function listPacked(
  db: Db,
  { spaceId, pageId, versions }: PageKey & { readonly versions: readonly number[] },
): Promise<PackedRevision[]> {
  return queryRows<PackedRevision>(db)`
    select version, base, data, size from revision
    where space_id = ${spaceId} and page_id = ${pageId} and version = any(${versions}::int[]) order by version desc`
}
