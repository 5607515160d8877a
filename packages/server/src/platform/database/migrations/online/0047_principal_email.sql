-- Outside a transaction: writers go on while the index is built.
drop index concurrently if exists principal_email;
create unique index concurrently principal_email on principal (email) where email is not null;
