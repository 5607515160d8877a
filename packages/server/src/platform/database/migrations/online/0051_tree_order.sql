-- Outside a transaction: writers go on while the index is built.
drop index concurrently if exists page_address_tree;
create index concurrently page_address_tree on page_address (space_id, (tree_key(path) collate "C")) where page_id is not null;
