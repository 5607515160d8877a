-- Connected apps: OAuth 2.1 clients that act for a person.

-- Clients that registered themselves (RFC 7591). Those with a metadata document have no row.
create table oauth_client (
  id text primary key,
  -- As JSON.
  metadata text not null,
  created_at timestamptz(3) not null,
  -- When somebody first connected it; before that it expires soon.
  used_at timestamptz(3),
  expires_at timestamptz(3) not null
);
create index oauth_client_unused on oauth_client (created_at) where used_at is null;
create index oauth_client_expires on oauth_client (expires_at);

-- What a person allowed an app (the grant of OAuth).
create table app_connection (
  id uuid primary key,
  principal_id uuid not null references principal (id),
  client_id text not null,
  client_name text not null,
  -- Where the app has its authorization codes sent.
  redirect_uri text not null,
  -- The resource of its access tokens (RFC 8707): MCP alone, or the whole API.
  audience text not null check (audience in ('mcp', 'api')),
  scopes text[] not null,
  -- What the app asked for: a scope that it has not asked for yet can be asked for later.
  requested_scopes text[] not null,
  -- Null: all spaces that the person may access.
  space_ids bigint[],
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  -- Until a token is issued this is the end of the authorization code, then that of the last token.
  expires_at timestamptz(3) not null,
  ended_at timestamptz(3)
);
create index app_connection_principal on app_connection (principal_id, id);
create index app_connection_client on app_connection (client_id);
create index app_connection_unused on app_connection (expires_at) where last_used_at is null;

create table oauth_token (
  -- SHA-256 of the token.
  hash bytea primary key,
  kind text not null check (kind in ('AuthorizationCode', 'AccessToken', 'RefreshToken')),
  connection_id uuid not null references app_connection (id) on delete cascade,
  scopes text[] not null,
  -- What the authorization server knows of it, as JSON.
  payload text not null,
  -- Codes and refresh tokens are used once.
  consumed_at timestamptz(3),
  expires_at timestamptz(3) not null
);
create index oauth_token_connection on oauth_token (connection_id);
create index oauth_token_expires on oauth_token (expires_at);

-- Authorization requests that wait for the consent of a person.
create table oauth_interaction (
  -- SHA-256 of its id.
  hash bytea primary key,
  payload text not null,
  expires_at timestamptz(3) not null
);
create index oauth_interaction_expires on oauth_interaction (expires_at);
