-- The elements of arrays in metadata, by which `contains` finds pages without reading their documents. `rank` is the key, a
-- NUL, and the element (content/metadata/elements.ts); of a long array there is one row, without an element.
create table metadata_element (
  space_id bigint not null,
  page_id bigint not null,
  rank bytea not null,
  primary key (space_id, page_id, rank),
  foreign key (space_id, page_id) references page_metadata (space_id, page_id) on delete cascade on update cascade
);
alter table metadata_element alter rank set statistics 1000;
create index metadata_element_rank on metadata_element (rank) include (space_id, page_id);

-- The last page whose elements are in it (content/pages/index-elements.ts); no row: those of all pages are. Until then, documents decide.
create table element_indexing (
  singleton boolean primary key default true check (singleton),
  space_id bigint not null default 0,
  page_id bigint not null default 0
);
insert into element_indexing select true where exists (select from page_metadata);
