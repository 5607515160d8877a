-- When the person last proved who they are in this session: by a password, a passkey, a key, or a recent sign-in at the identity provider.
alter table session add column confirmed_at timestamptz;
