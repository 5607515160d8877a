-- The pages and spaces that people have marked; without `page_id` the space itself. A page keeps its marks when it moves and while it is in the trash.
create table favourite (
  space_id bigint not null references space (id) on delete cascade,
  page_id bigint,
  principal_id uuid not null references principal (id),
  created_at timestamptz(3) not null,
  unique nulls not distinct (space_id, page_id, principal_id),
  foreign key (space_id, page_id) references page (space_id, id) on delete cascade on update cascade
);
create index favourite_principal on favourite (principal_id);
