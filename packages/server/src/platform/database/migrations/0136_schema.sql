-- The schema that migrations begin with. Times are timestamptz(3): what the wire shows is what is stored.

-- People, agents, and how they sign in.

create table principal (
  id uuid primary key,
  name text not null,
  kind text not null check (kind in ('human', 'agent')),
  role text not null check (role in ('admin', 'member')),
  disabled_at timestamptz(3),
  created_at timestamptz(3) not null,
  -- In lower case. Agents, and people who only use keys or an identity provider, have none.
  email text,
  -- The account into which this one was merged: it stays as the author of what it wrote.
  merged_into uuid references principal (id)
);
create index principal_admins on principal (id) where role = 'admin' and disabled_at is null;
-- No two accounts have one e-mail address.
create unique index principal_email on principal (email) where email is not null;
create index principal_email_prefix on principal ((email collate "C")) where email is not null;
create index principal_name on principal ((lower(name) collate "C")) where kind = 'human';

create table api_key (
  id uuid primary key,
  principal_id uuid not null references principal (id),
  name text not null,
  hash bytea not null unique,
  hint text not null,
  scopes text[] not null,
  -- Absent: every space that the principal may enter.
  space_ids bigint[],
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  created_at timestamptz(3) not null,
  created_by uuid not null references principal (id),
  -- A key that another makes for a person never covers the personal space, nor does what is made with it.
  personal boolean not null default true
);
-- Lists of principals and keys go by id, which goes by time.
create index api_key_live on api_key (principal_id, id) where revoked_at is null;
create index api_key_principal on api_key (principal_id);

create table session (
  id uuid primary key,
  principal_id uuid not null references principal (id),
  -- SHA-256 of the cookie's value.
  hash bytea not null unique,
  -- The key that was signed in with: the session allows no more than it, and ends with it. Absent after OpenID Connect.
  key_id uuid references api_key (id),
  created_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- Where a session was opened, so that its owner recognises it.
  address text,
  user_agent text,
  -- When the person last proved who they are in this session: by a password, a passkey, a key, or a recent sign-in at
  -- the identity provider.
  confirmed_at timestamptz
);
create index session_expires on session (expires_at);
create index session_principal on session (principal_id);

-- Who a principal is at an OpenID Connect provider.
create table identity (
  issuer text not null,
  subject text not null,
  principal_id uuid not null references principal (id),
  created_at timestamptz(3) not null,
  -- The verified e-mail address at the last sign-in, by which SCIM finds people who were there before it.
  email text,
  primary key (issuer, subject)
);
create index identity_email on identity (email) where email is not null;
create index identity_email_prefix on identity ((email collate "C")) where email is not null;
create index identity_principal on identity (principal_id);

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
create index one_time_link_expires on one_time_link (expires_at);
create index one_time_link_principal on one_time_link (principal_id);

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

-- What people have chosen for themselves: the appearance of the screens, and the first steps that are done or
-- dismissed.
create table person_setting (
  principal_id uuid primary key references principal (id),
  appearance text check (appearance in ('light', 'dark')),
  finished_steps text[] not null default '{}'
);

-- The pictures of people: a small square, made of the image that they uploaded.
create table profile_picture (
  principal_id uuid primary key references principal (id),
  data bytea not null,
  -- SHA-256 of the data.
  digest bytea not null,
  changed_at timestamptz(3) not null
);

-- Administrative acts, each written in the transaction of the act. Names are kept as they were then.
create table audit_entry (
  id uuid not null,
  at timestamptz(3) not null,
  action text not null,
  -- Absent for failed authentications.
  actor_id uuid references principal (id),
  target_type text not null,
  target_id text not null,
  target_name text not null,
  details jsonb not null default '{}',
  -- Where the request came from; absent for acts of the service itself.
  address text,
  -- Entries hold their space, so that all that grows can be distributed by it. 0: of the organisation. -1: not known
  -- yet; the service looks these up in the background (content/spaces/store-log-spaces.ts).
  space_id bigint not null default -1,
  primary key (space_id, id)
);
create index audit_entry_action on audit_entry (action, at, id);
create index audit_entry_actor on audit_entry (actor_id, at, id);
create index audit_entry_at on audit_entry (at, id);
create index audit_entry_target on audit_entry (target_id, at, id);

-- Spaces.

create table space (
  id bigint generated by default as identity primary key,
  slug text collate "C" unique,
  kind text not null check (kind in ('shared', 'personal')),
  name text not null,
  description text not null default '',
  visibility text not null check (visibility in ('org', 'private')),
  default_role text not null check (default_role in ('viewer', 'editor')),
  owner_id uuid unique references principal (id),
  created_at timestamptz(3) not null,
  created_by uuid not null references principal (id),
  updated_at timestamptz(3) not null,
  -- The language of a space decides by which stems its pages are found, unless a page names its own (`lang`).
  language text not null default 'en',
  -- The emoji before the name of a space.
  icon text,
  -- When a private space was opened to the organisation: what was there before is not told to those who read it since
  -- then.
  opened_at timestamptz(3),
  check ((kind = 'personal') = (slug is null)),
  check ((kind = 'personal') = (owner_id is not null))
);

-- Slugs that spaces had once: they lead to the space until another one takes them.
create table former_slug (
  slug text collate "C" primary key,
  space_id bigint not null references space (id)
);
create index former_slug_space on former_slug (space_id);

create table space_member (
  space_id bigint not null references space (id) on delete cascade,
  principal_id uuid not null references principal (id),
  role text not null check (role in ('viewer', 'editor', 'admin')),
  created_at timestamptz(3) not null,
  primary key (space_id, principal_id)
);
create index space_member_principal on space_member (principal_id);

-- Groups of principals; a group has roles in spaces as a principal has. Whoever holds the link of an invitation becomes
-- a member of the organisation and of some spaces.

create table principal_group (
  id uuid primary key,
  name text not null,
  description text not null,
  -- The provisioning service that keeps its name and members; null: admins do.
  managed_by text check (managed_by in ('scim')),
  -- Its id at the provider.
  external_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
-- Providers name groups, so that no two have the same name.
create unique index principal_group_name on principal_group (lower(name));

create table group_member (
  principal_id uuid not null references principal (id),
  group_id uuid not null references principal_group (id) on delete cascade,
  -- Who added the member: sign-ins with OpenID Connect remove only what they added.
  source text not null check (source in ('admin', 'oidc', 'scim')),
  created_at timestamptz(3) not null,
  primary key (principal_id, group_id)
);
create index group_member_group on group_member (group_id, principal_id);

create table space_group (
  space_id bigint not null references space (id) on delete cascade,
  group_id uuid not null references principal_group (id) on delete cascade,
  role text not null check (role in ('viewer', 'editor', 'admin')),
  created_at timestamptz(3) not null,
  primary key (space_id, group_id)
);
create index space_group_group on space_group (group_id, space_id);

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

create table invitation_group (
  invitation_id uuid not null references invitation (id) on delete cascade,
  group_id uuid not null references principal_group (id) on delete cascade,
  primary key (invitation_id, group_id)
);
create index invitation_group_group on invitation_group (group_id);

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

-- What the identity provider keeps about a person.
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
-- People are found by any of their e-mail addresses (SCIM filters).
create index scim_user_emails on scim_user
  using gin ((lower(jsonb_path_query_array(attributes, '$.emails[*].value')::text)::jsonb) jsonb_path_ops)
  where deleted_at is null;
create index scim_user_external_id on scim_user (external_id) where external_id is not null;
create unique index scim_user_name on scim_user (lower(user_name)) where deleted_at is null;
-- People are found by the beginning of their user name, and by their name (SCIM filters), in a database of any
-- collation.
create index scim_user_name_prefix on scim_user ((lower(user_name) collate "C")) where deleted_at is null;

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
create index oauth_client_expires on oauth_client (expires_at);
create index oauth_client_unused on oauth_client (created_at) where used_at is null;

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
  ended_at timestamptz(3),
  personal boolean not null default true
);
create index app_connection_client on app_connection (client_id);
create index app_connection_principal on app_connection (principal_id, id);
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

-- Sessions of MCP clients before the protocol revision 2026-07-28: their streams and subscriptions.
create table mcp_session (
  id uuid primary key,
  principal_id uuid not null references principal (id),
  -- The stream that gets the notifications: the last one that was opened, on any node.
  stream_id uuid,
  expires_at timestamptz(3) not null
);
create index mcp_session_expires on mcp_session (expires_at);
create index mcp_session_principal on mcp_session (principal_id, expires_at);

create table mcp_subscription (
  session_id uuid not null references mcp_session (id) on delete cascade,
  -- A page or a space, such as `docs/setup`.
  resource text not null,
  -- As the client wrote it.
  uri text not null,
  primary key (session_id, resource)
);

-- Pages.

create sequence page_id;
create sequence address_id;

-- The names of a path in the order of the page tree: numbers by their value (2 before 10), letters without case and
-- accents. A name's key is never longer than half as much again as the name, and ends with a digest that keeps equal
-- keys of different names apart: paths below one folder are together. Made of functions that no release of PostgreSQL
-- or of a locale library changes, for an index depends on it.
create function tree_key(path text) returns text[] language plpgsql immutable parallel safe strict as $$
declare
  keys text[] := '{}';
  name text;
  key text;
  digits text;
  rest text;
  at integer;
begin
  foreach name in array string_to_array(path, '/') loop
    key := lower(name collate "C");
    if octet_length(name) > char_length(name) then
      key := lower(regexp_replace(normalize(name, nfd), '[\u0300-\u036f]', '', 'g') collate "C");
      -- Where letters are made of parts, as in Korean, their code points are in order.
      if octet_length(key) > octet_length(name) then key := lower(name collate "C"); end if;
    end if;
    digits := substring(key from '[0-9]+');
    if digits is not null then
      rest := key;
      key := '';
      while digits is not null loop
        at := strpos(rest, digits);
        key := key || left(rest, at - 1);
        rest := substr(rest, at + length(digits));
        digits := coalesce(nullif(ltrim(digits, '0'), ''), '0');
        key := key || chr(47 + length(digits)) || digits;
        digits := substring(rest from '[0-9]+');
      end loop;
      key := key || rest;
    end if;
    keys := keys || (key || chr(1) || left(md5(name), 10));
  end loop;
  return keys;
end $$;

-- An address outlives the page that stands there: its versions never restart.
create table page_address (
  space_id bigint not null references space (id),
  path text collate "C" not null,
  page_id bigint,
  last_version integer not null default 0,
  id bigint not null default nextval('address_id'),
  -- The page that moved away from here, wherever it stands now: so no chain of redirects can come to be.
  moved_space_id bigint,
  moved_page_id bigint,
  primary key (space_id, path)
);
create unique index page_address_id on page_address (space_id, id);
create index page_address_missing on page_address (space_id, id) where page_id is null;
create index page_address_moved on page_address (moved_space_id, moved_page_id) where moved_page_id is not null;
-- The lists of pages by path read this index alone.
create index page_address_taken on page_address (space_id, path) include (page_id) where page_id is not null;
-- The pages of a space in the order of the page tree.
create index page_address_tree on page_address (space_id, (tree_key(path) collate "C")) where page_id is not null;
-- Pages are offered by the words of their paths while someone types. An address is written once for each page that
-- comes to stand there or leaves, not with every revision.
create index page_address_words on page_address
  using gin (to_tsvector('simple', translate(path, '/-_.', '    ')))
  with (fastupdate = on, gin_pending_list_limit = 64) where page_id is not null;

create table page (
  space_id bigint not null references space (id),
  id bigint not null,
  path text collate "C" not null,
  version integer not null,
  revision_id uuid not null,
  title text not null,
  frontmatter text not null default '{}',
  -- The latest body where its revision is a delta; absent where the revision holds it whole.
  body bytea,
  -- The version of the last revision that is held whole.
  keyframe integer not null,
  keyframe_id uuid not null,
  note text,
  created_at timestamptz(3) not null,
  -- A principal. No foreign key: principals are never deleted, and its check would have all writers lock the row of the
  -- principal who writes most, once for each row.
  created_by uuid not null,
  updated_at timestamptz(3) not null,
  updated_by uuid not null,
  -- Digest of the links that are stored of the page; absent: none are, or the page was never looked at.
  links_digest bytea,
  -- In the trash: the page holds its id, history and metadata, but no address; `path` is where it stood.
  deleted_at timestamptz(3),
  deleted_by uuid,
  -- The app through which a person wrote: the connection that `inTransaction` passes on as the setting `recto.via`.
  created_via uuid default nullif(current_setting('recto.via', true), '')::uuid,
  updated_via uuid default nullif(current_setting('recto.via', true), '')::uuid,
  primary key (space_id, id)
);
alter table page alter body set storage external;
-- Pages that were changed within one millisecond are listed by path, which callers see, not by their ids.
create index page_recent_path on page (updated_at, path);
create index page_recent_path_in_space on page (space_id, updated_at, path);
create index page_trash on page (space_id, deleted_at, id) where deleted_at is not null;
create index page_trash_due on page (deleted_at) where deleted_at is not null;
create index page_trash_path on page (space_id, path, deleted_at) where deleted_at is not null;

create table revision (
  space_id bigint not null,
  page_id bigint not null,
  version integer not null,
  id uuid not null,
  title text not null,
  note text,
  -- Bytes of the body.
  size integer not null,
  -- The version whose body is the dictionary of `data`; absent: `data` is whole.
  base integer,
  data bytea not null,
  restored_from integer,
  created_at timestamptz(3) not null,
  created_by uuid not null,
  -- As of `page`.
  via uuid default nullif(current_setting('recto.via', true), '')::uuid,
  primary key (space_id, page_id, version)
);
alter table revision alter data set storage external;

-- The names that people put first in a folder (the empty path: the space), in their order; all others follow in the
-- order of the tree.
create table page_order (
  space_id bigint not null references space (id) on delete cascade,
  folder text collate "C" not null,
  names text[] collate "C" not null,
  primary key (space_id, folder)
);

-- The pages and spaces that people have marked; without `page_id` the space itself. A page keeps its marks when it
-- moves and while it is in the trash.
create table favourite (
  space_id bigint not null references space (id) on delete cascade,
  page_id bigint,
  principal_id uuid not null references principal (id),
  created_at timestamptz(3) not null,
  unique nulls not distinct (space_id, page_id, principal_id),
  foreign key (space_id, page_id) references page (space_id, id) on delete cascade on update cascade
);
create index favourite_principal on favourite (principal_id);

-- The last revision that is done; no row: nothing is left to do.
create table retitling (
  singleton boolean primary key default true check (singleton),
  space_id bigint not null default 0,
  page_id bigint not null default 0,
  version integer not null default 0
);

-- Events, and what is sent to webhooks: the deliveries are the queue and the log in one.

-- What happened, written in the transaction of the change.
create table event (
  seq bigint generated always as identity,
  -- The transaction that wrote it: readers in commit order wait for older transactions to end.
  transaction_id xid8 not null default pg_current_xact_id(),
  id uuid not null,
  kind text not null,
  space_id bigint not null,
  page_id bigint,
  actor_id uuid not null,
  at timestamptz(3) not null,
  data jsonb not null,
  via uuid default nullif(current_setting('recto.via', true), '')::uuid,
  -- The other place of a move, which not all readers of `data` may see: where the page or file came from (`page.moved`,
  -- `file.moved`), or where it went (`page.deleted`, `file.deleted` in the space that it left).
  other_space_id bigint,
  other_path text,
  primary key (space_id, seq)
);
create index event_order on event (transaction_id, seq);

-- The change feed shows no event while an older transaction may still commit one. Transactions of all databases of a
-- server are numbered in one sequence, but those of other databases write no events here: this is the oldest
-- transaction that the feed has to wait for. Every transaction of this database with a lower number has ended, as the
-- snapshot of the calling statement sees it. A statement may ask only once: who still runs is looked up now.
create function feed_horizon() returns xid8 language plpgsql stable as $$
begin
  -- Nothing has waited for long: the locks are not worth reading.
  if not exists (
    select from event
    where transaction_id >= pg_snapshot_xmin(pg_current_snapshot()) and at < now() - interval '200 milliseconds'
  ) then
    return pg_snapshot_xmin(pg_current_snapshot());
  end if;
  -- Whoever ended since the snapshot, or has not locked its number yet, is found in neither view, and is waited for. The views show these
  -- columns to every role.
  return (
    select least(coalesce(min(running), pg_snapshot_xmax(pg_current_snapshot())), pg_current_xact_id_if_assigned())
    from pg_snapshot_xip(pg_current_snapshot()) running
    where not exists (
      select from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted and l.transactionid = running::xid
        and a.datid <> (select oid from pg_database where datname = current_database())
    ) and not exists (
      select from pg_prepared_xacts p where p.transaction = running::xid and p.database <> current_database()
    )
  );
end $$;

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
  -- Signs as well until then.
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
  -- The node that attempts a delivery, as long as others can see by its advisory lock whether it lives; else its claim
  -- ends with the lease alone.
  claimed_by integer,
  -- As of `audit_entry`; 0: a webhook test.
  space_id bigint not null default -1,
  primary key (space_id, webhook_id, id)
);
create index webhook_delivery_claimed on webhook_delivery (claimed_by)
  where status = 'pending' and claimed_by is not null;
create index webhook_delivery_due on webhook_delivery (webhook_id, due_at) where status = 'pending';
-- The log of deliveries is asked for what did not arrive, which is rare among what did.
create index webhook_delivery_unsent on webhook_delivery (webhook_id, id)
  where status in ('failed', 'blocked');
create index webhook_delivery_webhook on webhook_delivery (webhook_id, id);

-- Writes a pending delivery of each event for each enabled webhook that subscribed to it; none from personal spaces.
-- Returns whether there is one. The id of a delivery (UUIDv7) has the time of its event. A function, so that a write
-- prepares nothing of this while no webhook exists. Of moves, `from` is told where it lies in what the webhook covers.
-- What leaves a space is deleted for the webhooks of that space, and for all others where it goes to a personal space;
-- these are told of its arrival elsewhere.
create function deliver_events(recorded jsonb) returns boolean language plpgsql as $$
begin
  insert into webhook_delivery (space_id, webhook_id, id, event, body, due_at, created_at)
  select given.space_id, webhook.id, delivery.id, given.kind,
    given.head || webhook.id || '","deliveryId":"' || delivery.id || array_to_string(given.tail, place.slug) || origin.member, now(), now()
  from webhook
  join jsonb_to_recordset(recorded) as given (id uuid, kind text, space_id bigint, slug text, head text, tail text[],
      other_space_id bigint, other_path text, leaves boolean)
    on given.kind = any(webhook.events) or '*' = any(webhook.events)
  left join space on space.id = given.space_id
  left join space other on other.id = given.other_space_id
  -- The space of an event space.deleted may not exist any more; a personal one has no slug.
  cross join lateral (select case when space.id is null then given.slug else space.slug end as slug) place
  -- The end of a body whose `tail` is left open for it.
  cross join lateral (
    select case when given.other_path is null or given.leaves then '' else
      case when other.slug is not null and (webhook.space_slug is null or webhook.space_slug = other.slug)
        then ',"from":{"space":"' || other.slug || '","path":' || to_json(given.other_path) || '}' else '' end || '}' end as member
  ) origin
  -- It refers to both, so that it is evaluated for each pair.
  cross join lateral (
    select (left(given.id::text, 15) || substr(gen_random_uuid()::text, 16))::uuid as id where webhook.id is not null
  ) delivery
  where webhook.enabled and place.slug is not null and (webhook.space_slug is null or webhook.space_slug = place.slug)
    and (given.leaves is not true or webhook.space_slug is not null or other.slug is null);
  return found;
end $$;

-- Requests, jobs, and work that nodes share.

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

-- What a cluster has leased to its nodes of the requests that each key may send a minute (access/rate-lease.ts).
-- Nothing is lost when a crash of the server empties it: the minute begins anew.
create unlogged table rate_lease (
  key text collate "C" primary key,
  -- When the key's minute began.
  since timestamptz not null,
  used integer not null,
  -- What the last one who asked was given.
  granted integer not null
) with (fillfactor = 50);

-- Work that outlives the request of the person who started it, such as a long import, with its progress.
create table job (
  id uuid primary key,
  principal_id uuid not null references principal (id),
  kind text not null,
  -- What it is about, as the screen shows it.
  subject jsonb not null,
  done integer not null,
  -- Unknown at first.
  total integer,
  -- The result of finished work, or its error.
  result jsonb,
  error jsonb,
  started_at timestamptz(3) not null,
  -- When the node that does the work last said so.
  seen_at timestamptz(3) not null,
  finished_at timestamptz(3),
  -- An admin has asked the work to end.
  cancelled_at timestamptz(3)
);
create index job_principal on job (principal_id, started_at);

-- Work that one node at a time does.
create table lease (
  name text primary key,
  holder uuid not null,
  expires_at timestamptz not null
);

-- A token for each timeline that a primary of this database wrote. A replica that has the token of the present one
-- follows the primary, so that their positions in the log can be compared: after a failover those of a server that was
-- left behind mean something else.
create table timeline (
  id text primary key,
  token uuid not null
);

-- Metadata: one document a page is the truth; with it a table to order and compare by, exact counts, and the audit.

create table page_metadata (
  space_id bigint not null,
  page_id bigint not null,
  doc jsonb not null default '{}',
  -- { key: [time, id of the principal] } of the last change of each key.
  stamps jsonb not null default '{}',
  -- The number of the last audit event.
  last_seq integer not null default 0,
  -- Its keys do not count while its page is in the trash. On this row, so that a patch that waited for it sees that.
  in_trash boolean not null default false,
  primary key (space_id, page_id)
);
-- With a pending list, as page_search_found.
create index page_metadata_doc on page_metadata using gin (doc jsonb_path_ops)
  with (fastupdate = on, gin_pending_list_limit = 64);

-- One row for each key of a page, to order and compare by. `rank` is the key, a NUL, and bytes that order the values:
-- of numbers, then dates, then other strings, then the rest. Key and value are one column, so that the planner knows
-- how the values of each key are spread.
create table metadata_entry (
  space_id bigint not null,
  page_id bigint not null,
  rank bytea not null,
  primary key (space_id, page_id, rank)
);
alter table metadata_entry alter rank set statistics 1000;
create index metadata_entry_rank on metadata_entry (rank) include (space_id, page_id);

-- The elements of arrays in metadata, by which `contains` finds pages without reading their documents. `rank` is the
-- key, a NUL, and the element (content/metadata/elements.ts); of a long array there is one row, without an element.
create table metadata_element (
  space_id bigint not null,
  page_id bigint not null,
  rank bytea not null,
  primary key (space_id, page_id, rank)
);
alter table metadata_element alter rank set statistics 1000;
create index metadata_element_rank on metadata_element (rank) include (space_id, page_id);

-- The last page whose elements are in it (content/pages/index-elements.ts); no row: those of all pages are. Until then,
-- documents decide.
create table element_indexing (
  singleton boolean primary key default true check (singleton),
  space_id bigint not null default 0,
  page_id bigint not null default 0
);

-- On how many pages of a space a key stands, by the type of its value. A count is the sum of its slots: writers of many
-- pages take any one of them, so that they do not queue for one row. A slot alone may be negative.
create table metadata_key (
  space_id bigint not null references space (id),
  key text collate "C" not null,
  slot smallint not null,
  strings integer not null,
  numbers integer not null,
  booleans integer not null,
  arrays integer not null,
  objects integer not null,
  updated_at timestamptz(3) not null,
  primary key (space_id, key, slot)
) with (fillfactor = 70);

-- The audit. Every value is kept once: by the event that ended it, or in the document. An append ends nothing: it keeps
-- how long the array was before it, and what the value was then is the beginning of what it became.
create table metadata_event (
  space_id bigint not null,
  page_id bigint not null,
  seq integer not null,
  key text collate "C" not null,
  op text not null check (op in ('set', 'append', 'appendUnique', 'delete')),
  existed boolean not null,
  -- The value that a `set` or `delete` ended.
  previous jsonb,
  -- The length of the array that an append made longer.
  previous_length integer,
  -- The length of the value after the event, where that is an array.
  length integer,
  patch_id uuid not null,
  -- A principal, as `created_by` of `page`.
  actor_id uuid not null,
  created_at timestamptz(3) not null,
  via uuid default nullif(current_setting('recto.via', true), '')::uuid,
  primary key (space_id, page_id, seq)
);
create index metadata_event_key on metadata_event (space_id, page_id, key, seq);

-- Links point at addresses, so that a page that appears or goes heals or breaks all links to it by its own row.

-- Addresses in spaces that do not exist yet. A space that is made takes over those of its slug, ids and all. Who writes
-- a link to such a space, and who makes one, locks the row of its slug first.
create table unknown_space (
  slug text collate "C" primary key
);

create table unknown_address (
  slug text collate "C" not null,
  path text collate "C" not null,
  id bigint not null unique default nextval('address_id'),
  primary key (slug, path)
);

-- One row for each page and each address that it links to. No foreign key to the address: those who link to one address
-- would queue for its row.
create table link (
  space_id bigint not null,
  page_id bigint not null,
  -- Absent while the space does not exist.
  target_space_id bigint,
  target_id bigint not null,
  -- Of the first of equal links: its place among all links of the page, its line and its text.
  ord integer not null,
  line integer not null,
  text text not null,
  -- The others: [[ord, line, text], ...].
  more jsonb,
  -- A link names a space by a slug, and means the space that has the slug now: the slug is kept as it is written.
  -- Empty: a relative link.
  slug text collate "C" not null default '',
  -- One page may link to one address by several slugs. The first row has the address in `target_id`; the others have a
  -- negative number there, and the address here.
  address_id bigint,
  primary key (space_id, page_id, target_id)
) with (fillfactor = 90);
-- Links by the address that they mean.
create index link_address on link (target_space_id, coalesce(address_id, target_id), space_id, page_id);
create index link_unknown on link (space_id, target_id, page_id) where target_space_id is null;

-- Other spaces that a space links to, or did once: where its broken links may lead.
create table space_link (
  space_id bigint not null,
  target_space_id bigint not null,
  primary key (space_id, target_space_id)
);

create table link_rebuild (
  id uuid primary key,
  -- Absent: all spaces.
  space_id bigint,
  status text not null check (status in ('running', 'done')),
  -- The last page that is done.
  at_space_id bigint not null default 0,
  at_page_id bigint not null default 0,
  pages_scanned bigint not null default 0,
  links_indexed bigint not null default 0,
  created_at timestamptz(3) not null,
  created_by uuid not null references principal (id),
  finished_at timestamptz(3),
  -- Whoever holds the lease works; each new holder has a higher fence, and a lower one writes nothing any more.
  lease_until timestamptz(3) not null,
  fence bigint not null default 0
);
-- One that runs for each scope: who asks again joins it.
create unique index link_rebuild_running on link_rebuild (coalesce(space_id, 0)) where status = 'running';

-- What pages are found by. Apart from the pages, so that these stay small and are not rewritten with it. The words are
-- made by the service: the index is the same on every server, whatever its locale and extensions.

create table page_search (
  space_id bigint not null,
  page_id bigint not null,
  title tsvector not null,
  -- Title and body.
  words tsvector not null,
  primary key (space_id, page_id)
);
alter table page_search alter title set storage main;
alter table page_search alter words set storage external;
-- One index for everything that searches ask of a page at once, so that only pages that meet all of it are visited: its
-- words, its space (negative), and groups of neighbours by id, by which the newest matches are found without the
-- others.
-- New entries first go to the pending list of the index, and are sorted into it with those of some 25 pages (64 kB, the
-- minimum): in one pass for each word, where every page passed once for each of its words. Searches read the list as
-- well.
create index page_search_found on page_search
  using gin ((array[- space_id, page_id >> 11, (page_id >> 16) + 1125899906842624]), title, words)
  with (fastupdate = on, gin_pending_list_limit = 64);

-- A log of pages whose search text may be out of date. Writers only add rows, so that none waits for another one; the
-- service indexes the pages in the background (content/pages/reindex.ts) and deletes the rows that it has read.
create table search_pending (
  id bigint generated always as identity,
  space_id bigint not null,
  page_id bigint not null,
  primary key (space_id, page_id, id)
);
create index search_pending_id on search_pending (id);

-- Spaces whose pages are to be indexed again, each with the last page that is done; no row: nothing is left to do.
create table reindexing (
  space_id bigint primary key references space (id) on delete cascade,
  page_id bigint not null default 0,
  -- A space may be noted again while it is indexed: then `fence` is another one, and the work begins anew. It begins
  -- once all transactions before `horizon` have ended, whose pages may have been indexed by the former settings.
  fence integer not null default 0,
  horizon xid8
);

-- The languages that pages of a space name, for the stems of queries. Rows are added when a page is indexed.
create table space_language (
  space_id bigint not null references space (id) on delete cascade,
  language text collate "C" not null,
  primary key (space_id, language)
);

-- Files: bytes at a path of a space, in a namespace of their own. A file has versions, a trash and redirects as a page
-- has.

create sequence file_id;

-- Which file is at a path, and the highest version that was ever there; the file that moved away from here, wherever it
-- is now.
create table file_address (
  space_id bigint not null references space (id),
  path text collate "C" not null,
  file_id bigint,
  last_version integer not null default 0,
  moved_space_id bigint,
  moved_file_id bigint,
  primary key (space_id, path)
);
create index file_address_moved on file_address (moved_space_id, moved_file_id) where moved_file_id is not null;
create index file_address_taken on file_address (space_id, path) where file_id is not null;

create table file (
  space_id bigint not null references space (id),
  id bigint not null,
  -- Where it is, or was when it was deleted.
  path text collate "C" not null,
  version integer not null,
  created_at timestamptz(3) not null,
  created_by uuid not null references principal (id),
  updated_at timestamptz(3) not null,
  updated_by uuid not null references principal (id),
  deleted_at timestamptz(3),
  deleted_by uuid references principal (id),
  -- As of `page`.
  created_via uuid default nullif(current_setting('recto.via', true), '')::uuid,
  primary key (space_id, id)
);
create index file_trash on file (space_id, deleted_at, id) where deleted_at is not null;
create index file_trash_due on file (deleted_at) where deleted_at is not null;
create index file_trash_path on file (space_id, path, deleted_at) where deleted_at is not null;

-- The blobs that the files of a space refer to: a blob counts once for the quota of the space.
create table space_blob (
  space_id bigint not null references space (id),
  digest bytea not null,
  size bigint not null,
  primary key (space_id, digest)
);
create index space_blob_digest on space_blob (digest);

create table file_version (
  space_id bigint not null,
  file_id bigint not null,
  version integer not null,
  -- Made before the first attempt to write the version, so that a lost response to COMMIT is resolved by looking for
  -- it.
  id uuid not null,
  -- SHA-256 of the bytes.
  digest bytea not null,
  size bigint not null,
  content_type text not null,
  width integer,
  height integer,
  created_at timestamptz(3) not null,
  created_by uuid not null references principal (id),
  via uuid default nullif(current_setting('recto.via', true), '')::uuid,
  primary key (space_id, file_id, version),
  foreign key (space_id, digest) references space_blob (space_id, digest),
  foreign key (space_id, file_id) references file (space_id, id) on delete cascade on update cascade
);
create index file_version_digest on file_version (space_id, digest);

-- Bytes by their SHA-256, once for all spaces. Rows that refer to a blob lock it, so that the sweep removes none that
-- is in use.
create table blob (
  digest bytea primary key,
  -- The upload that brought the bytes: the key of their chunks.
  upload_id uuid not null unique,
  size bigint not null,
  created_at timestamptz(3) not null,
  -- Whether the bytes are in an S3 bucket, in an object that is named by the upload.
  in_s3 boolean not null default false
);

create table blob_chunk (
  upload_id uuid not null,
  seq integer not null,
  data bytea not null,
  primary key (upload_id, seq)
);
-- Most files are compressed already.
alter table blob_chunk alter data set storage external;

-- Uploads whose bytes belong to no blob yet, or to none any more: the sweep deletes those whose lease has ended.
create table blob_upload (
  id uuid primary key,
  leased_until timestamptz not null,
  in_s3 boolean not null default false,
  -- The multipart upload of the bucket, while it is not complete.
  multipart_id text
);
create index blob_upload_due on blob_upload (leased_until);

-- Smaller images that were made of a blob, for all files that have its bytes.
create table blob_variant (
  digest bytea not null references blob (digest) on delete cascade,
  -- Its width and format, such as `640.avif`.
  name text not null,
  -- Who makes it (a fencing token), and until when the others wait for that.
  claim uuid not null,
  claimed_until timestamptz not null,
  -- The bytes, at most 1 MiB; null until they are made.
  data bytea,
  content_type text,
  width integer,
  height integer,
  -- Why there will be none.
  failure text,
  primary key (digest, name)
);
alter table blob_variant alter data set storage external;

-- Images and links of pages that refer to files, as they are written: what they mean is looked up when they are read.
create table file_link (
  space_id bigint not null,
  page_id bigint not null,
  -- Empty: relative, so that the target is in the space of the page.
  slug text collate "C" not null,
  path text collate "C" not null,
  -- Of the first of equal ones: its place among all links and images of the page, its line and its text.
  ord integer not null,
  line integer not null,
  text text not null,
  -- Whether one of them is a link that means a page where one is at the address, and whether one means a file in any
  -- case.
  maybe_page boolean not null,
  surely_file boolean not null,
  primary key (space_id, page_id, slug, path)
);
create index file_link_named on file_link (slug, path) where slug <> '';
create index file_link_relative on file_link (space_id, path, page_id) where slug = '';

-- Space templates and imports.

-- Space templates that are not in the repository: snapshots of the organisation, and the last good copy of the remote
-- catalogue. Few and bounded, so their key holds no space.
create table space_template (
  source text collate "C" not null check (source in ('org', 'remote')),
  id text collate "C" not null,
  title text not null,
  description text not null,
  category text not null,
  space_name text not null,
  space_description text not null,
  page_count integer not null,
  -- Of a remote one: the digest of what was fetched, by which an unchanged entry is known.
  digest bytea,
  updated_at timestamptz(3) not null,
  updated_by uuid references principal (id),
  -- The slug of the space that a template was made of: its pages may name each other by it.
  space_slug text collate "C",
  space_language text not null default 'en',
  space_icon text,
  primary key (source, id)
);

create table space_template_page (
  source text collate "C" not null,
  template_id text collate "C" not null,
  path text collate "C" not null,
  -- zstd, like the bodies of revisions.
  body bytea not null,
  metadata text,
  primary key (source, template_id, path),
  foreign key (source, template_id) references space_template (source, id) on delete cascade
);
alter table space_template_page alter body set storage external;

-- The files of a stored space template. Their bytes are those of blobs, which the sweep keeps while a template has
-- them.
create table space_template_file (
  source text collate "C" not null,
  template_id text collate "C" not null,
  path text collate "C" not null,
  digest bytea not null,
  size bigint not null,
  content_type text not null,
  width integer,
  height integer,
  primary key (source, template_id, path),
  foreign key (source, template_id) references space_template (source, id) on delete cascade
);
create index space_template_file_digest on space_template_file (digest);

-- Authors of imported revisions. An import proves nothing about who wrote what, so they are principals of their own,
-- disabled and marked as imported, and never matched to an account by name.
create table imported_author (
  name text not null,
  kind text not null check (kind in ('human', 'agent')),
  principal_id uuid not null unique references principal (id),
  primary key (name, kind)
);

-- How the last look at the remote catalogue went.
create table catalogue_fetch (
  url text primary key,
  fetched_at timestamptz(3) not null,
  succeeded_at timestamptz(3),
  problems jsonb not null
);

-- What ends a transaction, and what follows a page.

-- A compare-and-swap that fails calls this in place of the value that it did not find. So the statements that follow,
-- and the commit, can be sent with it: none of them runs.
create function overtaken() returns integer language plpgsql as $$
begin
  raise exception 'Another writer was faster. The write starts again.' using errcode = 'RO001';
end $$;

-- Ends a transaction whose caller may no longer do what it began (identity/rights/reauthorization.ts).
create function authorization_ended() returns integer language plpgsql as $$
begin
  raise exception 'The caller may no longer do this.' using errcode = 'RO002';
end $$;

-- The rows of a page follow it by triggers instead of foreign keys, whose checks took a sixth of an import, and locked
-- the page each time. Whoever adds such a row holds the lock of the page or of its metadata, so that the page is
-- neither moved nor deleted until that is committed.
create function delete_rows_of_pages() returns trigger language plpgsql as $$
declare
  place bigint;
  ids bigint[];
begin
  -- By keys, whatever the plan of a statement knows about the size of the tables.
  for place, ids in select space_id, array_agg(id) from gone group by space_id loop
    -- The first of them: it waits for patches, which add rows to the others.
    delete from page_metadata where space_id = place and page_id = any(ids);
    delete from metadata_entry where space_id = place and page_id = any(ids);
    delete from metadata_element where space_id = place and page_id = any(ids);
    delete from metadata_event where space_id = place and page_id = any(ids);
    delete from search_pending where space_id = place and page_id = any(ids);
    delete from page_search where space_id = place and page_id = any(ids);
    delete from link where space_id = place and page_id = any(ids);
    delete from file_link where space_id = place and page_id = any(ids);
    delete from revision where space_id = place and page_id = any(ids);
  end loop;
  return null;
end $$;

create function move_rows_of_page() returns trigger language plpgsql as $$
begin
  -- The first of them, as above.
  update page_metadata set space_id = new.space_id where space_id = old.space_id and page_id = old.id;
  update metadata_entry set space_id = new.space_id where space_id = old.space_id and page_id = old.id;
  update metadata_element set space_id = new.space_id where space_id = old.space_id and page_id = old.id;
  update metadata_event set space_id = new.space_id where space_id = old.space_id and page_id = old.id;
  update search_pending set space_id = new.space_id where space_id = old.space_id and page_id = old.id;
  update page_search set space_id = new.space_id where space_id = old.space_id and page_id = old.id;
  update link set space_id = new.space_id where space_id = old.space_id and page_id = old.id;
  update file_link set space_id = new.space_id where space_id = old.space_id and page_id = old.id;
  update revision set space_id = new.space_id where space_id = old.space_id and page_id = old.id;
  return null;
end $$;

create trigger page_deleted after delete on page referencing old table as gone
  for each statement execute function delete_rows_of_pages();
create trigger page_moved after update of space_id on page
  for each row when (old.space_id <> new.space_id) execute function move_rows_of_page();
