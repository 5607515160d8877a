-- Principals are never deleted, so that these references cannot break. Their checks had all writers lock the row of the one who writes most, once for
-- each row; `metadata_event` has no such reference either.
alter table page drop constraint page_created_by_fkey, drop constraint page_updated_by_fkey, drop constraint page_deleted_by_fkey;
alter table revision drop constraint revision_created_by_fkey;
alter table event drop constraint event_actor_id_fkey;

-- The words of a path first go to the pending list of their index, as those of a body do since 0116.
alter index page_address_words set (fastupdate = on, gin_pending_list_limit = 64);
