-- Which version of a page somebody said to be right, and until when (decisions, section 15).
-- As for `created_by`, no foreign key.
alter table page add column verified_version integer, add column verified_by uuid,
  add column verified_at timestamptz(3), add column verified_until timestamptz(3);
-- The report of a space by path.
create index page_verified on page (space_id, path) where verified_version is not null and deleted_at is null;
