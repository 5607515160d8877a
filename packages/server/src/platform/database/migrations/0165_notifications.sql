-- Watching and the inbox (decisions, section 15; ADR 36).

-- What the inbox needs of an event; absent in those of releases before.
alter table event add column file_id bigint, add column thread_id uuid, add column mentions uuid[];

-- What somebody watches: a page, a file, a thread, a folder, or without these the space.
create table watch (
  id bigint not null generated always as identity,
  principal_id uuid not null references principal (id) on delete cascade,
  space_id bigint not null references space (id) on delete cascade,
  page_id bigint,
  file_id bigint,
  thread_id uuid,
  prefix text collate "C",
  -- What one watches without asking, and does not want to watch.
  muted boolean not null default false,
  created_at timestamptz(3) not null,
  primary key (space_id, id),
  check (num_nonnulls(page_id, file_id, thread_id, prefix) <= 1),
  unique nulls not distinct (space_id, page_id, file_id, thread_id, prefix, principal_id),
  foreign key (space_id, page_id) references page (space_id, id) on delete cascade on update cascade,
  foreign key (space_id, file_id) references file (space_id, id) on delete cascade on update cascade,
  foreign key (space_id, thread_id) references thread (space_id, id) on delete cascade on update cascade
);
create index watch_principal on watch (principal_id, id);
create index watch_file on watch (space_id, file_id) where file_id is not null;
create index watch_thread on watch (space_id, thread_id) where thread_id is not null;

-- One row for what a person was told of one page, file, thread or change request.
create table notification (
  principal_id uuid not null references principal (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  space_id bigint not null references space (id) on delete cascade,
  page_id bigint,
  file_id bigint,
  thread_id uuid,
  number integer,
  -- Of the change that the last event of a request is about.
  path text collate "C",
  -- The strongest of the unread events, 1 to 6 (store-fan-out.ts).
  reason smallint not null,
  -- The last event, and how many are unread.
  kind text not null,
  actor_id uuid not null,
  via uuid,
  at timestamptz(3) not null,
  events integer not null,
  -- Whether it has told of a mention.
  mentioned boolean not null,
  read_at timestamptz(3),
  primary key (space_id, id),
  check (num_nonnulls(page_id, file_id, thread_id, number) = 1),
  unique nulls not distinct (space_id, page_id, file_id, thread_id, number, principal_id),
  foreign key (space_id, page_id) references page (space_id, id) on delete cascade on update cascade,
  foreign key (space_id, file_id) references file (space_id, id) on delete cascade on update cascade,
  foreign key (space_id, thread_id) references thread (space_id, id) on delete cascade on update cascade,
  foreign key (space_id, number) references change_request (space_id, number) on delete cascade
);
create index notification_at on notification (principal_id, at desc, id);
create index notification_unread on notification (principal_id, at desc, id) where read_at is null;
create index notification_read on notification (read_at) where read_at is not null;
create index notification_file on notification (space_id, file_id) where file_id is not null;
create index notification_thread on notification (space_id, thread_id) where thread_id is not null;
create index notification_request on notification (space_id, number) where number is not null;

-- The last event that the inbox knows: what was before is nobody's news.
create table notification_cursor (
  one boolean primary key default true check (one),
  transaction_id xid8 not null,
  seq bigint not null
);
insert into notification_cursor (transaction_id, seq) values (pg_snapshot_xmin(pg_current_snapshot()), -1);
