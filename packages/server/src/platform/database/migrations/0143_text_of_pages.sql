-- The search index has the text that readers see, from the parsed page: all pages are indexed again in the background.
insert into reindexing (space_id) select id from space
on conflict (space_id) do update set page_id = 0, horizon = null, fence = reindexing.fence + 1;
