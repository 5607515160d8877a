-- The names that people put first in a folder (the empty path: the space), in their order; all others follow in the order of the tree.
create table page_order (
  space_id bigint not null references space (id) on delete cascade,
  folder text collate "C" not null,
  names text[] collate "C" not null,
  primary key (space_id, folder)
);
