-- Files: bytes at a path of a space, in a namespace of their own beside the pages. A file has versions, a trash and redirects as a page has.

create sequence file_id;

-- Which file is at a path, and the highest version that was ever there; the file that moved away from here, wherever it is now.
create table file_address (
  space_id bigint not null references space (id),
  path text collate "C" not null,
  file_id bigint,
  last_version integer not null default 0,
  moved_space_id bigint,
  moved_file_id bigint,
  primary key (space_id, path)
);
create index file_address_taken on file_address (space_id, path) where file_id is not null;
create index file_address_moved on file_address (moved_space_id, moved_file_id) where moved_file_id is not null;

create table file (
  space_id bigint not null references space (id),
  id bigint not null,
  -- Where it is, or was when it was deleted.
  path text collate "C" not null,
  version integer not null,
  created_at timestamptz(3) not null,
  created_by uuid not null references principal (id),
  updated_at timestamptz(3) not null,
  updated_by uuid not null references principal (id),
  deleted_at timestamptz(3),
  deleted_by uuid references principal (id),
  primary key (space_id, id)
);
create index file_trash on file (space_id, deleted_at, id) where deleted_at is not null;
create index file_trash_path on file (space_id, path, deleted_at) where deleted_at is not null;
create index file_trash_due on file (deleted_at) where deleted_at is not null;

-- The blobs that the files of a space refer to: a blob counts once for the quota of the space.
create table space_blob (
  space_id bigint not null references space (id),
  digest bytea not null,
  size bigint not null,
  primary key (space_id, digest)
);
create index space_blob_digest on space_blob (digest);

create table file_version (
  space_id bigint not null,
  file_id bigint not null,
  version integer not null,
  -- Made before the first attempt to write the version, so that a lost response to COMMIT is resolved by looking for it.
  id uuid not null,
  -- SHA-256 of the bytes.
  digest bytea not null,
  size bigint not null,
  content_type text not null,
  width integer,
  height integer,
  created_at timestamptz(3) not null,
  created_by uuid not null references principal (id),
  primary key (space_id, file_id, version),
  foreign key (space_id, file_id) references file (space_id, id) on update cascade on delete cascade,
  foreign key (space_id, digest) references space_blob (space_id, digest)
);
create index file_version_digest on file_version (space_id, digest);

-- Bytes by their SHA-256, once for all spaces. Rows that refer to a blob lock it, so that the sweep removes none that is in use.
create table blob (
  digest bytea primary key,
  -- The upload that brought the bytes: the key of their chunks.
  upload_id uuid not null unique,
  size bigint not null,
  created_at timestamptz(3) not null
);

create table blob_chunk (
  upload_id uuid not null,
  seq integer not null,
  data bytea not null,
  primary key (upload_id, seq)
);
-- Most files are compressed already.
alter table blob_chunk alter column data set storage external;

-- Uploads whose bytes belong to no blob yet, or to none any more: the sweep deletes those whose lease has ended.
create table blob_upload (
  id uuid primary key,
  leased_until timestamptz not null
);
create index blob_upload_due on blob_upload (leased_until);
