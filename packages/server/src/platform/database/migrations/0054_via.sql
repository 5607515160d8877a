-- The app through which a person wrote: the connection that `inTransaction` passes on as the setting `recto.via`. The default is not volatile,
-- so that the columns are added without rewriting a row.
alter table revision add column via uuid default nullif(current_setting('recto.via', true), '')::uuid;
alter table page
  add column created_via uuid default nullif(current_setting('recto.via', true), '')::uuid,
  add column updated_via uuid default nullif(current_setting('recto.via', true), '')::uuid;
alter table event add column via uuid default nullif(current_setting('recto.via', true), '')::uuid;
alter table metadata_event add column via uuid default nullif(current_setting('recto.via', true), '')::uuid;
