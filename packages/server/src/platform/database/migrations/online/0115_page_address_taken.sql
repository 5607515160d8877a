-- Outside a transaction: writers go on while the index is built, and readers use the old one until then.
drop index concurrently if exists page_address_taken_new;
create index concurrently page_address_taken_new on page_address (space_id, path) include (page_id) where page_id is not null;
drop index concurrently if exists page_address_taken;
alter index page_address_taken_new rename to page_address_taken;
