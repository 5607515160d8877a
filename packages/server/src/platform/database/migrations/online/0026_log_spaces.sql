-- Outside a transaction: writers go on while the indexes are built.
set lock_timeout = '500ms';
alter table webhook_delivery add column if not exists space_id bigint not null default -1;
alter table audit_entry add column if not exists space_id bigint not null default -1;
set lock_timeout = 0;
drop index concurrently if exists webhook_delivery_webhook;
create index concurrently webhook_delivery_webhook on webhook_delivery (webhook_id, id);
drop index concurrently if exists webhook_delivery_space;
create unique index concurrently webhook_delivery_space on webhook_delivery (space_id, webhook_id, id);
drop index concurrently if exists audit_entry_space;
create unique index concurrently audit_entry_space on audit_entry (space_id, id);
