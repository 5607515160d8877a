-- The lists of pages by path read this index alone.
drop index page_address_taken;
create index page_address_taken on page_address (space_id, path) include (page_id) where page_id is not null;
