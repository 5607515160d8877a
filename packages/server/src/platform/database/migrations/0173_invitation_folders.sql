-- The folders to which a guest is invited. No column of invitation_space: nodes of the previous release would give the space.
create table invitation_folder (
  invitation_id uuid not null references invitation (id) on delete cascade,
  space_id bigint not null references space (id) on delete cascade,
  prefix text collate "C" not null,
  role text not null check (role in ('viewer', 'editor')),
  primary key (invitation_id, space_id, prefix)
);
create index invitation_folder_space on invitation_folder (space_id, invitation_id);
