-- The entries of a changed row first go to the pending list of its index, and are sorted into the index with those of some 25 pages (64 kB, the
-- least there is): in one pass for each word, where every page passed once for each of its words. Searches read the list as well.
alter index page_search_found set (fastupdate = on, gin_pending_list_limit = 64);
alter index page_metadata_doc set (fastupdate = on, gin_pending_list_limit = 64);
