import { sql } from 'kysely'
import { type AccessSubject, isReadableAt } from '../../access/visibility.ts'
import { type Db, queryRows, type WriteDb } from '../../platform/database/database.ts'
import type { WholeRequest } from './schema.ts'
import type { RequestKey } from './store-reviews.ts'

/** A version of a page that was read for a change request. */
export interface Source {
  readonly space_id: number
  readonly path: string
  readonly version: number
}

const STORED = sql`jsonb_to_recordset(request.based_on) as source (space_id bigint, page_id bigint, version int)`

/** Adds up to 200 sources to an open request of their reader, the latest version of each page. */
export async function addSources(db: WriteDb, { spaceId, number }: RequestKey, readerId: string, sources: Source[]) {
  await sql`update change_request request set based_on = coalesce((
      select jsonb_agg(to_jsonb(latest)) from (
        select distinct on (space_id, page_id) space_id, page_id, version from (
          select * from ${STORED}
          union all
          select address.space_id, address.page_id, source.version
          from jsonb_to_recordset(${JSON.stringify(sources)}::jsonb) as source (space_id bigint, path text, version int)
          join page_address address on address.space_id = source.space_id and address.path = source.path
            and address.page_id is not null
        ) source order by space_id, page_id, version desc limit 200
      ) latest), '[]')
    where space_id = ${spaceId} and number = ${number} and author_id = ${readerId} and state = 'open'`.execute(db)
}

/** The sources of a request that the caller can read, where their pages are now. */
export async function listSources(db: Db, subject: AccessSubject, { spaceId, number }: RequestKey) {
  return queryRows<WholeRequest['basedOn'][number]>(db)`
    select coalesce(space.slug, 'personal') as space, page.path, source.version
    from change_request request cross join lateral ${STORED}
    join page on page.space_id = source.space_id and page.id = source.page_id and page.deleted_at is null
    join space on space.id = page.space_id
    where request.space_id = ${spaceId} and request.number = ${number}
      and ${isReadableAt(subject, 'page.space_id', 'page.path')}
    order by space.slug, page.path collate "C"`
}
