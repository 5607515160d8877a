-- Sessions of browsers, sign-in by other identity providers, and the log of administrative acts.

create table session (
  id uuid primary key,
  principal_id uuid not null references principal (id),
  -- SHA-256 of the cookie's value.
  hash bytea not null unique,
  -- The key that was signed in with: the session allows no more than it, and ends with it. Absent after OpenID Connect.
  key_id uuid references api_key (id),
  created_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index session_principal on session (principal_id);
create index session_expires on session (expires_at);

-- Who a principal is at an OpenID Connect provider.
create table identity (
  issuer text not null,
  subject text not null,
  principal_id uuid not null references principal (id),
  created_at timestamptz(3) not null,
  primary key (issuer, subject)
);
create index identity_principal on identity (principal_id);

-- Administrative acts, each written in the transaction of the act. Names are kept as they were then.
create table audit_entry (
  id uuid primary key,
  at timestamptz(3) not null,
  action text not null,
  actor_id uuid not null references principal (id),
  target_type text not null,
  target_id text not null,
  target_name text not null,
  details jsonb not null default '{}',
  -- Where the request came from; absent for acts of the service itself.
  address text
);
create index audit_entry_at on audit_entry (at, id);
create index audit_entry_actor on audit_entry (actor_id, at, id);
create index audit_entry_action on audit_entry (action, at, id);
create index audit_entry_target on audit_entry (target_id, at, id);

-- Lists of principals and keys go by id, which goes by time.
create index api_key_live on api_key (principal_id, id) where revoked_at is null;
create index principal_admins on principal (id) where role = 'admin' and disabled_at is null;
