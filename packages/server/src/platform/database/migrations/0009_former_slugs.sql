-- Slugs that spaces had once: they lead to the space until another one takes them.
create table former_slug (
  slug text collate "C" primary key,
  space_id bigint not null references space (id)
);
create index former_slug_space on former_slug (space_id);
