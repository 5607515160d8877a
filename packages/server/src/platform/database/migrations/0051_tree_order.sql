-- The pages of a space in the order of the page tree.
create index page_address_tree on page_address (space_id, (tree_key(path) collate "C")) where page_id is not null;
