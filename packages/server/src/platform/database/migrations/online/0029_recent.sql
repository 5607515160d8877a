-- Outside a transaction: writers go on while the indexes are built.
drop index concurrently if exists page_recent_path;
create index concurrently page_recent_path on page (updated_at, path);
drop index concurrently if exists page_recent_path_in_space;
create index concurrently page_recent_path_in_space on page (space_id, updated_at, path);
drop index concurrently if exists page_recent;
drop index concurrently if exists page_recent_in_space;
