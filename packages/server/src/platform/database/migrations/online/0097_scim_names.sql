-- Outside a transaction: writers go on while the indexes are built.
drop index concurrently if exists scim_user_name_prefix;
create index concurrently scim_user_name_prefix on scim_user ((lower(user_name) collate "C")) where deleted_at is null;
drop index concurrently if exists principal_email_prefix;
create index concurrently principal_email_prefix on principal ((email collate "C")) where email is not null;
drop index concurrently if exists identity_email_prefix;
create index concurrently identity_email_prefix on identity ((email collate "C")) where email is not null;
drop index concurrently if exists principal_name;
create index concurrently principal_name on principal ((lower(name) collate "C")) where kind = 'human';
