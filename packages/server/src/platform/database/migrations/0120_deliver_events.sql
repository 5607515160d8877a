-- Writes a pending delivery of each event for each enabled webhook that subscribed to it; none from personal spaces. Returns whether there is one.
-- The id of a delivery (UUIDv7) has the time of its event. A function, so that a write prepares nothing of this while no webhook exists.
create function deliver_events(recorded jsonb) returns boolean language plpgsql as $$
begin
  insert into webhook_delivery (space_id, webhook_id, id, event, body, due_at, created_at)
  select given.space_id, webhook.id, delivery.id, given.kind,
    given.head || webhook.id || '","deliveryId":"' || delivery.id || array_to_string(given.tail, place.slug), now(), now()
  from webhook
  join jsonb_to_recordset(recorded) as given (id uuid, kind text, space_id bigint, slug text, head text, tail text[])
    on given.kind = any(webhook.events) or '*' = any(webhook.events)
  left join space on space.id = given.space_id
  -- The space of an event space.deleted may not exist any more; a personal one has no slug.
  cross join lateral (select case when space.id is null then given.slug else space.slug end as slug) place
  -- It refers to both, so that it is evaluated for each pair.
  cross join lateral (
    select (left(given.id::text, 15) || substr(gen_random_uuid()::text, 16))::uuid as id where webhook.id is not null
  ) delivery
  where webhook.enabled and place.slug is not null and (webhook.space_slug is null or webhook.space_slug = place.slug);
  return found;
end $$;
