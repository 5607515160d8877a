-- Ends a transaction whose caller may no longer do what it began (packages/server/src/identity/rights/reauthorization.ts).
create function authorization_ended() returns integer language plpgsql as $$
begin
  raise exception 'The caller may no longer do this.' using errcode = 'RO002';
end $$;

-- An admin has asked the work to end.
alter table job add column cancelled_at timestamptz(3);

-- A key that another makes for a person never covers the personal space, nor does what is made with it.
alter table api_key add column personal boolean not null default true;
update api_key set personal = false from principal
  where principal.id = api_key.principal_id and principal.kind = 'human' and api_key.created_by <> api_key.principal_id;
alter table app_connection add column personal boolean not null default true;
