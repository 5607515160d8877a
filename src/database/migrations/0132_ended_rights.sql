-- Ends a transaction whose caller may no longer do what it began (src/access/reauthorization.ts).
create function authorization_ended() returns integer language plpgsql as $$
begin
  raise exception 'The caller may no longer do this.' using errcode = 'RO002';
end $$;

-- An admin has asked the work to end.
alter table job add column cancelled_at timestamptz(3);
