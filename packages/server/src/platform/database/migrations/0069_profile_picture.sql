-- The pictures of people: a small square, made of the image that they uploaded.
create table profile_picture (
  principal_id uuid primary key references principal (id),
  data bytea not null,
  -- SHA-256 of the data.
  digest bytea not null,
  changed_at timestamptz(3) not null
);
