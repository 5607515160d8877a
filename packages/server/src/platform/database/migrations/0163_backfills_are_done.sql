-- The backfills of releases before 0136_schema.sql have ended in every database that was started with it. The tables
-- retitling and element_indexing stay empty: nodes of the release before read them during an upgrade.
do $$ begin
  if exists (select from retitling) or exists (select from element_indexing)
    or exists (select from webhook_delivery where space_id = -1) or exists (select from audit_entry where space_id = -1) then
    raise exception 'Start commit 0cd5bedb once: its background work on this database has not ended.';
  end if;
end $$;
