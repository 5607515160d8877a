-- Whether callers without an account find the pages of a public space by their metadata.
alter table space add column public_metadata boolean not null default false;

-- The words of metadata are taken from the index of spaces that are public already.
insert into reindexing (space_id) select id from space where visibility = 'public'
on conflict (space_id) do update set page_id = 0, horizon = null, fence = reindexing.fence + 1;
