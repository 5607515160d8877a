-- The other place of a move, beside `data`, which all readers of an event see: where the page or file came from (`page.moved`, `file.moved`), or
-- where it went (`page.deleted`, `file.deleted` in the space that it left).
alter table event add column other_space_id bigint, add column other_path text;
-- When a private space was opened to the organisation: what was there before is not told to those who read it since then.
alter table space add column opened_at timestamp(3) with time zone;
-- Moves of files have a kind of their own.
update webhook set events = array_append(events, 'file.moved') where 'file.updated' = any(events);

-- As before, and of moves: `from` is told where it lies in what the webhook covers. What leaves a space is deleted for the webhooks of that space, and
-- for all others where it goes to a personal space; these are told of its arrival elsewhere.
create or replace function deliver_events(recorded jsonb) returns boolean language plpgsql as $$
begin
  insert into webhook_delivery (space_id, webhook_id, id, event, body, due_at, created_at)
  select given.space_id, webhook.id, delivery.id, given.kind,
    given.head || webhook.id || '","deliveryId":"' || delivery.id || array_to_string(given.tail, place.slug) || origin.member, now(), now()
  from webhook
  join jsonb_to_recordset(recorded) as given (id uuid, kind text, space_id bigint, slug text, head text, tail text[],
      other_space_id bigint, other_path text, leaves boolean)
    on given.kind = any(webhook.events) or '*' = any(webhook.events)
  left join space on space.id = given.space_id
  left join space other on other.id = given.other_space_id
  -- The space of an event space.deleted may not exist any more; a personal one has no slug.
  cross join lateral (select case when space.id is null then given.slug else space.slug end as slug) place
  -- The end of a body whose `tail` is left open for it.
  cross join lateral (
    select case when given.other_path is null or given.leaves then '' else
      case when other.slug is not null and (webhook.space_slug is null or webhook.space_slug = other.slug)
        then ',"from":{"space":"' || other.slug || '","path":' || to_json(given.other_path) || '}' else '' end || '}' end as member
  ) origin
  -- It refers to both, so that it is evaluated for each pair.
  cross join lateral (
    select (left(given.id::text, 15) || substr(gen_random_uuid()::text, 16))::uuid as id where webhook.id is not null
  ) delivery
  where webhook.enabled and place.slug is not null and (webhook.space_slug is null or webhook.space_slug = place.slug)
    and (given.leaves is not true or webhook.space_slug is not null or other.slug is null);
  return found;
end $$;
