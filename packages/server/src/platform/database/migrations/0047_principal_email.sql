-- No two accounts have one e-mail address.
create unique index principal_email on principal (email) where email is not null;
