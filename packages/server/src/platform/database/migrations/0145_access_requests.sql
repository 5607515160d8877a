-- Requests for access to a space, or to a page or file of it (`path`), that is hidden from the person.
create table access_request (
  id uuid primary key,
  space_id bigint not null references space (id),
  path text collate "C" not null,
  principal_id uuid not null references principal (id),
  note text not null,
  created_at timestamptz(3) not null,
  unique (space_id, principal_id, path)
);
create index access_request_created on access_request (created_at);
-- Whether people may ask the admins of a space for access.
alter table space add column access_requests boolean not null default true;
