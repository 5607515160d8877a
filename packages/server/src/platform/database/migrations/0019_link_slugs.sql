-- A link names a space by a slug, and means the space that has the slug now: the slug is kept as it is written. Empty: a
-- relative link, or one that the release before this one wrote; the rebuild of 0017 writes those anew.
alter table link add column slug text collate "C" not null default '';
-- One page may link to one address by several slugs. The release before this one knows one row for each address, and writes
-- beside this one: so the primary key stays, and of the other rows it is a negative number, and the address is here.
alter table link add column address_id bigint;
-- Links by the address that they mean. `link_target` serves the release before this one; a later release drops it.
create index link_address on link (target_space_id, coalesce(address_id, target_id), space_id, page_id);
