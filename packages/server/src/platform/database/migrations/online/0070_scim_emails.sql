-- Outside a transaction: writers go on while the index is built.
drop index concurrently if exists scim_user_emails;
create index concurrently scim_user_emails on scim_user
  using gin ((lower(jsonb_path_query_array(attributes, '$.emails[*].value')::text)::jsonb) jsonb_path_ops)
  where deleted_at is null;
