-- One index for everything that searches ask of a page at once, so that only pages that meet all of it are visited: its
-- words, its space (negative), and groups of neighbours by id, by which the newest matches are found without the others.
create index page_search_found on page_search
  using gin ((array[- space_id, page_id >> 11, (page_id >> 16) + 1125899906842624]), title, words) with (fastupdate = off);
drop index page_search_title;
drop index page_search_words;
