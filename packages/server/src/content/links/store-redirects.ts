import { sql } from 'kysely'
import { type AccessSubject, memberJoin, rankIn } from '../../access/visibility.ts'
import type { Db } from '../../platform/database/database.ts'

/** An address that redirects to a page or file which the caller can read. */
export interface RedirectRow {
  readonly path: string
  /** Of a page. */
  readonly address_id: number | null
  readonly moved_space_id: number
  readonly moved_id: number
  readonly to_space: string
  readonly to_path: string
}

/** The redirects at some addresses of a space, in the order of their paths: they end where a page or file comes to one. */
export async function listRedirects(
  db: Db,
  subject: AccessSubject,
  kind: 'page' | 'file',
  { spaceId, paths }: { readonly spaceId: number; readonly paths: readonly string[] },
): Promise<RedirectRow[]> {
  if (paths.length === 0) return []
  const { rows } = await sql<RedirectRow>`
    select address.path, ${kind === 'page' ? sql`address.id` : sql`null`} as address_id, moved.space_id as moved_space_id,
      moved.id as moved_id, coalesce(space.slug, 'personal') as to_space, moved.path as to_path
    from ${sql.table(`${kind}_address`)} address
    join ${sql.table(kind)} moved on moved.space_id = address.moved_space_id
      and moved.id = ${sql.ref(`address.moved_${kind}_id`)} and moved.deleted_at is null
    join space on space.id = moved.space_id ${memberJoin(subject)}
    where address.space_id = ${spaceId} and address.path = any(${paths}::text[])
      and ${sql.ref(`address.${kind}_id`)} is null and ${rankIn(subject)} >= 1
    order by address.path`.execute(db)
  return rows
}
