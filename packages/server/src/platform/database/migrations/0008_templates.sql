-- Space templates that are not in the repository: snapshots of the organisation, and the last good copy of the remote
-- catalogue. Few and bounded, so their key holds no space.
create table space_template (
  source text collate "C" not null check (source in ('org', 'remote')),
  id text collate "C" not null,
  title text not null,
  description text not null,
  category text not null,
  space_name text not null,
  space_description text not null,
  page_count integer not null,
  -- Of a remote one: the digest of what was fetched, by which an unchanged entry is known.
  digest bytea,
  updated_at timestamptz(3) not null,
  updated_by uuid references principal (id),
  primary key (source, id)
);

create table space_template_page (
  source text collate "C" not null,
  template_id text collate "C" not null,
  path text collate "C" not null,
  -- zstd, like the bodies of revisions.
  body bytea not null,
  metadata text,
  primary key (source, template_id, path),
  foreign key (source, template_id) references space_template (source, id) on delete cascade
);
alter table space_template_page alter body set storage external;

-- Authors of imported revisions. An import proves nothing about who wrote what, so they are principals of their own,
-- disabled and marked as imported, and never matched to an account by name.
create table imported_author (
  name text not null,
  kind text not null check (kind in ('human', 'agent')),
  principal_id uuid not null unique references principal (id),
  primary key (name, kind)
);

-- How the last look at the remote catalogue went.
create table catalogue_fetch (
  url text primary key,
  fetched_at timestamptz(3) not null,
  succeeded_at timestamptz(3),
  problems jsonb not null
);
