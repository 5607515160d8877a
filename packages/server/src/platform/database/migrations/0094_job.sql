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
  finished_at timestamptz(3)
);
create index job_principal on job (principal_id, started_at);
