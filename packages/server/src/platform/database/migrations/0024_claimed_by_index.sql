-- Outside a transaction: writers go on while the index is built. It holds what is under way, and that is little.
drop index concurrently if exists webhook_delivery_claimed;
create index concurrently webhook_delivery_claimed on webhook_delivery (claimed_by)
  where status = 'pending' and claimed_by is not null;
