-- Comments (decisions, section 15): threads about a page, a passage of it, a file, a change request or one of its changes.

-- Who comments: all readers with an account, editors, or nobody.
alter table space add column comments text not null default 'readers' check (comments in ('readers', 'editors', 'off'));

-- A thread follows its page or file, into another space, too.
create table thread (
  space_id bigint not null references space (id) on delete cascade,
  id uuid not null,
  page_id bigint,
  file_id bigint,
  -- Of a change request.
  number integer,
  -- A change of the request; it may be withdrawn or deleted later, then the path decides who reads the thread.
  draft_id bigint,
  path text collate "C",
  author_id uuid not null references principal (id),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  resolved_by uuid references principal (id),
  -- { exact, prefix, suffix } in the body as written; null: the thread is about the whole.
  quote jsonb,
  -- Where the quote is, in UTF-16 code units and lines, in the last version that has it.
  place_version integer,
  place_start integer,
  place_end integer,
  start_line integer,
  end_line integer,
  -- The version that was looked at last, and whether it lacks the quote.
  seen_version integer,
  outdated boolean not null default false,
  primary key (space_id, id),
  check (num_nonnulls(page_id, file_id, number) = 1 and (draft_id is null) = (path is null)),
  foreign key (space_id, page_id) references page (space_id, id) on delete cascade on update cascade,
  foreign key (space_id, file_id) references file (space_id, id) on delete cascade on update cascade,
  foreign key (space_id, number) references change_request (space_id, number) on delete cascade
);
create index thread_id on thread (id);
create index thread_page on thread (space_id, page_id, created_at, id) where page_id is not null;
create index thread_file on thread (space_id, file_id, created_at, id) where file_id is not null;
create index thread_request on thread (space_id, number, created_at, id) where number is not null;

create table comment (
  space_id bigint not null,
  thread_id uuid not null,
  id uuid not null,
  author_id uuid not null references principal (id),
  via uuid default nullif(current_setting('recto.via', true), '')::uuid,
  body text not null,
  created_at timestamptz(3) not null,
  edited_at timestamptz(3),
  primary key (space_id, thread_id, id),
  foreign key (space_id, thread_id) references thread (space_id, id) on delete cascade on update cascade
);
create index comment_id on comment (id);
create index comment_author on comment (author_id, created_at);
