-- The entries of a changed row first go to the pending list of its index, and are sorted into the index with those of some 25 pages (64 kB, the
-- least there is): in one pass for each word, where every page passed once for each of its words. Searches read the list as well.
alter index page_search_found set (fastupdate = on, gin_pending_list_limit = 64);
alter index page_metadata_doc set (fastupdate = on, gin_pending_list_limit = 64);

-- A compare-and-swap that fails calls this in place of the value that it did not find. So the statements behind it, and the commit, can be sent with
-- it: none of them runs.
create function overtaken() returns integer language plpgsql as $$
begin
  raise exception 'Another writer was faster. The write starts again.' using errcode = 'RO001';
end $$;
