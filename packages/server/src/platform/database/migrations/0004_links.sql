-- Links point at addresses, so that a page that appears or goes heals or breaks all links to it by its own row.

create sequence address_id;
alter table page_address add column id bigint not null default nextval('address_id');
create unique index page_address_id on page_address (space_id, id);
create index page_address_missing on page_address (space_id, id) where page_id is null;

-- Digest of the links that are stored of the page; absent: none are, or the page was never looked at.
alter table page add column links_digest bytea;

-- Addresses in spaces that do not exist yet. A space that is made takes over those of its slug, ids and all.
-- Who writes a link to such a space, and who makes one, locks the row of its slug first.
create table unknown_space (
  slug text collate "C" primary key
);
create table unknown_address (
  slug text collate "C" not null,
  path text collate "C" not null,
  id bigint not null unique default nextval('address_id'),
  primary key (slug, path)
);

-- One row for each page and each address that it links to. No foreign key to the address: those who link to one
-- address would queue for its row.
create table link (
  space_id bigint not null,
  page_id bigint not null,
  -- Absent while the space does not exist.
  target_space_id bigint,
  target_id bigint not null,
  -- Of the first of equal links: its place among all links of the page, its line and its text.
  ord integer not null,
  line integer not null,
  text text not null,
  -- The others: [[ord, line, text], ...].
  more jsonb,
  primary key (space_id, page_id, target_id),
  foreign key (space_id, page_id) references page (space_id, id) on delete cascade on update cascade
) with (fillfactor = 90);
create index link_target on link (target_space_id, target_id, space_id, page_id);
create index link_unknown on link (space_id, target_id, page_id) where target_space_id is null;

-- Other spaces that a space links to, or did once: where its broken links may lead.
create table space_link (
  space_id bigint not null,
  target_space_id bigint not null,
  primary key (space_id, target_space_id)
);

create table link_rebuild (
  id uuid primary key,
  -- Absent: all spaces.
  space_id bigint,
  status text not null check (status in ('running', 'done')),
  -- The last page that is done.
  at_space_id bigint not null default 0,
  at_page_id bigint not null default 0,
  pages_scanned bigint not null default 0,
  links_indexed bigint not null default 0,
  created_at timestamptz(3) not null,
  created_by uuid not null references principal (id),
  finished_at timestamptz(3),
  -- Whoever holds the lease works; each new holder has a higher fence, and a lower one writes nothing any more.
  lease_until timestamptz(3) not null,
  fence bigint not null default 0
);
-- One that runs for each scope: who asks again joins it.
create unique index link_rebuild_running on link_rebuild (coalesce(space_id, 0)) where status = 'running';
