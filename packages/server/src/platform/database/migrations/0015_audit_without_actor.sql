-- Failed authentications have no actor. Only the catalogue changes: no row is read.
alter table audit_entry alter column actor_id drop not null;
