-- The rows of a page follow it by triggers instead of foreign keys, whose checks took a sixth of an import, and locked the page each time. Whoever adds
-- such a row holds the lock of the page or of its metadata, so that the page is neither moved nor deleted until that is committed.
create function delete_rows_of_pages() returns trigger language plpgsql as $$
declare
  place bigint;
  ids bigint[];
begin
  -- By keys, whatever the plan of a statement knows about the size of the tables.
  for place, ids in select space_id, array_agg(id) from gone group by space_id loop
    -- The first of them: it waits for patches, which add rows to the others.
    delete from page_metadata where space_id = place and page_id = any(ids);
    delete from metadata_entry where space_id = place and page_id = any(ids);
    delete from metadata_element where space_id = place and page_id = any(ids);
    delete from metadata_event where space_id = place and page_id = any(ids);
    delete from search_pending where space_id = place and page_id = any(ids);
    delete from page_search where space_id = place and page_id = any(ids);
    delete from link where space_id = place and page_id = any(ids);
    delete from file_link where space_id = place and page_id = any(ids);
    delete from revision where space_id = place and page_id = any(ids);
  end loop;
  return null;
end $$;

create function move_rows_of_page() returns trigger language plpgsql as $$
begin
  -- The first of them, as above.
  update page_metadata set space_id = new.space_id where space_id = old.space_id and page_id = old.id;
  update metadata_entry set space_id = new.space_id where space_id = old.space_id and page_id = old.id;
  update metadata_element set space_id = new.space_id where space_id = old.space_id and page_id = old.id;
  update metadata_event set space_id = new.space_id where space_id = old.space_id and page_id = old.id;
  update search_pending set space_id = new.space_id where space_id = old.space_id and page_id = old.id;
  update page_search set space_id = new.space_id where space_id = old.space_id and page_id = old.id;
  update link set space_id = new.space_id where space_id = old.space_id and page_id = old.id;
  update file_link set space_id = new.space_id where space_id = old.space_id and page_id = old.id;
  update revision set space_id = new.space_id where space_id = old.space_id and page_id = old.id;
  return null;
end $$;

create trigger page_deleted after delete on page referencing old table as gone
  for each statement execute function delete_rows_of_pages();
create trigger page_moved after update of space_id on page
  for each row when (old.space_id <> new.space_id) execute function move_rows_of_page();

alter table metadata_entry drop constraint metadata_entry_space_id_page_id_fkey, drop constraint metadata_entry_space_id_page_id_fkey1;
alter table metadata_element drop constraint metadata_element_space_id_page_id_fkey;
alter table metadata_event drop constraint metadata_event_space_id_page_id_fkey;
alter table search_pending drop constraint search_pending_space_id_page_id_fkey;
alter table page_metadata drop constraint page_metadata_space_id_page_id_fkey;
alter table page_search drop constraint page_search_space_id_page_id_fkey;
alter table link drop constraint link_space_id_page_id_fkey;
alter table file_link drop constraint file_link_space_id_page_id_fkey;
alter table revision drop constraint revision_space_id_page_id_fkey;
