-- The indexes are there already: nothing is read, and nobody waits.
alter table webhook_delivery drop constraint webhook_delivery_pkey,
  add constraint webhook_delivery_pkey primary key using index webhook_delivery_space;
alter table audit_entry drop constraint audit_entry_pkey,
  add constraint audit_entry_pkey primary key using index audit_entry_space;
