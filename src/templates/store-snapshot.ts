import { sql } from 'kysely'
import type { Db } from '../database/database.ts'

/** How many pages a space has, and how many bytes their bodies have. */
export async function sizeOfSpace(
  db: Db,
  spaceId: number,
): Promise<{ readonly pages: number; readonly bytes: number }> {
  const { rows } = await sql<{ pages: number; bytes: number }>`
    select count(*) as pages, coalesce(sum(r.size), 0)::bigint as bytes
    from page_address a
    join page p on p.space_id = a.space_id and p.id = a.page_id
    join revision r on r.space_id = p.space_id and r.page_id = p.id and r.version = p.version
    where a.space_id = ${spaceId} and a.page_id is not null`.execute(db)
  return rows[0] ?? { pages: 0, bytes: 0 }
}

export interface WholePageRow {
  readonly path: string
  /** Bytes of the body, and the body packed. */
  readonly size: number
  readonly data: Buffer
  readonly metadata: string | null
}

/** The pages of a space as they are at one moment, in the order of their paths. */
export async function readWholeSpace(db: Db, spaceId: number, limit: number): Promise<WholePageRow[]> {
  const { rows } = await sql<WholePageRow>`
    select p.path, r.size, coalesce(p.body, r.data) as data, nullif(m.doc, '{}')::text as metadata
    from page_address a
    join page p on p.space_id = a.space_id and p.id = a.page_id
    join revision r on r.space_id = p.space_id and r.page_id = p.id and r.version = p.version
    left join page_metadata m on m.space_id = p.space_id and m.page_id = p.id
    where a.space_id = ${spaceId} and a.page_id is not null
    order by a.path limit ${limit}`.execute(db)
  return rows
}
