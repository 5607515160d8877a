import { sql } from 'kysely'
import { write } from '../database/statement.ts'

/**
 * Writes events, and a pending delivery for each enabled webhook that subscribed to them; none from personal spaces.
 * Returns a row if there is something to deliver. The id of a delivery (UUIDv7) has the time of its event.
 */
export const insertEvents = write(
  'insert_events',
  (args: { readonly rows: string }) => sql<{ delivery: number }>`
    with given as materialized (
      select * from jsonb_to_recordset(${args.rows}::jsonb) as e (id uuid, kind text, space_id bigint, page_id bigint,
        actor_id uuid, at timestamptz, data jsonb, slug text, head text, tail text[])
    ), noted as (
      insert into event (id, kind, space_id, page_id, actor_id, at, data)
      select id, kind, space_id, page_id, actor_id, at, data from given
    ), delivery as (
      insert into webhook_delivery (space_id, webhook_id, id, event, body, due_at, created_at)
      select g.space_id, w.id, delivery.id, g.kind,
        g.head || w.id || '","deliveryId":"' || delivery.id || array_to_string(g.tail, place.slug), now(), now()
      from webhook w
      join given g on g.kind = any(w.events) or '*' = any(w.events)
      left join space on space.id = g.space_id
      -- The space of an event space.deleted may not exist any more; a personal one has no slug.
      cross join lateral (select case when space.id is null then g.slug else space.slug end as slug) place
      -- It refers to both, so that it is evaluated for each pair.
      cross join lateral (
        select (left(g.id::text, 15) || substr(gen_random_uuid()::text, 16))::uuid as id where w.id is not null
      ) delivery
      where w.enabled and place.slug is not null and (w.space_slug is null or w.space_slug = place.slug)
      returning 1
    )
    select 1 as delivery from delivery limit 1`,
)
