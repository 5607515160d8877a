-- The log of deliveries is asked for what did not arrive, which is rare among what did.
create index webhook_delivery_unsent on webhook_delivery (webhook_id, id)
  where status in ('failed', 'blocked');
