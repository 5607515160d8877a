import { sql } from 'kysely'
import type { Actor } from '../../access/caller.ts'
import { viaName } from '../../access/via.ts'
import { type Db, queryRows } from '../../platform/database/database.ts'
import type { Op } from './patch.ts'

export interface EventRow {
  readonly seq: number
  readonly key: string
  readonly op: Op
  readonly existed: boolean
  readonly previous: unknown
  readonly previous_length: number | null
  readonly length: number | null
  /** The value before the next event of the key that did not append, or the current one. */
  readonly later: unknown
  readonly actor: Actor
  readonly created_at: Date
}

/** The audit events of a page, or of one key, newest first. */
export async function listEvents(
  db: Db,
  page: {
    readonly spaceId: number
    readonly pageId: number
    readonly key: string | undefined
    readonly before: number | undefined
    readonly limit: number
  },
): Promise<EventRow[]> {
  return queryRows<EventRow>(db)`
    select event.seq, event.key, event.op, event.existed, event.previous, event.previous_length, event.length,
      event.created_at,
      json_strip_nulls(json_build_object('id', author.id, 'name', author.name, 'kind', author.kind, 'via',
        ${viaName('event.via')})) as actor,
      case when next.seq is null then document.doc -> event.key else next.previous end as later
    from metadata_event event
    join page_metadata document on document.space_id = event.space_id and document.page_id = event.page_id
    join principal author on author.id = event.actor_id
    left join lateral (
      select seq, previous from metadata_event next
      where next.space_id = event.space_id and next.page_id = event.page_id and next.key = event.key
        and next.seq > event.seq
        and next.previous_length is null
      order by next.seq limit 1
    ) next on true
    where event.space_id = ${page.spaceId} and event.page_id = ${page.pageId}
      ${page.key === undefined ? sql`` : sql`and event.key = ${page.key}`}
      ${page.before === undefined ? sql`` : sql`and event.seq < ${page.before}`}
    order by event.seq desc limit ${page.limit}`
}
