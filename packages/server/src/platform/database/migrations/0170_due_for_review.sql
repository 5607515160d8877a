-- Verifications that end are told to who verified (decisions, section 15): up to when they were.
alter table notification_cursor add column due_at timestamptz not null default now();
create index page_verified_until on page (verified_until) where verified_until is not null and deleted_at is null;
