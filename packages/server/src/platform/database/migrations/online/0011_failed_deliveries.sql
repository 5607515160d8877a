-- Outside a transaction: writers go on while the index is built.
drop index concurrently if exists webhook_delivery_unsent;
create index concurrently webhook_delivery_unsent on webhook_delivery (webhook_id, id)
  where status in ('failed', 'blocked');
