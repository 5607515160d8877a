-- What people have chosen for themselves: the appearance of the screens, and the first steps that are done or dismissed.
create table person_setting (
  principal_id uuid primary key references principal (id),
  appearance text check (appearance in ('light', 'dark')),
  finished_steps text[] not null default '{}'
);
