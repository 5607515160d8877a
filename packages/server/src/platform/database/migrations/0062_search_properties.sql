-- Pages are found by the values of their metadata. The text of pages that have some is made again in the background.
insert into reindexing (space_id) select id from space where exists (select from page_metadata where page_metadata.space_id = space.id)
  on conflict (space_id) do update set page_id = 0, horizon = null, fence = reindexing.fence + 1;
