-- The files of a stored space template. Their bytes are those of blobs, which the sweep keeps while a template has them.
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
