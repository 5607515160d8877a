-- Access by page: folder rules, guests, and spaces that anybody reads.

-- A person with access to some spaces or folders alone.
alter table principal add column guest boolean not null default false;

alter table space drop constraint space_visibility_check;
alter table space add constraint space_visibility_check check (visibility in ('org', 'private', 'public'));

-- Places of pages and files: `<id of the space>/<path>`. A prefix is two ranges, itself and all below it.
create type place_range as range (subtype = text, collation = "C", multirange_type_name = place_multirange);

-- A rule decides for its folder: the page and file `prefix`, and all below it, less the folders of rules below.
create table folder_rule (
  id bigint generated always as identity primary key,
  space_id bigint not null references space (id) on delete cascade,
  prefix text collate "C" not null,
  -- Whether the lists of the next rule above are taken.
  inherits_read boolean not null,
  inherits_write boolean not null,
  -- What follows from all rules of the space (content/spaces/rules/resolve.ts): whether whoever reads, or writes, the space does
  -- so here, and for which places the rule decides.
  opens_read boolean not null,
  opens_write boolean not null,
  places place_multirange not null,
  created_at timestamptz(3) not null,
  created_by uuid not null references principal (id),
  updated_at timestamptz(3) not null,
  updated_by uuid not null references principal (id),
  unique (space_id, prefix)
);

-- The lists of a rule as they were written. Guests are added to whoever else has access.
create table folder_rule_entry (
  rule_id bigint not null references folder_rule (id) on delete cascade,
  list text not null check (list in ('read', 'write', 'guest-read', 'guest-write')),
  principal_id uuid references principal (id),
  group_id uuid references principal_group (id) on delete cascade,
  check (num_nonnulls(principal_id, group_id) = 1),
  unique nulls not distinct (rule_id, list, principal_id, group_id)
);
create index folder_rule_entry_group on folder_rule_entry (group_id) where group_id is not null;

-- Who is on the lists that a rule has in effect: 1 to read, 2 to write.
create table folder_access (
  rule_id bigint not null references folder_rule (id) on delete cascade,
  principal_id uuid references principal (id),
  group_id uuid references principal_group (id) on delete cascade,
  right_bit smallint not null check (right_bit in (1, 2)),
  unique nulls not distinct (rule_id, principal_id, group_id, right_bit)
);
create index folder_access_principal on folder_access (principal_id) where principal_id is not null;
create index folder_access_group on folder_access (group_id) where group_id is not null;

-- A path and all folders above it.
create function path_prefixes(path text) returns text[] language plpgsql immutable parallel safe strict as $$
declare
  prefixes text[] := '{}';
  prefix text;
  name text;
begin
  foreach name in array string_to_array(path, '/') loop
    prefix := concat_ws('/', prefix, name);
    prefixes := prefixes || prefix;
  end loop;
  return prefixes;
end $$;
