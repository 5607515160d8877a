-- The language of a space decides by which stems its pages are found, unless a page names its own (`lang`).
alter table space add column language text not null default 'en';
alter table space_template add column space_language text not null default 'en';

-- The languages that pages of a space name, for the stems of queries. Rows are added when a page is indexed.
create table space_language (
  space_id bigint not null references space (id) on delete cascade,
  language text collate "C" not null,
  primary key (space_id, language)
);

-- A log of pages whose search text may be out of date. Writers only add rows, so that none waits for another one; the
-- service indexes the pages in the background (content/pages/reindex.ts) and deletes the rows that it has read.
create table search_pending (
  id bigint generated always as identity,
  space_id bigint not null,
  page_id bigint not null,
  primary key (space_id, page_id, id),
  foreign key (space_id, page_id) references page (space_id, id) on delete cascade on update cascade
);
create index search_pending_id on search_pending (id);

-- A space may be noted again while it is indexed: then `fence` is another one, and the work begins anew. It begins once
-- all transactions before `horizon` have ended, whose pages may have been indexed by the former settings.
alter table reindexing add column fence integer not null default 0, add column horizon xid8;
