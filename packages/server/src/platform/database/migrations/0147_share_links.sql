-- Whether pages of a space may be shown by share links.
alter table space add column shares boolean not null default true;

-- Links that show a page to whoever has their secret, of which only the SHA-256 is stored. A link follows its page.
create table share_link (
  id uuid not null,
  hash bytea not null,
  space_id bigint not null references space (id) on delete cascade,
  page_id bigint not null,
  with_children boolean not null,
  password_hash text,
  created_by uuid not null references principal (id),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  opens integer not null default 0,
  last_opened_at timestamptz(3),
  primary key (space_id, id),
  foreign key (space_id, page_id) references page (space_id, id) on delete cascade on update cascade
);
create index share_link_id on share_link (id);
-- Random values of 256 bits: no two are equal.
create index share_link_hash on share_link (hash);
create index share_link_page on share_link (space_id, page_id);
create index share_link_creator on share_link (created_by);
