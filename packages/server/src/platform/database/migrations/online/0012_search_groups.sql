-- Outside a transaction: writers go on while the index is built.
drop index concurrently if exists page_search_found;
create index concurrently page_search_found on page_search
  using gin ((array[- space_id, page_id >> 11, (page_id >> 16) + 1125899906842624]), title, words) with (fastupdate = off);
drop index concurrently if exists page_search_title;
drop index concurrently if exists page_search_words;
