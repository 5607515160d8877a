-- Outside a transaction: columns and an index of a table in use.

-- Which version of a page somebody said to be right, and until when (decisions, section 15).
-- Everybody else would queue after a change of the table that waits: it is tried again.
set lock_timeout = 500;
alter table page add column if not exists verified_version integer, add column if not exists verified_by uuid,
  add column if not exists verified_at timestamptz(3), add column if not exists verified_until timestamptz(3);
set lock_timeout = 0;
-- The report of a space by path.
drop index concurrently if exists page_verified;
create index concurrently page_verified on page (space_id, path) where verified_version is not null and deleted_at is null;
