-- Metadata: one document a page is the truth; beside it a table to order and compare by, exact counts, and the audit.

create table page_metadata (
  space_id bigint not null,
  page_id bigint not null,
  doc jsonb not null default '{}',
  -- { key: [time, id of the principal] } of the last change of each key.
  stamps jsonb not null default '{}',
  -- The number of the last audit event.
  last_seq integer not null default 0,
  primary key (space_id, page_id),
  foreign key (space_id, page_id) references page (space_id, id) on delete cascade on update cascade
);
-- Without a pending list: its flush would fall on one unlucky writer.
create index page_metadata_doc on page_metadata using gin (doc jsonb_path_ops) with (fastupdate = off);

-- One row for each key of a page, to order and compare by. `rank` is the key, a NUL, and bytes that order the values: of
-- numbers, then dates, then other strings, then the rest. Key and value are one column, so that the planner knows how the
-- values of each key are spread.
create table metadata_entry (
  space_id bigint not null,
  page_id bigint not null,
  rank bytea not null,
  primary key (space_id, page_id, rank),
  foreign key (space_id, page_id) references page_metadata (space_id, page_id) on delete cascade on update cascade,
  -- By these keys the planner knows that each entry has one page and one document.
  foreign key (space_id, page_id) references page (space_id, id) on delete cascade on update cascade
);
alter table metadata_entry alter rank set statistics 1000;
create index metadata_entry_rank on metadata_entry (rank) include (space_id, page_id);

-- On how many pages of a space a key stands, by the type of its value. A count is the sum of its slots: writers of many
-- pages take any one of them, so that they do not queue for one row. A slot alone may be negative.
create table metadata_key (
  space_id bigint not null references space (id),
  key text collate "C" not null,
  slot smallint not null,
  strings integer not null,
  numbers integer not null,
  booleans integer not null,
  arrays integer not null,
  objects integer not null,
  updated_at timestamptz(3) not null,
  primary key (space_id, key, slot)
) with (fillfactor = 70);

-- The audit. Every value is kept once: by the event that ended it, or in the document. An append ends nothing: it keeps
-- how long the array was before it, and what the value was then is the beginning of what it became.
create table metadata_event (
  space_id bigint not null,
  page_id bigint not null,
  seq integer not null,
  key text collate "C" not null,
  op text not null check (op in ('set', 'append', 'appendUnique', 'delete')),
  existed boolean not null,
  -- The value that a `set` or `delete` ended.
  previous jsonb,
  -- The length of the array that an append made longer.
  previous_length integer,
  -- The length of the value after the event, where that is an array.
  length integer,
  patch_id uuid not null,
  -- A principal; no reference, whose check would have all writers lock the row of the one who writes most.
  actor_id uuid not null,
  created_at timestamptz(3) not null,
  primary key (space_id, page_id, seq),
  foreign key (space_id, page_id) references page_metadata (space_id, page_id) on delete cascade on update cascade
);
create index metadata_event_key on metadata_event (space_id, page_id, key, seq);
