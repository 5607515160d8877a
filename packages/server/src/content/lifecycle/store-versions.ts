import { type RawBuilder, sql } from 'kysely'
import type { Resource } from '../../access/resource.ts'

/** The version that is copied to, by the columns or values of a statement. `note` is that of a revision of a page. */
export interface VersionCopy {
  readonly version: RawBuilder<unknown>
  readonly id: RawBuilder<unknown>
  /** The version whose restoration the copy is; null: it is none. Of pages. */
  readonly restoredFrom: RawBuilder<unknown>
  readonly note: string
  readonly now: Date
  readonly actorId: string
}

/** The beginning of a statement that copies versions, up to `from`: the row that is copied is `version`. */
export function copyVersion(resource: Resource, { version, id, restoredFrom, note, now, actorId }: VersionCopy) {
  const timeAndActor = sql`${now}::timestamptz, ${actorId}::uuid`
  return resource === 'page'
    ? sql`insert into revision
        (space_id, page_id, version, id, title, note, size, base, data, restored_from, created_at, created_by)
      select version.space_id, version.page_id, ${version}, ${id}, version.title, ${note}, version.size, version.base,
        version.data, ${restoredFrom}, ${timeAndActor}`
    : sql`insert into file_version
        (space_id, file_id, version, id, digest, size, content_type, width, height, created_at, created_by)
      select version.space_id, version.file_id, ${version}, ${id}, version.digest, version.size, version.content_type,
        version.width, version.height, ${timeAndActor}`
}
