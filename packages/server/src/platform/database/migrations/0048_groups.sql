-- Groups of principals; a group has roles in spaces as a principal has.

create table principal_group (
  id uuid primary key,
  name text not null,
  description text not null,
  -- The provisioning service that keeps its name and members; null: admins do.
  managed_by text check (managed_by in ('scim')),
  -- Its id at the provider.
  external_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
-- Providers name groups, so that no two have the same name.
create unique index principal_group_name on principal_group (lower(name));

create table group_member (
  principal_id uuid not null references principal (id),
  group_id uuid not null references principal_group (id) on delete cascade,
  -- Who added the member: sign-ins with OpenID Connect remove only what they added.
  source text not null check (source in ('admin', 'oidc', 'scim')),
  created_at timestamptz(3) not null,
  primary key (principal_id, group_id)
);
create index group_member_group on group_member (group_id, principal_id);

create table space_group (
  space_id bigint not null references space (id) on delete cascade,
  group_id uuid not null references principal_group (id) on delete cascade,
  role text not null check (role in ('viewer', 'editor', 'admin')),
  created_at timestamptz(3) not null,
  primary key (space_id, group_id)
);
create index space_group_group on space_group (group_id, space_id);

create table invitation_group (
  invitation_id uuid not null references invitation (id) on delete cascade,
  group_id uuid not null references principal_group (id) on delete cascade,
  primary key (invitation_id, group_id)
);
create index invitation_group_group on invitation_group (group_id);
