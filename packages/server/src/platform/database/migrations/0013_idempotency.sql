-- Requests that came with an Idempotency-Key. The id is a digest of method, address and key. `done` is set in the
-- transaction of the change, often with the answer; an attempt that died before it holds the key until its lease ends.

create table idempotency (
  principal_id uuid not null references principal (id) on delete cascade,
  id bytea not null,
  -- SHA-256 of the body and its type: the same key with another body is a mistake.
  fingerprint bytea not null,
  attempt uuid not null,
  leased_until timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  done boolean not null default false,
  status smallint,
  headers jsonb,
  body bytea,
  primary key (principal_id, id)
);
create index idempotency_expires on idempotency (expires_at);
