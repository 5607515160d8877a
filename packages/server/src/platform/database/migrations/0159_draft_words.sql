-- The search text of a body that is not merged, as `page_search` has that of pages: searches through a change request look it up.
alter table draft add column names tsvector, add column words tsvector;
