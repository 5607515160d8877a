import { sql } from 'kysely'
import type { Tx } from '../database/transaction.ts'
import { uuid7 } from '../lib/uuid7.ts'

export const EVENT_KINDS = [
  'page.created',
  'page.updated',
  'page.deleted',
  'page.restored',
  'page.moved',
  'page.metadata.updated',
  'space.created',
  'space.updated',
  'space.deleted',
] as const
export type EventKind = (typeof EVENT_KINDS)[number]

/** What happened to a page or a space; `data` is what readers of the event are told of it. */
export interface NewEvent {
  readonly kind: EventKind
  readonly spaceId: number
  readonly pageId?: number
  readonly actorId: string
  readonly at: Date
  readonly data: Readonly<Record<string, unknown>>
}

/** Writes events in the transaction of their change, so that they are told if and only if it is committed. */
export async function recordEvents(tx: Pick<Tx, 'db'>, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const rows = events.map((event) => ({
    id: uuid7(),
    kind: event.kind,
    space_id: event.spaceId,
    page_id: event.pageId ?? null,
    actor_id: event.actorId,
    at: event.at,
    data: event.data,
  }))
  await sql`insert into event (id, kind, space_id, page_id, actor_id, at, data)
    select id, kind, space_id, page_id, actor_id, at, data
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as e (id uuid, kind text, space_id bigint, page_id bigint, actor_id uuid, at timestamptz, data jsonb)`.execute(
    tx.db,
  )
}
