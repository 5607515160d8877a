-- Sessions of MCP clients before the protocol revision 2026-07-28: their streams and subscriptions.
create table mcp_session (
  id uuid primary key,
  principal_id uuid not null references principal (id),
  -- The stream that gets the notifications: the last one that was opened, on any node.
  stream_id uuid,
  expires_at timestamptz(3) not null
);
create index mcp_session_principal on mcp_session (principal_id, expires_at);
create index mcp_session_expires on mcp_session (expires_at);

create table mcp_subscription (
  session_id uuid not null references mcp_session (id) on delete cascade,
  -- A page or a space, such as `docs/setup`.
  resource text not null,
  -- As the client wrote it.
  uri text not null,
  primary key (session_id, resource)
);
