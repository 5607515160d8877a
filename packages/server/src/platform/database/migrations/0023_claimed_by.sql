-- The node that attempts a delivery, as long as others can see by its advisory lock whether it lives; else its claim ends
-- with the lease alone. Nodes of an earlier release neither set nor clear it.
alter table webhook_delivery add column claimed_by integer;
