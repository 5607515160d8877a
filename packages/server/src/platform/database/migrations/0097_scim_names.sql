-- People are found by the beginning of their user name, and by their name (SCIM filters), in a database of any collation.
create index scim_user_name_prefix on scim_user ((lower(user_name) collate "C")) where deleted_at is null;
create index principal_email_prefix on principal ((email collate "C")) where email is not null;
create index identity_email_prefix on identity ((email collate "C")) where email is not null;
create index principal_name on principal ((lower(name) collate "C")) where kind = 'human';
