-- Pages that were changed within one millisecond are listed by path, which callers see, not by their ids. The order of the
-- previous release is served by the first column as well.
create index page_recent_path on page (updated_at, path);
create index page_recent_path_in_space on page (space_id, updated_at, path);
drop index page_recent;
drop index page_recent_in_space;
