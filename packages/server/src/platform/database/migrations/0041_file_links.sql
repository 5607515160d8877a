-- Images and links of pages that refer to files, as they are written: what they mean is looked up when they are read.
create table file_link (
  space_id bigint not null,
  page_id bigint not null,
  -- Empty: relative, so that the target is in the space of the page.
  slug text collate "C" not null,
  path text collate "C" not null,
  -- Of the first of equal ones: its place among all links and images of the page, its line and its text.
  ord integer not null,
  line integer not null,
  text text not null,
  -- Whether one of them is a link that means a page where one is at the address, and whether one means a file in any case.
  maybe_page boolean not null,
  surely_file boolean not null,
  primary key (space_id, page_id, slug, path),
  foreign key (space_id, page_id) references page (space_id, id) on delete cascade on update cascade
);
create index file_link_relative on file_link (space_id, path, page_id) where slug = '';
create index file_link_named on file_link (slug, path) where slug <> '';

-- The references of existing pages are read by a rebuild, as 0017 says.
insert into link_rebuild (id, status, created_at, created_by, lease_until)
  select overlay(overlay(gen_random_uuid()::text placing
      regexp_replace(lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0'), '^(.{8})', '\1-') from 1 for 13)
      placing '7' from 15 for 1)::uuid,
    'running', now(), id, 'infinity'
  from principal where exists (select from page) order by created_at, id limit 1
  on conflict (coalesce(space_id, 0)) where status = 'running'
    do update set at_space_id = 0, at_page_id = 0, pages_scanned = 0, links_indexed = 0, lease_until = 'infinity',
      fence = link_rebuild.fence + 1;
