import { sql } from 'kysely'
import type { Db } from '../database/database.ts'

/** The number of pages of a space, and the bytes of their bodies. */
export async function sizeOfSpace(
  db: Db,
  spaceId: number,
): Promise<{ readonly pages: number; readonly bytes: number }> {
  const { rows } = await sql<{ pages: number; bytes: number }>`
    select count(*) as pages, coalesce(sum(revision.size), 0)::bigint as bytes
    from page_address as address
    join page on page.space_id = address.space_id and page.id = address.page_id
    join revision on revision.space_id = page.space_id and revision.page_id = page.id and revision.version = page.version
    where address.space_id = ${spaceId} and address.page_id is not null`.execute(db)
  return rows[0] ?? { pages: 0, bytes: 0 }
}

export interface SnapshotPageRow {
  readonly path: string
  /** Size of the body in bytes, and the compressed body. */
  readonly size: number
  readonly data: Buffer
  readonly metadata: string | null
}

/** A consistent snapshot of the pages of a space, by path. */
export async function readAllPages(db: Db, spaceId: number, limit: number): Promise<SnapshotPageRow[]> {
  const { rows } = await sql<SnapshotPageRow>`
    select page.path, revision.size, coalesce(page.body, revision.data) as data,
      nullif(metadata.doc, '{}')::text as metadata
    from page_address as address
    join page on page.space_id = address.space_id and page.id = address.page_id
    join revision on revision.space_id = page.space_id and revision.page_id = page.id and revision.version = page.version
    left join page_metadata as metadata on metadata.space_id = page.space_id and metadata.page_id = page.id
    where address.space_id = ${spaceId} and address.page_id is not null
    order by address.path limit ${limit}`.execute(db)
  return rows
}
