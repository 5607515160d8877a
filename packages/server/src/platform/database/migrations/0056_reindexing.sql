-- The search index has new rules: stems, parts of names, paths, headings and front matter. Here the work is only noted: the
-- service indexes page by page in the background (content/pages/reindex.ts), so that no writer waits for it.

-- Spaces whose pages are to be indexed again, each with the last page that is done; no row: nothing is left to do.
create table reindexing (
  space_id bigint primary key references space (id) on delete cascade,
  page_id bigint not null default 0
);
insert into reindexing select id from space where exists (select from page where page.space_id = space.id);
