-- Deliveries and audit entries hold their space, so that all that grows can be distributed by it. 0: of the organisation, or a
-- webhook test. -1: not known yet, as of rows from before and of those that nodes of an older release insert; the service
-- looks these up in the background (content/spaces/store-log-spaces.ts), and finds them at the start of the key.
alter table webhook_delivery add column space_id bigint not null default -1;
create index webhook_delivery_webhook on webhook_delivery (webhook_id, id);
create unique index webhook_delivery_space on webhook_delivery (space_id, webhook_id, id);

alter table audit_entry add column space_id bigint not null default -1;
create unique index audit_entry_space on audit_entry (space_id, id);
