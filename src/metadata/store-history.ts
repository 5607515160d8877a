import { sql } from 'kysely'
import type { Actor } from '../access/caller.ts'
import type { Db } from '../database/database.ts'
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
  const { rows } = await sql<EventRow>`
    select e.seq, e.key, e.op, e.existed, e.previous, e.previous_length, e.length, e.created_at,
      json_build_object('id', u.id, 'name', u.name, 'kind', u.kind) as actor,
      case when n.seq is null then d.doc -> e.key else n.previous end as later
    from metadata_event e
    join page_metadata d on d.space_id = e.space_id and d.page_id = e.page_id
    join principal u on u.id = e.actor_id
    left join lateral (
      select seq, previous from metadata_event n
      where n.space_id = e.space_id and n.page_id = e.page_id and n.key = e.key and n.seq > e.seq
        and n.previous_length is null
      order by n.seq limit 1
    ) n on true
    where e.space_id = ${page.spaceId} and e.page_id = ${page.pageId}
      ${page.key === undefined ? sql`` : sql`and e.key = ${page.key}`}
      ${page.before === undefined ? sql`` : sql`and e.seq < ${page.before}`}
    order by e.seq desc limit ${page.limit}`.execute(db)
  return rows
}
