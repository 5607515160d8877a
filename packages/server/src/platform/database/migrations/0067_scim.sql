-- SCIM 2.0 (RFC 7643, 7644): an identity provider keeps people and groups.

-- The one token of the identity provider. The row stays while provisioning is off: then it has no hash.
create table scim_token (
  singleton boolean primary key default true check (singleton),
  id uuid not null,
  -- SHA-256 of the token; null: provisioning is off.
  hash bytea unique,
  hint text not null,
  -- The agent that acts in the audit log.
  principal_id uuid not null references principal (id),
  created_at timestamptz(3) not null,
  created_by uuid not null references principal (id),
  last_used_at timestamptz(3)
);

-- What the identity provider keeps about a person, beside the row of the principal.
create table scim_user (
  principal_id uuid primary key references principal (id),
  user_name text not null,
  -- Its id at the provider.
  external_id text,
  -- `displayName`, `name` and `emails` as they were sent.
  attributes jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- Deleted by the provider: the principal is disabled, and SCIM does not find it any more.
  deleted_at timestamptz(3)
);
create unique index scim_user_name on scim_user (lower(user_name)) where deleted_at is null;
create index scim_user_external_id on scim_user (external_id) where external_id is not null;

-- The verified e-mail address at the last sign-in, by which SCIM finds people who were there before it.
alter table identity add column email text;
