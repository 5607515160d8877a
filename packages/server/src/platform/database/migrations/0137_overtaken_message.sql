-- A compare-and-swap that fails calls this (0136_schema.sql): the log of PostgreSQL has the message.
create or replace function overtaken() returns integer language plpgsql as $$
begin
  raise exception 'The row has changed since it was read. The transaction is rolled back and repeated.' using errcode = 'RO001';
end $$;
