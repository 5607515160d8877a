-- The language that a person has chosen for screens and mails (RFC 5646); null: that of the browser.
alter table person_setting add column language text check (language ~ '^[A-Za-z0-9-]{2,35}$');
