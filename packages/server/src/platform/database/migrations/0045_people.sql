-- People sign in with an e-mail address and a password; one-time links let them choose it.

-- In lower case. Agents, and people who only use keys or an identity provider, have none.
alter table principal add column email text;

create table password (
  principal_id uuid primary key references principal (id),
  -- argon2id, with its parameters and salt (PHC string format).
  hash text not null,
  changed_at timestamptz(3) not null
);

-- A link is used once: the transaction that uses it deletes it.
create table one_time_link (
  -- SHA-256 of the token.
  hash bytea primary key,
  -- What it lets its holder do: set up the first account, or choose a new password.
  purpose text not null check (purpose in ('setup', 'password')),
  principal_id uuid not null references principal (id),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index one_time_link_principal on one_time_link (principal_id);
create index one_time_link_expires on one_time_link (expires_at);

-- Where a session was opened, so that its owner recognises it. Absent for sessions of older releases.
alter table session add column address text, add column user_agent text;
