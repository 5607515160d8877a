-- Made by `npm run schema` from the migrations: not to be changed by hand.

CREATE OR REPLACE FUNCTION public.authorization_ended()
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'The caller may no longer do this.' using errcode = 'RO002';
end $function$;

CREATE OR REPLACE FUNCTION public.delete_rows_of_pages()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.deliver_events(recorded jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.feed_horizon()
 RETURNS xid8
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.move_rows_of_page()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.overtaken()
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'Another writer was faster. The write starts again.' using errcode = 'RO001';
end $function$;

CREATE OR REPLACE FUNCTION public.tree_key(path text)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
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
end $function$;

create table api_key (
  created_at timestamp(3) with time zone not null,
  created_by uuid not null,
  expires_at timestamp(3) with time zone,
  hash bytea not null,
  hint text not null,
  id uuid not null,
  last_used_at timestamp(3) with time zone,
  name text not null,
  personal boolean not null default true,
  principal_id uuid not null,
  revoked_at timestamp(3) with time zone,
  scopes text[] not null,
  space_ids bigint[],
  constraint api_key_created_by_fkey FOREIGN KEY (created_by) REFERENCES principal(id),
  constraint api_key_hash_key UNIQUE (hash),
  constraint api_key_pkey PRIMARY KEY (id),
  constraint api_key_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES principal(id)
);

create table app_connection (
  audience text not null,
  client_id text not null,
  client_name text not null,
  created_at timestamp(3) with time zone not null,
  ended_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone not null,
  id uuid not null,
  last_used_at timestamp(3) with time zone,
  personal boolean not null default true,
  principal_id uuid not null,
  redirect_uri text not null,
  requested_scopes text[] not null,
  scopes text[] not null,
  space_ids bigint[],
  constraint app_connection_audience_check CHECK ((audience = ANY (ARRAY['mcp'::text, 'api'::text]))),
  constraint app_connection_pkey PRIMARY KEY (id),
  constraint app_connection_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES principal(id)
);

create table audit_entry (
  action text not null,
  actor_id uuid,
  address text,
  at timestamp(3) with time zone not null,
  details jsonb not null default '{}'::jsonb,
  id uuid not null,
  space_id bigint not null default '-1'::integer,
  target_id text not null,
  target_name text not null,
  target_type text not null,
  constraint audit_entry_actor_id_fkey FOREIGN KEY (actor_id) REFERENCES principal(id),
  constraint audit_entry_pkey PRIMARY KEY (space_id, id)
);

create table blob (
  created_at timestamp(3) with time zone not null,
  digest bytea not null,
  in_s3 boolean not null default false,
  size bigint not null,
  upload_id uuid not null,
  constraint blob_pkey PRIMARY KEY (digest),
  constraint blob_upload_id_key UNIQUE (upload_id)
);

create table blob_chunk (
  data bytea not null,
  seq integer not null,
  upload_id uuid not null,
  constraint blob_chunk_pkey PRIMARY KEY (upload_id, seq)
);

create table blob_upload (
  id uuid not null,
  in_s3 boolean not null default false,
  leased_until timestamp with time zone not null,
  multipart_id text,
  constraint blob_upload_pkey PRIMARY KEY (id)
);

create table blob_variant (
  claim uuid not null,
  claimed_until timestamp with time zone not null,
  content_type text,
  data bytea,
  digest bytea not null,
  failure text,
  height integer,
  name text not null,
  width integer,
  constraint blob_variant_digest_fkey FOREIGN KEY (digest) REFERENCES blob(digest) ON DELETE CASCADE,
  constraint blob_variant_pkey PRIMARY KEY (digest, name)
);

create table catalogue_fetch (
  fetched_at timestamp(3) with time zone not null,
  problems jsonb not null,
  succeeded_at timestamp(3) with time zone,
  url text not null,
  constraint catalogue_fetch_pkey PRIMARY KEY (url)
);

create table element_indexing (
  page_id bigint not null default 0,
  singleton boolean not null default true,
  space_id bigint not null default 0,
  constraint element_indexing_pkey PRIMARY KEY (singleton),
  constraint element_indexing_singleton_check CHECK (singleton)
);

create table event (
  actor_id uuid not null,
  at timestamp(3) with time zone not null,
  data jsonb not null,
  id uuid not null,
  kind text not null,
  other_path text,
  other_space_id bigint,
  page_id bigint,
  seq bigint not null generated always as identity,
  space_id bigint not null,
  transaction_id xid8 not null default pg_current_xact_id(),
  via uuid default (NULLIF(current_setting('recto.via'::text, true), ''::text))::uuid,
  constraint event_pkey PRIMARY KEY (space_id, seq)
);

create table favourite (
  created_at timestamp(3) with time zone not null,
  page_id bigint,
  principal_id uuid not null,
  space_id bigint not null,
  constraint favourite_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES principal(id),
  constraint favourite_space_id_fkey FOREIGN KEY (space_id) REFERENCES space(id) ON DELETE CASCADE,
  constraint favourite_space_id_page_id_fkey FOREIGN KEY (space_id, page_id) REFERENCES page(space_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint favourite_space_id_page_id_principal_id_key UNIQUE NULLS NOT DISTINCT (space_id, page_id, principal_id)
);

create table file (
  created_at timestamp(3) with time zone not null,
  created_by uuid not null,
  created_via uuid default (NULLIF(current_setting('recto.via'::text, true), ''::text))::uuid,
  deleted_at timestamp(3) with time zone,
  deleted_by uuid,
  id bigint not null,
  path text collate "C" not null,
  space_id bigint not null,
  updated_at timestamp(3) with time zone not null,
  updated_by uuid not null,
  version integer not null,
  constraint file_created_by_fkey FOREIGN KEY (created_by) REFERENCES principal(id),
  constraint file_deleted_by_fkey FOREIGN KEY (deleted_by) REFERENCES principal(id),
  constraint file_pkey PRIMARY KEY (space_id, id),
  constraint file_space_id_fkey FOREIGN KEY (space_id) REFERENCES space(id),
  constraint file_updated_by_fkey FOREIGN KEY (updated_by) REFERENCES principal(id)
);

create table file_address (
  file_id bigint,
  last_version integer not null default 0,
  moved_file_id bigint,
  moved_space_id bigint,
  path text collate "C" not null,
  space_id bigint not null,
  constraint file_address_pkey PRIMARY KEY (space_id, path),
  constraint file_address_space_id_fkey FOREIGN KEY (space_id) REFERENCES space(id)
);

create table file_link (
  line integer not null,
  maybe_page boolean not null,
  ord integer not null,
  page_id bigint not null,
  path text collate "C" not null,
  slug text collate "C" not null,
  space_id bigint not null,
  surely_file boolean not null,
  text text not null,
  constraint file_link_pkey PRIMARY KEY (space_id, page_id, slug, path)
);

create table file_version (
  content_type text not null,
  created_at timestamp(3) with time zone not null,
  created_by uuid not null,
  digest bytea not null,
  file_id bigint not null,
  height integer,
  id uuid not null,
  size bigint not null,
  space_id bigint not null,
  version integer not null,
  via uuid default (NULLIF(current_setting('recto.via'::text, true), ''::text))::uuid,
  width integer,
  constraint file_version_created_by_fkey FOREIGN KEY (created_by) REFERENCES principal(id),
  constraint file_version_pkey PRIMARY KEY (space_id, file_id, version),
  constraint file_version_space_id_digest_fkey FOREIGN KEY (space_id, digest) REFERENCES space_blob(space_id, digest),
  constraint file_version_space_id_file_id_fkey FOREIGN KEY (space_id, file_id) REFERENCES file(space_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);

create table former_slug (
  slug text collate "C" not null,
  space_id bigint not null,
  constraint former_slug_pkey PRIMARY KEY (slug),
  constraint former_slug_space_id_fkey FOREIGN KEY (space_id) REFERENCES space(id)
);

create table group_member (
  created_at timestamp(3) with time zone not null,
  group_id uuid not null,
  principal_id uuid not null,
  source text not null,
  constraint group_member_group_id_fkey FOREIGN KEY (group_id) REFERENCES principal_group(id) ON DELETE CASCADE,
  constraint group_member_pkey PRIMARY KEY (principal_id, group_id),
  constraint group_member_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES principal(id),
  constraint group_member_source_check CHECK ((source = ANY (ARRAY['admin'::text, 'oidc'::text, 'scim'::text])))
);

create table idempotency (
  attempt uuid not null,
  body bytea,
  done boolean not null default false,
  expires_at timestamp(3) with time zone not null,
  fingerprint bytea not null,
  headers jsonb,
  id bytea not null,
  leased_until timestamp(3) with time zone not null,
  principal_id uuid not null,
  status smallint,
  constraint idempotency_pkey PRIMARY KEY (principal_id, id),
  constraint idempotency_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES principal(id) ON DELETE CASCADE
);

create table identity (
  created_at timestamp(3) with time zone not null,
  email text,
  issuer text not null,
  principal_id uuid not null,
  subject text not null,
  constraint identity_pkey PRIMARY KEY (issuer, subject),
  constraint identity_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES principal(id)
);

create table imported_author (
  kind text not null,
  name text not null,
  principal_id uuid not null,
  constraint imported_author_kind_check CHECK ((kind = ANY (ARRAY['human'::text, 'agent'::text]))),
  constraint imported_author_pkey PRIMARY KEY (name, kind),
  constraint imported_author_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES principal(id),
  constraint imported_author_principal_id_key UNIQUE (principal_id)
);

create table invitation (
  accepted_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  email text not null,
  expires_at timestamp(3) with time zone not null,
  hash bytea not null,
  id uuid not null,
  invited_by uuid not null,
  role text not null,
  constraint invitation_hash_key UNIQUE (hash),
  constraint invitation_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES principal(id),
  constraint invitation_pkey PRIMARY KEY (id),
  constraint invitation_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text])))
);

create table invitation_group (
  group_id uuid not null,
  invitation_id uuid not null,
  constraint invitation_group_group_id_fkey FOREIGN KEY (group_id) REFERENCES principal_group(id) ON DELETE CASCADE,
  constraint invitation_group_invitation_id_fkey FOREIGN KEY (invitation_id) REFERENCES invitation(id) ON DELETE CASCADE,
  constraint invitation_group_pkey PRIMARY KEY (invitation_id, group_id)
);

create table invitation_space (
  invitation_id uuid not null,
  role text not null,
  space_id bigint not null,
  constraint invitation_space_invitation_id_fkey FOREIGN KEY (invitation_id) REFERENCES invitation(id) ON DELETE CASCADE,
  constraint invitation_space_pkey PRIMARY KEY (invitation_id, space_id),
  constraint invitation_space_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'editor'::text, 'admin'::text]))),
  constraint invitation_space_space_id_fkey FOREIGN KEY (space_id) REFERENCES space(id) ON DELETE CASCADE
);

create table job (
  cancelled_at timestamp(3) with time zone,
  done integer not null,
  error jsonb,
  finished_at timestamp(3) with time zone,
  id uuid not null,
  kind text not null,
  principal_id uuid not null,
  result jsonb,
  seen_at timestamp(3) with time zone not null,
  started_at timestamp(3) with time zone not null,
  subject jsonb not null,
  total integer,
  constraint job_pkey PRIMARY KEY (id),
  constraint job_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES principal(id)
);

create table lease (
  expires_at timestamp with time zone not null,
  holder uuid not null,
  name text not null,
  constraint lease_pkey PRIMARY KEY (name)
);

create table link (
  address_id bigint,
  line integer not null,
  more jsonb,
  ord integer not null,
  page_id bigint not null,
  slug text collate "C" not null default ''::text,
  space_id bigint not null,
  target_id bigint not null,
  target_space_id bigint,
  text text not null,
  constraint link_pkey PRIMARY KEY (space_id, page_id, target_id)
) with (fillfactor=90);

create table link_rebuild (
  at_page_id bigint not null default 0,
  at_space_id bigint not null default 0,
  created_at timestamp(3) with time zone not null,
  created_by uuid not null,
  fence bigint not null default 0,
  finished_at timestamp(3) with time zone,
  id uuid not null,
  lease_until timestamp(3) with time zone not null,
  links_indexed bigint not null default 0,
  pages_scanned bigint not null default 0,
  space_id bigint,
  status text not null,
  constraint link_rebuild_created_by_fkey FOREIGN KEY (created_by) REFERENCES principal(id),
  constraint link_rebuild_pkey PRIMARY KEY (id),
  constraint link_rebuild_status_check CHECK ((status = ANY (ARRAY['running'::text, 'done'::text])))
);

create table mcp_session (
  expires_at timestamp(3) with time zone not null,
  id uuid not null,
  principal_id uuid not null,
  stream_id uuid,
  constraint mcp_session_pkey PRIMARY KEY (id),
  constraint mcp_session_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES principal(id)
);

create table mcp_subscription (
  resource text not null,
  session_id uuid not null,
  uri text not null,
  constraint mcp_subscription_pkey PRIMARY KEY (session_id, resource),
  constraint mcp_subscription_session_id_fkey FOREIGN KEY (session_id) REFERENCES mcp_session(id) ON DELETE CASCADE
);

create table metadata_element (
  page_id bigint not null,
  rank bytea not null,
  space_id bigint not null,
  constraint metadata_element_pkey PRIMARY KEY (space_id, page_id, rank)
);

create table metadata_entry (
  page_id bigint not null,
  rank bytea not null,
  space_id bigint not null,
  constraint metadata_entry_pkey PRIMARY KEY (space_id, page_id, rank)
);

create table metadata_event (
  actor_id uuid not null,
  created_at timestamp(3) with time zone not null,
  existed boolean not null,
  key text collate "C" not null,
  length integer,
  op text not null,
  page_id bigint not null,
  patch_id uuid not null,
  previous jsonb,
  previous_length integer,
  seq integer not null,
  space_id bigint not null,
  via uuid default (NULLIF(current_setting('recto.via'::text, true), ''::text))::uuid,
  constraint metadata_event_op_check CHECK ((op = ANY (ARRAY['set'::text, 'append'::text, 'appendUnique'::text, 'delete'::text]))),
  constraint metadata_event_pkey PRIMARY KEY (space_id, page_id, seq)
);

create table metadata_key (
  arrays integer not null,
  booleans integer not null,
  key text collate "C" not null,
  numbers integer not null,
  objects integer not null,
  slot smallint not null,
  space_id bigint not null,
  strings integer not null,
  updated_at timestamp(3) with time zone not null,
  constraint metadata_key_pkey PRIMARY KEY (space_id, key, slot),
  constraint metadata_key_space_id_fkey FOREIGN KEY (space_id) REFERENCES space(id)
) with (fillfactor=70);

create table oauth_client (
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  id text not null,
  metadata text not null,
  used_at timestamp(3) with time zone,
  constraint oauth_client_pkey PRIMARY KEY (id)
);

create table oauth_interaction (
  expires_at timestamp(3) with time zone not null,
  hash bytea not null,
  payload text not null,
  constraint oauth_interaction_pkey PRIMARY KEY (hash)
);

create table oauth_token (
  connection_id uuid not null,
  consumed_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone not null,
  hash bytea not null,
  kind text not null,
  payload text not null,
  scopes text[] not null,
  constraint oauth_token_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES app_connection(id) ON DELETE CASCADE,
  constraint oauth_token_kind_check CHECK ((kind = ANY (ARRAY['AuthorizationCode'::text, 'AccessToken'::text, 'RefreshToken'::text]))),
  constraint oauth_token_pkey PRIMARY KEY (hash)
);

create table one_time_link (
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  hash bytea not null,
  principal_id uuid not null,
  purpose text not null,
  constraint one_time_link_pkey PRIMARY KEY (hash),
  constraint one_time_link_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES principal(id),
  constraint one_time_link_purpose_check CHECK ((purpose = ANY (ARRAY['setup'::text, 'password'::text])))
);

create table page (
  body bytea,
  created_at timestamp(3) with time zone not null,
  created_by uuid not null,
  created_via uuid default (NULLIF(current_setting('recto.via'::text, true), ''::text))::uuid,
  deleted_at timestamp(3) with time zone,
  deleted_by uuid,
  frontmatter text not null default '{}'::text,
  id bigint not null,
  keyframe integer not null,
  keyframe_id uuid not null,
  links_digest bytea,
  note text,
  path text collate "C" not null,
  revision_id uuid not null,
  space_id bigint not null,
  title text not null,
  updated_at timestamp(3) with time zone not null,
  updated_by uuid not null,
  updated_via uuid default (NULLIF(current_setting('recto.via'::text, true), ''::text))::uuid,
  version integer not null,
  constraint page_pkey PRIMARY KEY (space_id, id),
  constraint page_space_id_fkey FOREIGN KEY (space_id) REFERENCES space(id)
);

create table page_address (
  id bigint not null default nextval('address_id'::regclass),
  last_version integer not null default 0,
  moved_page_id bigint,
  moved_space_id bigint,
  page_id bigint,
  path text collate "C" not null,
  space_id bigint not null,
  constraint page_address_pkey PRIMARY KEY (space_id, path),
  constraint page_address_space_id_fkey FOREIGN KEY (space_id) REFERENCES space(id)
);

create table page_metadata (
  doc jsonb not null default '{}'::jsonb,
  in_trash boolean not null default false,
  last_seq integer not null default 0,
  page_id bigint not null,
  space_id bigint not null,
  stamps jsonb not null default '{}'::jsonb,
  constraint page_metadata_pkey PRIMARY KEY (space_id, page_id)
);

create table page_order (
  folder text collate "C" not null,
  names text[] collate "C" not null,
  space_id bigint not null,
  constraint page_order_pkey PRIMARY KEY (space_id, folder),
  constraint page_order_space_id_fkey FOREIGN KEY (space_id) REFERENCES space(id) ON DELETE CASCADE
);

create table page_search (
  page_id bigint not null,
  space_id bigint not null,
  title tsvector not null,
  words tsvector not null,
  constraint page_search_pkey PRIMARY KEY (space_id, page_id)
);

create table passkey (
  counter bigint not null,
  created_at timestamp(3) with time zone not null,
  credential_id bytea not null,
  id uuid not null,
  last_used_at timestamp(3) with time zone,
  name text not null,
  principal_id uuid not null,
  public_key bytea not null,
  transports text[] not null,
  constraint passkey_credential_id_key UNIQUE (credential_id),
  constraint passkey_pkey PRIMARY KEY (id),
  constraint passkey_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES principal(id)
);

create table password (
  changed_at timestamp(3) with time zone not null,
  hash text not null,
  principal_id uuid not null,
  constraint password_pkey PRIMARY KEY (principal_id),
  constraint password_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES principal(id)
);

create table person_setting (
  appearance text,
  finished_steps text[] not null default '{}'::text[],
  principal_id uuid not null,
  constraint person_setting_appearance_check CHECK ((appearance = ANY (ARRAY['light'::text, 'dark'::text]))),
  constraint person_setting_pkey PRIMARY KEY (principal_id),
  constraint person_setting_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES principal(id)
);

create table principal (
  created_at timestamp(3) with time zone not null,
  disabled_at timestamp(3) with time zone,
  email text,
  id uuid not null,
  kind text not null,
  merged_into uuid,
  name text not null,
  role text not null,
  constraint principal_kind_check CHECK ((kind = ANY (ARRAY['human'::text, 'agent'::text]))),
  constraint principal_merged_into_fkey FOREIGN KEY (merged_into) REFERENCES principal(id),
  constraint principal_pkey PRIMARY KEY (id),
  constraint principal_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text])))
);

create table principal_group (
  created_at timestamp(3) with time zone not null,
  description text not null,
  external_id text,
  id uuid not null,
  managed_by text,
  name text not null,
  updated_at timestamp(3) with time zone not null,
  constraint principal_group_managed_by_check CHECK ((managed_by = 'scim'::text)),
  constraint principal_group_pkey PRIMARY KEY (id)
);

create table profile_picture (
  changed_at timestamp(3) with time zone not null,
  data bytea not null,
  digest bytea not null,
  principal_id uuid not null,
  constraint profile_picture_pkey PRIMARY KEY (principal_id),
  constraint profile_picture_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES principal(id)
);

create unlogged table rate_lease (
  granted integer not null,
  key text collate "C" not null,
  since timestamp with time zone not null,
  used integer not null,
  constraint rate_lease_pkey PRIMARY KEY (key)
) with (fillfactor=50);

create table reindexing (
  fence integer not null default 0,
  horizon xid8,
  page_id bigint not null default 0,
  space_id bigint not null,
  constraint reindexing_pkey PRIMARY KEY (space_id),
  constraint reindexing_space_id_fkey FOREIGN KEY (space_id) REFERENCES space(id) ON DELETE CASCADE
);

create table retitling (
  page_id bigint not null default 0,
  singleton boolean not null default true,
  space_id bigint not null default 0,
  version integer not null default 0,
  constraint retitling_pkey PRIMARY KEY (singleton),
  constraint retitling_singleton_check CHECK (singleton)
);

create table revision (
  base integer,
  created_at timestamp(3) with time zone not null,
  created_by uuid not null,
  data bytea not null,
  id uuid not null,
  note text,
  page_id bigint not null,
  restored_from integer,
  size integer not null,
  space_id bigint not null,
  title text not null,
  version integer not null,
  via uuid default (NULLIF(current_setting('recto.via'::text, true), ''::text))::uuid,
  constraint revision_pkey PRIMARY KEY (space_id, page_id, version)
);

create table schema_migration (
  applied_at timestamp(3) with time zone not null default now(),
  checksum text not null,
  name text not null,
  constraint schema_migration_pkey PRIMARY KEY (name)
);

create table scim_token (
  created_at timestamp(3) with time zone not null,
  created_by uuid not null,
  hash bytea,
  hint text not null,
  id uuid not null,
  last_used_at timestamp(3) with time zone,
  principal_id uuid not null,
  singleton boolean not null default true,
  constraint scim_token_created_by_fkey FOREIGN KEY (created_by) REFERENCES principal(id),
  constraint scim_token_hash_key UNIQUE (hash),
  constraint scim_token_pkey PRIMARY KEY (singleton),
  constraint scim_token_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES principal(id),
  constraint scim_token_singleton_check CHECK (singleton)
);

create table scim_user (
  attributes jsonb not null,
  created_at timestamp(3) with time zone not null,
  deleted_at timestamp(3) with time zone,
  external_id text,
  principal_id uuid not null,
  updated_at timestamp(3) with time zone not null,
  user_name text not null,
  constraint scim_user_pkey PRIMARY KEY (principal_id),
  constraint scim_user_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES principal(id)
);

create table search_pending (
  id bigint not null generated always as identity,
  page_id bigint not null,
  space_id bigint not null,
  constraint search_pending_pkey PRIMARY KEY (space_id, page_id, id)
);

create table session (
  address text,
  confirmed_at timestamp with time zone,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  hash bytea not null,
  id uuid not null,
  key_id uuid,
  last_seen_at timestamp(3) with time zone not null,
  principal_id uuid not null,
  user_agent text,
  constraint session_hash_key UNIQUE (hash),
  constraint session_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_key(id),
  constraint session_pkey PRIMARY KEY (id),
  constraint session_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES principal(id)
);

create table space (
  created_at timestamp(3) with time zone not null,
  created_by uuid not null,
  default_role text not null,
  description text not null default ''::text,
  icon text,
  id bigint not null generated by default as identity,
  kind text not null,
  language text not null default 'en'::text,
  name text not null,
  opened_at timestamp(3) with time zone,
  owner_id uuid,
  slug text collate "C",
  updated_at timestamp(3) with time zone not null,
  visibility text not null,
  constraint space_check CHECK (((kind = 'personal'::text) = (slug IS NULL))),
  constraint space_check1 CHECK (((kind = 'personal'::text) = (owner_id IS NOT NULL))),
  constraint space_created_by_fkey FOREIGN KEY (created_by) REFERENCES principal(id),
  constraint space_default_role_check CHECK ((default_role = ANY (ARRAY['viewer'::text, 'editor'::text]))),
  constraint space_kind_check CHECK ((kind = ANY (ARRAY['shared'::text, 'personal'::text]))),
  constraint space_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES principal(id),
  constraint space_owner_id_key UNIQUE (owner_id),
  constraint space_pkey PRIMARY KEY (id),
  constraint space_slug_key UNIQUE (slug),
  constraint space_visibility_check CHECK ((visibility = ANY (ARRAY['org'::text, 'private'::text])))
);

create table space_blob (
  digest bytea not null,
  size bigint not null,
  space_id bigint not null,
  constraint space_blob_pkey PRIMARY KEY (space_id, digest),
  constraint space_blob_space_id_fkey FOREIGN KEY (space_id) REFERENCES space(id)
);

create table space_group (
  created_at timestamp(3) with time zone not null,
  group_id uuid not null,
  role text not null,
  space_id bigint not null,
  constraint space_group_group_id_fkey FOREIGN KEY (group_id) REFERENCES principal_group(id) ON DELETE CASCADE,
  constraint space_group_pkey PRIMARY KEY (space_id, group_id),
  constraint space_group_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'editor'::text, 'admin'::text]))),
  constraint space_group_space_id_fkey FOREIGN KEY (space_id) REFERENCES space(id) ON DELETE CASCADE
);

create table space_language (
  language text collate "C" not null,
  space_id bigint not null,
  constraint space_language_pkey PRIMARY KEY (space_id, language),
  constraint space_language_space_id_fkey FOREIGN KEY (space_id) REFERENCES space(id) ON DELETE CASCADE
);

create table space_link (
  space_id bigint not null,
  target_space_id bigint not null,
  constraint space_link_pkey PRIMARY KEY (space_id, target_space_id)
);

create table space_member (
  created_at timestamp(3) with time zone not null,
  principal_id uuid not null,
  role text not null,
  space_id bigint not null,
  constraint space_member_pkey PRIMARY KEY (space_id, principal_id),
  constraint space_member_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES principal(id),
  constraint space_member_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'editor'::text, 'admin'::text]))),
  constraint space_member_space_id_fkey FOREIGN KEY (space_id) REFERENCES space(id) ON DELETE CASCADE
);

create table space_template (
  category text not null,
  description text not null,
  digest bytea,
  id text collate "C" not null,
  page_count integer not null,
  source text collate "C" not null,
  space_description text not null,
  space_icon text,
  space_language text not null default 'en'::text,
  space_name text not null,
  space_slug text collate "C",
  title text not null,
  updated_at timestamp(3) with time zone not null,
  updated_by uuid,
  constraint space_template_pkey PRIMARY KEY (source, id),
  constraint space_template_source_check CHECK ((source = ANY (ARRAY['org'::text, 'remote'::text]))),
  constraint space_template_updated_by_fkey FOREIGN KEY (updated_by) REFERENCES principal(id)
);

create table space_template_file (
  content_type text not null,
  digest bytea not null,
  height integer,
  path text collate "C" not null,
  size bigint not null,
  source text collate "C" not null,
  template_id text collate "C" not null,
  width integer,
  constraint space_template_file_pkey PRIMARY KEY (source, template_id, path),
  constraint space_template_file_source_template_id_fkey FOREIGN KEY (source, template_id) REFERENCES space_template(source, id) ON DELETE CASCADE
);

create table space_template_page (
  body bytea not null,
  metadata text,
  path text collate "C" not null,
  source text collate "C" not null,
  template_id text collate "C" not null,
  constraint space_template_page_pkey PRIMARY KEY (source, template_id, path),
  constraint space_template_page_source_template_id_fkey FOREIGN KEY (source, template_id) REFERENCES space_template(source, id) ON DELETE CASCADE
);

create table timeline (
  id text not null,
  token uuid not null,
  constraint timeline_pkey PRIMARY KEY (id)
);

create table unknown_address (
  id bigint not null default nextval('address_id'::regclass),
  path text collate "C" not null,
  slug text collate "C" not null,
  constraint unknown_address_id_key UNIQUE (id),
  constraint unknown_address_pkey PRIMARY KEY (slug, path)
);

create table unknown_space (
  slug text collate "C" not null,
  constraint unknown_space_pkey PRIMARY KEY (slug)
);

create table used_challenge (
  challenge bytea not null,
  expires_at timestamp(3) with time zone not null,
  constraint used_challenge_pkey PRIMARY KEY (challenge)
);

create table webhook (
  created_at timestamp(3) with time zone not null,
  created_by uuid not null,
  description text,
  disabled_reason text,
  enabled boolean not null default true,
  events text[] not null,
  failing_since timestamp(3) with time zone,
  id uuid not null,
  previous_secret bytea,
  previous_until timestamp(3) with time zone,
  secret bytea not null,
  secret_key text not null,
  space_slug text collate "C",
  updated_at timestamp(3) with time zone not null,
  url text not null,
  constraint webhook_created_by_fkey FOREIGN KEY (created_by) REFERENCES principal(id),
  constraint webhook_pkey PRIMARY KEY (id)
);

create table webhook_delivery (
  attempts jsonb not null default '[]'::jsonb,
  body text not null,
  claim integer not null default 0,
  claimed_by integer,
  completed_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  due_at timestamp with time zone not null,
  event text not null,
  id uuid not null,
  space_id bigint not null default '-1'::integer,
  status text not null default 'pending'::text,
  webhook_id uuid not null,
  constraint webhook_delivery_pkey PRIMARY KEY (space_id, webhook_id, id),
  constraint webhook_delivery_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text, 'blocked'::text])))
);

CREATE INDEX api_key_live ON public.api_key USING btree (principal_id, id) WHERE (revoked_at IS NULL);

CREATE INDEX api_key_principal ON public.api_key USING btree (principal_id);

CREATE INDEX app_connection_client ON public.app_connection USING btree (client_id);

CREATE INDEX app_connection_principal ON public.app_connection USING btree (principal_id, id);

CREATE INDEX app_connection_unused ON public.app_connection USING btree (expires_at) WHERE (last_used_at IS NULL);

CREATE INDEX audit_entry_action ON public.audit_entry USING btree (action, at, id);

CREATE INDEX audit_entry_actor ON public.audit_entry USING btree (actor_id, at, id);

CREATE INDEX audit_entry_at ON public.audit_entry USING btree (at, id);

CREATE INDEX audit_entry_target ON public.audit_entry USING btree (target_id, at, id);

CREATE INDEX blob_upload_due ON public.blob_upload USING btree (leased_until);

CREATE INDEX event_order ON public.event USING btree (transaction_id, seq);

CREATE INDEX favourite_principal ON public.favourite USING btree (principal_id);

CREATE INDEX file_address_moved ON public.file_address USING btree (moved_space_id, moved_file_id) WHERE (moved_file_id IS NOT NULL);

CREATE INDEX file_address_taken ON public.file_address USING btree (space_id, path) WHERE (file_id IS NOT NULL);

CREATE INDEX file_link_named ON public.file_link USING btree (slug, path) WHERE (slug <> ''::text);

CREATE INDEX file_link_relative ON public.file_link USING btree (space_id, path, page_id) WHERE (slug = ''::text);

CREATE INDEX file_trash ON public.file USING btree (space_id, deleted_at, id) WHERE (deleted_at IS NOT NULL);

CREATE INDEX file_trash_due ON public.file USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE INDEX file_trash_path ON public.file USING btree (space_id, path, deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE INDEX file_version_digest ON public.file_version USING btree (space_id, digest);

CREATE INDEX former_slug_space ON public.former_slug USING btree (space_id);

CREATE INDEX group_member_group ON public.group_member USING btree (group_id, principal_id);

CREATE INDEX idempotency_expires ON public.idempotency USING btree (expires_at);

CREATE INDEX identity_email ON public.identity USING btree (email) WHERE (email IS NOT NULL);

CREATE INDEX identity_email_prefix ON public.identity USING btree (email COLLATE "C") WHERE (email IS NOT NULL);

CREATE INDEX identity_principal ON public.identity USING btree (principal_id);

CREATE INDEX invitation_expires ON public.invitation USING btree (expires_at);

CREATE INDEX invitation_group_group ON public.invitation_group USING btree (group_id);

CREATE INDEX invitation_space_space ON public.invitation_space USING btree (space_id, invitation_id);

CREATE INDEX job_principal ON public.job USING btree (principal_id, started_at);

CREATE INDEX link_address ON public.link USING btree (target_space_id, COALESCE(address_id, target_id), space_id, page_id);

CREATE UNIQUE INDEX link_rebuild_running ON public.link_rebuild USING btree (COALESCE(space_id, (0)::bigint)) WHERE (status = 'running'::text);

CREATE INDEX link_unknown ON public.link USING btree (space_id, target_id, page_id) WHERE (target_space_id IS NULL);

CREATE INDEX mcp_session_expires ON public.mcp_session USING btree (expires_at);

CREATE INDEX mcp_session_principal ON public.mcp_session USING btree (principal_id, expires_at);

CREATE INDEX metadata_element_rank ON public.metadata_element USING btree (rank) INCLUDE (space_id, page_id);

CREATE INDEX metadata_entry_rank ON public.metadata_entry USING btree (rank) INCLUDE (space_id, page_id);

CREATE INDEX metadata_event_key ON public.metadata_event USING btree (space_id, page_id, key, seq);

CREATE INDEX oauth_client_expires ON public.oauth_client USING btree (expires_at);

CREATE INDEX oauth_client_unused ON public.oauth_client USING btree (created_at) WHERE (used_at IS NULL);

CREATE INDEX oauth_interaction_expires ON public.oauth_interaction USING btree (expires_at);

CREATE INDEX oauth_token_connection ON public.oauth_token USING btree (connection_id);

CREATE INDEX oauth_token_expires ON public.oauth_token USING btree (expires_at);

CREATE INDEX one_time_link_expires ON public.one_time_link USING btree (expires_at);

CREATE INDEX one_time_link_principal ON public.one_time_link USING btree (principal_id);

CREATE UNIQUE INDEX page_address_id ON public.page_address USING btree (space_id, id);

CREATE INDEX page_address_missing ON public.page_address USING btree (space_id, id) WHERE (page_id IS NULL);

CREATE INDEX page_address_moved ON public.page_address USING btree (moved_space_id, moved_page_id) WHERE (moved_page_id IS NOT NULL);

CREATE INDEX page_address_taken ON public.page_address USING btree (space_id, path) INCLUDE (page_id) WHERE (page_id IS NOT NULL);

CREATE INDEX page_address_tree ON public.page_address USING btree (space_id, tree_key(path)) WHERE (page_id IS NOT NULL);

CREATE INDEX page_address_words ON public.page_address USING gin (to_tsvector('simple'::regconfig, translate(path, '/-_.'::text, '    '::text))) WITH (fastupdate='on', gin_pending_list_limit='64') WHERE (page_id IS NOT NULL);

CREATE INDEX page_metadata_doc ON public.page_metadata USING gin (doc jsonb_path_ops) WITH (fastupdate='on', gin_pending_list_limit='64');

CREATE INDEX page_recent_path ON public.page USING btree (updated_at, path);

CREATE INDEX page_recent_path_in_space ON public.page USING btree (space_id, updated_at, path);

CREATE INDEX page_search_found ON public.page_search USING gin ((ARRAY[(- space_id), (page_id >> 11), ((page_id >> 16) + '1125899906842624'::bigint)]), title, words) WITH (fastupdate='on', gin_pending_list_limit='64');

CREATE INDEX page_trash ON public.page USING btree (space_id, deleted_at, id) WHERE (deleted_at IS NOT NULL);

CREATE INDEX page_trash_due ON public.page USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE INDEX page_trash_path ON public.page USING btree (space_id, path, deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE INDEX passkey_principal ON public.passkey USING btree (principal_id, id);

CREATE INDEX principal_admins ON public.principal USING btree (id) WHERE ((role = 'admin'::text) AND (disabled_at IS NULL));

CREATE UNIQUE INDEX principal_email ON public.principal USING btree (email) WHERE (email IS NOT NULL);

CREATE INDEX principal_email_prefix ON public.principal USING btree (email COLLATE "C") WHERE (email IS NOT NULL);

CREATE UNIQUE INDEX principal_group_name ON public.principal_group USING btree (lower(name));

CREATE INDEX principal_name ON public.principal USING btree (lower(name) COLLATE "C") WHERE (kind = 'human'::text);

CREATE INDEX scim_user_emails ON public.scim_user USING gin (((lower((jsonb_path_query_array(attributes, '$."emails"[*]."value"'::jsonpath))::text))::jsonb) jsonb_path_ops) WHERE (deleted_at IS NULL);

CREATE INDEX scim_user_external_id ON public.scim_user USING btree (external_id) WHERE (external_id IS NOT NULL);

CREATE UNIQUE INDEX scim_user_name ON public.scim_user USING btree (lower(user_name)) WHERE (deleted_at IS NULL);

CREATE INDEX scim_user_name_prefix ON public.scim_user USING btree (lower(user_name) COLLATE "C") WHERE (deleted_at IS NULL);

CREATE INDEX search_pending_id ON public.search_pending USING btree (id);

CREATE INDEX session_expires ON public.session USING btree (expires_at);

CREATE INDEX session_principal ON public.session USING btree (principal_id);

CREATE INDEX space_blob_digest ON public.space_blob USING btree (digest);

CREATE INDEX space_group_group ON public.space_group USING btree (group_id, space_id);

CREATE INDEX space_member_principal ON public.space_member USING btree (principal_id);

CREATE INDEX space_template_file_digest ON public.space_template_file USING btree (digest);

CREATE INDEX used_challenge_expires ON public.used_challenge USING btree (expires_at);

CREATE INDEX webhook_delivery_claimed ON public.webhook_delivery USING btree (claimed_by) WHERE ((status = 'pending'::text) AND (claimed_by IS NOT NULL));

CREATE INDEX webhook_delivery_due ON public.webhook_delivery USING btree (webhook_id, due_at) WHERE (status = 'pending'::text);

CREATE INDEX webhook_delivery_unsent ON public.webhook_delivery USING btree (webhook_id, id) WHERE (status = ANY (ARRAY['failed'::text, 'blocked'::text]));

CREATE INDEX webhook_delivery_webhook ON public.webhook_delivery USING btree (webhook_id, id);

CREATE TRIGGER page_deleted AFTER DELETE ON public.page REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_rows_of_pages();

CREATE TRIGGER page_moved AFTER UPDATE OF space_id ON public.page FOR EACH ROW WHEN ((old.space_id <> new.space_id)) EXECUTE FUNCTION move_rows_of_page();
