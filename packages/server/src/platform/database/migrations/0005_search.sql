-- What pages are found by. Apart from the pages, so that these stay small and are not rewritten with it.
-- The words are made by the service: the index is the same on every server, whatever its locale and extensions.

create table page_search (
  space_id bigint not null,
  page_id bigint not null,
  title tsvector not null,
  -- Title and body.
  words tsvector not null,
  primary key (space_id, page_id),
  foreign key (space_id, page_id) references page (space_id, id) on delete cascade on update cascade
);
alter table page_search alter title set storage main;
alter table page_search alter words set storage external;
create index page_search_title on page_search using gin (title) with (fastupdate = off);
create index page_search_words on page_search using gin (words) with (fastupdate = off);
