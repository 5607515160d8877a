-- People sign in with passkeys (WebAuthn).

create table passkey (
  id uuid primary key,
  principal_id uuid not null references principal (id),
  credential_id bytea not null unique,
  -- COSE.
  public_key bytea not null,
  -- The last signature counter; authenticators that synchronise passkeys keep it at 0.
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);
create index passkey_principal on passkey (principal_id, id);

-- Challenges that were answered: each one counts once.
create table used_challenge (
  challenge bytea primary key,
  expires_at timestamptz(3) not null
);
create index used_challenge_expires on used_challenge (expires_at);
