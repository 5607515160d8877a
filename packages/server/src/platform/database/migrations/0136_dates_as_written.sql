-- Values such as `2026-01` and `2026-11-27T10:00:00+0000` are dates now: their entries in metadata_entry get the sort keys of dates in the
-- background (content/pages/index-metadata.ts), with the same pass over all documents as the elements of arrays.
insert into element_indexing select true where exists (select from page_metadata)
on conflict (singleton) do update set space_id = 0, page_id = 0;
