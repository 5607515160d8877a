-- Outside a transaction: indexes of tables in use.

-- The sort key of a text, a time and a count, as those of metadata (sort-key.ts). Their bodies are immutable, so
-- that the planner inlines them: a call for each index of a write would cost more than the entry.
create or replace function field_key(value text) returns bytea immutable parallel safe language sql
  return '\x03'::bytea || decode(replace("left"(value, 200), '\', '\\'), 'escape');
create or replace function field_key(value timestamptz) returns bytea immutable parallel safe language sql
  return '\x02'::bytea
    || "substring"(int8send(floor(extract(epoch from value - timestamptz '1970-01-01 00:00:00+00'))::bigint + 1099511627776), 3)
    || decode(rtrim(lpad((floor(extract(milliseconds from value - timestamptz '1970-01-01 00:00:00+00'))::int % 1000)::text, 3, '0'), '0'), 'escape');
create or replace function field_key(value integer) returns bytea immutable parallel safe language sql
  return '\x01'::bytea || set_byte(float8send(value::float8), 0, get_byte(float8send(value::float8), 0) | 128);

drop index concurrently if exists page_title;
create index concurrently page_title on page ((field_key(title))) include (space_id, id);
drop index concurrently if exists page_created;
create index concurrently page_created on page ((field_key(created_at))) include (space_id, id);
drop index concurrently if exists page_updated;
create index concurrently page_updated on page ((field_key(updated_at))) include (space_id, id);
drop index concurrently if exists page_creator;
create index concurrently page_creator on page ((uuid_send(created_by))) include (space_id, id);
drop index concurrently if exists page_editor;
create index concurrently page_editor on page ((uuid_send(updated_by))) include (space_id, id);
drop index concurrently if exists page_path;
create index concurrently page_path on page ((field_key(path))) include (space_id, id);
