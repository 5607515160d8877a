create index identity_email on identity (email) where email is not null;
