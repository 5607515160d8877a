-- Invitations: whoever holds the link of one becomes a member of the organisation and of some spaces.

create table invitation (
  id uuid primary key,
  -- In lower case; the new member signs in with it.
  email text not null,
  role text not null check (role in ('admin', 'member')),
  -- SHA-256 of the link's token.
  hash bytea not null unique,
  invited_by uuid not null references principal (id),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- The transaction that sets it makes the account: a link is used once.
  accepted_at timestamptz(3)
);
create index invitation_expires on invitation (expires_at);

create table invitation_space (
  invitation_id uuid not null references invitation (id) on delete cascade,
  space_id bigint not null references space (id) on delete cascade,
  role text not null check (role in ('viewer', 'editor', 'admin')),
  primary key (invitation_id, space_id)
);
create index invitation_space_space on invitation_space (space_id, invitation_id);
