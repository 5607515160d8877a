import { sql } from 'kysely'
import { write } from '../database/statement.ts'
import type { Tx } from '../database/transaction.ts'
import { uuid7 } from '../lib/encoding/uuid7.ts'
import { bodyPieces } from './body.ts'
import type { EventsCtx } from './ctx.ts'
import { isSpaceEvent, type NewEvent } from './event.ts'

/** What recording needs of a transaction: who acts, and how the deliveries are woken once it is committed. */
export type EventTx = Pick<Tx, 'db' | 'afterCommit'> & Pick<EventsCtx, 'actor' | 'config' | 'events'>

/**
 * Writes events in the transaction of their change, with a delivery for each subscribed webhook (transactional
 * outbox): they are published if and only if the change is committed.
 */
export async function recordEvents(tx: EventTx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const rows = events.map((event) => {
    const id = uuid7()
    return {
      id,
      kind: event.kind,
      space_id: event.spaceId,
      page_id: event.pageId ?? null,
      actor_id: event.actorId,
      at: event.at,
      data: event.data,
      slug: isSpaceEvent(event) ? event.data.slug : null,
      ...bodyPieces(id, event, tx.actor, tx.config.publicUrl),
    }
  })
  tx.afterCommit(tx.events.wakeReaders)
  await insertEvents.enqueue(tx.db, { rows: JSON.stringify(rows) }, ([delivery]) => {
    // The response to the writer goes first.
    if (delivery) tx.afterCommit(() => setImmediate(tx.events.wakeDeliveries))
  })
}

/**
 * Writes events, and a pending delivery for each enabled webhook that subscribed to them; none from personal spaces.
 * Returns a row if there is something to deliver. The id of a delivery (UUIDv7) has the time of its event.
 */
const insertEvents = write(
  'insert_events',
  (args: { readonly rows: string }) => sql<{ delivery: number }>`
    with given as materialized (
      select * from jsonb_to_recordset(${args.rows}::jsonb) as event (id uuid, kind text, space_id bigint, page_id bigint,
        actor_id uuid, at timestamptz, data jsonb, slug text, head text, tail text[])
    ), inserted as (
      insert into event (id, kind, space_id, page_id, actor_id, at, data)
      select id, kind, space_id, page_id, actor_id, at, data from given
    ), delivery as (
      insert into webhook_delivery (space_id, webhook_id, id, event, body, due_at, created_at)
      select given.space_id, webhook.id, delivery.id, given.kind,
        given.head || webhook.id || '","deliveryId":"' || delivery.id || array_to_string(given.tail, place.slug), now(), now()
      from webhook
      join given on given.kind = any(webhook.events) or '*' = any(webhook.events)
      left join space on space.id = given.space_id
      -- The space of an event space.deleted may not exist any more; a personal one has no slug.
      cross join lateral (select case when space.id is null then given.slug else space.slug end as slug) place
      -- It refers to both, so that it is evaluated for each pair.
      cross join lateral (
        select (left(given.id::text, 15) || substr(gen_random_uuid()::text, 16))::uuid as id where webhook.id is not null
      ) delivery
      where webhook.enabled and place.slug is not null and (webhook.space_slug is null or webhook.space_slug = place.slug)
      returning 1
    )
    select 1 as delivery from delivery limit 1`,
)
