-- Outside a transaction: writers go on while the index is built.
set lock_timeout = '500ms';
alter table link add column if not exists slug text collate "C" not null default '';
set lock_timeout = 0;
drop index concurrently if exists link_address;
create unique index concurrently link_address on link (space_id, page_id, target_id, slug);
set lock_timeout = '500ms';
alter table link drop constraint link_pkey, add constraint link_pkey primary key using index link_address;
insert into link_rebuild (id, status, created_at, created_by, lease_until)
select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || '7' || substr(md5(random()::text), 1, 3)
    || '8' || substr(md5(random()::text), 1, 15))::uuid, 'running', now(), p.id, '-infinity'
from (select id from principal order by created_at limit 1) p
where exists (select 1 from link)
on conflict (coalesce(space_id, 0)) where status = 'running' do update set at_space_id = 0, at_page_id = 0;
