-- Change requests: changes of a space that are not made yet (decisions, section 15).
create table change_request (
  space_id bigint not null references space (id) on delete cascade,
  number integer not null,
  title text not null,
  description text not null,
  state text not null default 'open' check (state in ('open', 'merged', 'closed')),
  -- Counts the changes of the request and of its drafts: it is the ETag.
  version integer not null default 1,
  author_id uuid not null references principal (id),
  via uuid default nullif(current_setting('recto.via', true), '')::uuid,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  ended_at timestamptz(3),
  ended_by uuid references principal (id),
  primary key (space_id, number)
);
create index change_request_author on change_request (author_id) where state = 'open';
create index change_request_ended on change_request (ended_at) where state <> 'open';

-- What a request makes of one page. What is null stays as it is in the page.
create table draft (
  space_id bigint not null,
  number integer not null,
  id bigint generated always as identity,
  -- Null: the request creates the page.
  page_id bigint,
  -- Of a page that the request creates or moves; null: the page stays where it is.
  path text collate "C",
  version integer not null default 1,
  -- Where the page was, and in which version, when it was changed first.
  base_path text collate "C",
  base_version integer,
  is_deleted boolean not null default false,
  -- A body with what is derived from it.
  revision_id uuid,
  body bytea,
  title text,
  frontmatter text,
  note text,
  -- Operations on metadata in their order, and the value of each key before the first one.
  operations jsonb not null default '[]',
  base_values jsonb not null default '{}',
  authors uuid[] not null,
  created_at timestamptz(3) not null,
  created_by uuid not null references principal (id),
  created_via uuid default nullif(current_setting('recto.via', true), '')::uuid,
  updated_at timestamptz(3) not null,
  updated_by uuid not null references principal (id),
  updated_via uuid default nullif(current_setting('recto.via', true), '')::uuid,
  -- The revision that the merge made.
  merged_version integer,
  primary key (space_id, number, id),
  foreign key (space_id, number) references change_request (space_id, number) on delete cascade
);
create unique index draft_path on draft (space_id, number, path) where merged_version is null;
create unique index draft_page on draft (space_id, number, page_id) where merged_version is null;
create index draft_of_page on draft (space_id, page_id);

-- Revisions that merges made: who wrote them is in the revision, who merged them is here.
create table merged_revision (
  space_id bigint not null,
  page_id bigint not null,
  version integer not null,
  -- The page may have moved to another space since.
  request_space_id bigint not null,
  number integer not null,
  merged_by uuid not null references principal (id),
  authors uuid[] not null,
  primary key (space_id, page_id, version),
  foreign key (space_id, page_id, version) references revision (space_id, page_id, version) on delete cascade on update cascade
);

-- Who may open change requests in a space.
alter table space add column proposals text not null default 'readers' check (proposals in ('readers', 'editors', 'off'));
