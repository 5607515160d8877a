-- A link names a space by a slug, and means the space that has the slug now: the slug is kept as it is written. Empty: a
-- relative link, or one of a row from before, which the rebuild below writes anew.
set local maintenance_work_mem = '256MB';
alter table link add column slug text collate "C" not null default '';
-- One page may link to one address by several slugs. Building this index is all that writers wait for.
create unique index link_address on link (space_id, page_id, target_id, slug);
alter table link drop constraint link_pkey;
alter table link add constraint link_pkey primary key using index link_address;

insert into link_rebuild (id, status, created_at, created_by, lease_until)
select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || '7' || substr(md5(random()::text), 1, 3)
    || '8' || substr(md5(random()::text), 1, 15))::uuid, 'running', now(), p.id, '-infinity'
from (select id from principal order by created_at limit 1) p
where exists (select 1 from link)
on conflict (coalesce(space_id, 0)) where status = 'running' do update set at_space_id = 0, at_page_id = 0;
