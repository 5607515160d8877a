-- Reviews and checks of change requests (decisions, section 15).

-- What a merge into the space needs: { approvals, owners, checks }; what is absent needs nothing.
alter table space add column review jsonb not null default '{}';

-- Who wrote the draft without an app, and whether an agent or an app wrote some of it.
alter table draft add column direct_authors uuid[] not null default '{}', add column agent_written boolean not null default false;
update draft set direct_authors = authors;

-- Who is asked for a review.
create table request_reviewer (
  space_id bigint not null,
  number integer not null,
  principal_id uuid not null references principal (id) on delete cascade,
  primary key (space_id, number, principal_id),
  foreign key (space_id, number) references change_request (space_id, number) on delete cascade
);
create index request_reviewer_principal on request_reviewer (principal_id);

create table request_review (
  space_id bigint not null,
  number integer not null,
  id bigint generated always as identity,
  author_id uuid not null references principal (id),
  via uuid default nullif(current_setting('recto.via', true), '')::uuid,
  verdict text not null check (verdict in ('approve', 'requestChanges', 'comment')),
  body text not null,
  in_person boolean not null,
  -- { id of a draft: the version that its verdict is on }.
  seen jsonb not null,
  created_at timestamptz(3) not null,
  primary key (space_id, number, id),
  foreign key (space_id, number) references change_request (space_id, number) on delete cascade
);

-- The results of programs that look at a request, such as a spelling check.
create table request_check (
  space_id bigint not null,
  number integer not null,
  name text not null collate "C",
  status text not null check (status in ('pending', 'passed', 'failed')),
  details text not null,
  url text,
  seen jsonb not null,
  updated_at timestamptz(3) not null,
  updated_by uuid not null references principal (id),
  primary key (space_id, number, name),
  foreign key (space_id, number) references change_request (space_id, number) on delete cascade
);
