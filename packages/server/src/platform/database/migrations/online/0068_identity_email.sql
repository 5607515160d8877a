-- Outside a transaction: writers go on while the index is built.
drop index concurrently if exists identity_email;
create index concurrently identity_email on identity (email) where email is not null;
