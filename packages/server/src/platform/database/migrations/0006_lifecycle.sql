-- The trash, addresses that pages have left, and slugs that spaces have left.

-- In the trash: the page holds its id, history and metadata, but no address; `path` is where it stood.
alter table page add column deleted_at timestamptz(3);
alter table page add column deleted_by uuid references principal (id);
create index page_trash on page (space_id, deleted_at, id) where deleted_at is not null;
create index page_trash_path on page (space_id, path, deleted_at) where deleted_at is not null;
create index page_trash_due on page (deleted_at) where deleted_at is not null;

-- The page that moved away from here, wherever it stands now: so no chain of redirects can come to be.
alter table page_address add column moved_space_id bigint;
alter table page_address add column moved_page_id bigint;
create index page_address_moved on page_address (moved_space_id, moved_page_id) where moved_page_id is not null;

-- Its keys do not count while its page is in the trash. On this row, so that a patch that waited for it sees that.
alter table page_metadata add column in_trash boolean not null default false;

-- A page that moves to another space takes all that refers to it along.
alter table revision drop constraint revision_space_id_page_id_fkey;
alter table revision add constraint revision_space_id_page_id_fkey
  foreign key (space_id, page_id) references page (space_id, id) on delete cascade on update cascade;
alter table page_search drop constraint page_search_space_id_page_id_fkey;
alter table page_search add constraint page_search_space_id_page_id_fkey
  foreign key (space_id, page_id) references page (space_id, id) on delete cascade on update cascade;
alter table link drop constraint link_space_id_page_id_fkey;
alter table link add constraint link_space_id_page_id_fkey
  foreign key (space_id, page_id) references page (space_id, id) on delete cascade on update cascade;
