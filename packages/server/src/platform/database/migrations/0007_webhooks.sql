-- Subscriptions, and what is sent to them: the deliveries are the queue and the log in one.

create table webhook (
  id uuid primary key,
  url text not null,
  events text[] not null,
  -- Absent: every shared space. The slug, so that a space which is made anew under it is covered again.
  space_slug text collate "C",
  description text,
  enabled boolean not null default true,
  disabled_reason text,
  -- When the failures began that no success has ended yet.
  failing_since timestamptz(3),
  -- Sealed with the key that `secret_key` names: a node with another key leaves this webhook alone.
  secret bytea not null,
  secret_key text not null,
  -- Signs beside the present one until then.
  previous_secret bytea,
  previous_until timestamptz(3),
  created_at timestamptz(3) not null,
  created_by uuid not null references principal (id),
  updated_at timestamptz(3) not null
);

-- No foreign key: what a deleted webhook leaves behind is swept in small batches, and is never sent.
create table webhook_delivery (
  webhook_id uuid not null,
  id uuid not null,
  event text not null,
  -- The bytes that every attempt sends.
  body text not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed', 'blocked')),
  attempts jsonb not null default '[]',
  -- Counts claims and outcomes: whoever lost its lease finds another number and writes nothing.
  claim integer not null default 0,
  -- When the next attempt may begin; while one runs, when its node is taken for dead.
  due_at timestamptz not null,
  created_at timestamptz(3) not null,
  completed_at timestamptz(3),
  primary key (webhook_id, id)
);
create index webhook_delivery_due on webhook_delivery (webhook_id, due_at) where status = 'pending';

-- Work that one node at a time does.
create table lease (
  name text primary key,
  holder uuid not null,
  expires_at timestamptz not null
);
