-- Titles, front matter and links are read off the bodies by new rules. Here the work is only noted: the service does it
-- revision by revision in the background (pages/retitle.ts, content/links/rebuilder.ts), so that no writer waits for it.

-- The last revision that is done; no row: nothing is left to do.
create table retitling (
  singleton boolean primary key default true check (singleton),
  space_id bigint not null default 0,
  page_id bigint not null default 0,
  version integer not null default 0
);
insert into retitling select true where exists (select from page);

-- A lease until infinity: nodes of the release before this one, which would read links by its rules, do not take the rebuild,
-- and those of this one take it once none of them is connected (content/links/store-rebuild.ts). The fence ends one under way.
-- The id tells the time, as all of them do (UUIDv7).
insert into link_rebuild (id, status, created_at, created_by, lease_until)
  select overlay(overlay(gen_random_uuid()::text placing
      regexp_replace(lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0'), '^(.{8})', '\1-') from 1 for 13)
      placing '7' from 15 for 1)::uuid,
    'running', now(), id, 'infinity'
  from principal where exists (select from page) order by created_at, id limit 1
  on conflict (coalesce(space_id, 0)) where status = 'running'
    do update set at_space_id = 0, at_page_id = 0, pages_scanned = 0, links_indexed = 0, lease_until = 'infinity',
      fence = link_rebuild.fence + 1;
