-- The app through which a person wrote a file, as for pages (0054).
alter table file add column created_via uuid default nullif(current_setting('recto.via', true), '')::uuid;
alter table file_version add column via uuid default nullif(current_setting('recto.via', true), '')::uuid;
