-- Outside a transaction: writers go on while the index is built.
set lock_timeout = '500ms';
alter table link add column if not exists slug text collate "C" not null default '',
  add column if not exists address_id bigint;
set lock_timeout = 0;
drop index concurrently if exists link_address;
create index concurrently link_address on link (target_space_id, coalesce(address_id, target_id), space_id, page_id);
