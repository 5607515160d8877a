-- Outside a transaction: an index of a table in use.

-- Verifications that end are told to who verified (decisions, section 15): up to when they were.
alter table notification_cursor add column if not exists due_at timestamptz not null default now();
drop index concurrently if exists page_verified_until;
create index concurrently page_verified_until on page (verified_until) where verified_until is not null and deleted_at is null;
