-- The change feed shows no event while an older transaction may still commit one. Transactions of all databases of a server are numbered in
-- one sequence, but those of other databases write no events here: this is the oldest transaction that the feed has to wait for. Every
-- transaction of this database with a lower number has ended, as the snapshot of the calling statement sees it. A statement may ask only once: who still
-- runs is looked up now.
create function feed_horizon() returns xid8 language plpgsql stable as $$
begin
  -- Nothing has waited for long: the locks are not worth reading.
  if not exists (
    select from event
    where transaction_id >= pg_snapshot_xmin(pg_current_snapshot()) and at < now() - interval '200 milliseconds'
  ) then
    return pg_snapshot_xmin(pg_current_snapshot());
  end if;
  -- Whoever ended since the snapshot, or has not locked its number yet, is found in neither view, and is waited for. The views show these
  -- columns to every role.
  return (
    select least(coalesce(min(running), pg_snapshot_xmax(pg_current_snapshot())), pg_current_xact_id_if_assigned())
    from pg_snapshot_xip(pg_current_snapshot()) running
    where not exists (
      select from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted and l.transactionid = running::xid
        and a.datid <> (select oid from pg_database where datname = current_database())
    ) and not exists (
      select from pg_prepared_xacts p where p.transaction = running::xid and p.database <> current_database()
    )
  );
end $$;
