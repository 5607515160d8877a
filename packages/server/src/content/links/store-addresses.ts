import { sql } from 'kysely'
import { type Resource, TABLES } from '../../access/resource.ts'
import { type AccessSubject, isReadable } from '../../access/visibility.ts'
import { type Db, queryRows } from '../../platform/database/database.ts'

/** An address that redirects to a page or file which the caller can read. */
export interface RedirectRow {
  readonly path: string
  /** Of a page; 0: of a file. */
  readonly address_id: number
  readonly moved_space_id: number
  readonly moved_id: number
  readonly to_space: string
  readonly to_path: string
}

/** The redirects at some addresses of a space, by path: they end where a page or file comes to one. */
export async function listRedirects(
  db: Db,
  subject: AccessSubject,
  resource: Resource,
  { spaceId, paths }: { readonly spaceId: number; readonly paths: readonly string[] },
): Promise<RedirectRow[]> {
  if (paths.length === 0) return []
  const { rows: row, addresses, id, movedId } = TABLES[resource]
  return queryRows<RedirectRow>(db)`
    select address.path, ${resource === 'page' ? sql`address.id` : sql`0`} as address_id,
      moved.space_id as moved_space_id, moved.id as moved_id, coalesce(space.slug, 'personal') as to_space,
      moved.path as to_path
    from ${addresses} address
    join ${row} moved on moved.space_id = address.moved_space_id and moved.id = address.${movedId}
      and moved.deleted_at is null
    join space on space.id = moved.space_id
    where address.space_id = ${spaceId} and address.path = any(${paths}::text[])
      and address.${id} is null and ${isReadable(subject, 'moved.space_id', 'moved.path')}
    order by address.path`
}

/** The paths of a space that pages or files have. */
export async function listTaken(
  db: Db,
  resource: Resource,
  { spaceId, paths }: { readonly spaceId: number; readonly paths: readonly string[] },
): Promise<{ readonly path: string; readonly id: number }[]> {
  if (paths.length === 0) return []
  const { addresses, id } = TABLES[resource]
  return queryRows<{ path: string; id: number }>(db)`
    select path, ${id} as id from ${addresses}
    where space_id = ${spaceId} and path = any(${paths}::text[]) and ${id} is not null
    order by path`
}
