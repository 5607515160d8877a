-- People are found by any of their e-mail addresses (SCIM filters).
create index scim_user_emails on scim_user
  using gin ((lower(jsonb_path_query_array(attributes, '$.emails[*].value')::text)::jsonb) jsonb_path_ops)
  where deleted_at is null;
