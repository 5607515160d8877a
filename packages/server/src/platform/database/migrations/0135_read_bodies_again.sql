-- Which targets are files has changed, and the order of links and images of one line: the links of existing pages are read again by a
-- rebuild, as 0017 says.
insert into link_rebuild (id, status, created_at, created_by, lease_until)
  select overlay(overlay(gen_random_uuid()::text placing
      regexp_replace(lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0'), '^(.{8})', '\1-') from 1 for 13)
      placing '7' from 15 for 1)::uuid,
    'running', now(), id, 'infinity'
  from principal where exists (select from page) order by created_at, id limit 1
  on conflict (coalesce(space_id, 0)) where status = 'running'
    do update set at_space_id = 0, at_page_id = 0, pages_scanned = 0, links_indexed = 0, lease_until = 'infinity',
      fence = link_rebuild.fence + 1;

-- Titles are shown as the front matter writes them: those of existing revisions are read again, as 0017 says.
insert into retitling select true where exists (select from page)
  on conflict (singleton) do update set space_id = 0, page_id = 0, version = 0;
