-- Files in change requests. What is null stays as it is in the file.
alter table draft
  add column resource text not null default 'page' check (resource in ('page', 'file')),
  -- Null: the request creates the file.
  add column file_id bigint,
  add column digest bytea,
  add column size bigint,
  add column content_type text,
  add column width integer,
  add column height integer,
  add foreign key (space_id, digest) references space_blob (space_id, digest);
drop index draft_path;
create unique index draft_path on draft (space_id, number, resource, path) where merged_version is null;
create unique index draft_file on draft (space_id, number, file_id) where merged_version is null;
create index draft_of_file on draft (space_id, file_id);
create index draft_blob on draft (space_id, digest) where digest is not null;

-- Drafts end in many ways: the blob of each is released here unless something else of the space refers to it.
create function release_draft_blob() returns trigger language plpgsql as $$
begin
  -- Whoever adds a reference waits for this lock, or holds it first: then the next statement sees it.
  perform from space_blob where space_id = old.space_id and digest = old.digest for update;
  delete from space_blob where space_id = old.space_id and digest = old.digest
    and not exists (select from file_version version where version.space_id = old.space_id and version.digest = old.digest)
    and not exists (select from draft where draft.space_id = old.space_id and draft.digest = old.digest);
  return null;
end $$;
create trigger draft_blob_left after delete or update of digest on draft
  for each row when (old.digest is not null) execute function release_draft_blob();
