-- Smaller images that were made of a blob, for all files that have its bytes.
create table blob_variant (
  digest bytea not null references blob (digest) on delete cascade,
  -- Its width and format, such as `640.avif`.
  name text not null,
  -- Who makes it (a fencing token), and until when the others wait for that.
  claim uuid not null,
  claimed_until timestamptz not null,
  -- The bytes, at most 1 MiB; null until they are made.
  data bytea,
  content_type text,
  width integer,
  height integer,
  -- Why there will be none.
  failure text,
  primary key (digest, name)
);
alter table blob_variant alter column data set storage external;
