-- Positions of the change feed are ids of transactions, which begin again on another server. Their order goes on with a
-- shift: `shifted` adds it to every id that is stored, or compared with a stored one. Both functions are inlined, so
-- that a database that has never moved pays nothing.
create function transaction_shift() returns bigint language sql immutable parallel safe return 0::bigint;
create function shifted(id xid8) returns xid8 language sql immutable parallel safe
  return case when transaction_shift() = 0 then id else (id::text::bigint + transaction_shift())::text::xid8 end;

alter table event alter column transaction_id set default shifted(pg_current_xact_id());

create or replace function feed_horizon() returns xid8 language plpgsql stable as $$
begin
  -- Nothing has waited for long: the locks are not worth reading.
  if not exists (
    select from event
    where transaction_id >= shifted(pg_snapshot_xmin(pg_current_snapshot())) and at < now() - interval '200 milliseconds'
  ) then
    return shifted(pg_snapshot_xmin(pg_current_snapshot()));
  end if;
  -- Whoever ended since the snapshot, or has not locked its number yet, is found in neither view, and is waited for. The views show these
  -- columns to every role.
  return shifted((
    select least(coalesce(min(running), pg_snapshot_xmax(pg_current_snapshot())), pg_current_xact_id_if_assigned())
    from pg_snapshot_xip(pg_current_snapshot()) running
    where not exists (
      select from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted and l.transactionid = running::xid
        and a.datid <> (select oid from pg_database where datname = current_database())
    ) and not exists (
      select from pg_prepared_xacts p where p.transaction = running::xid and p.database <> current_database()
    )
  ));
end $$;

-- The server whose ids the shift is for.
create function server_identifier() returns text language plpgsql stable as $$
begin
  return (select system_identifier::text from pg_control_system());
exception when insufficient_privilege or undefined_function or feature_not_supported then
  return 'unknown';
end $$;
create table transaction_origin (
  singleton boolean primary key default true check (singleton),
  server text not null
);
insert into transaction_origin (server) values (server_identifier());

-- Whether the database was moved here from another server: that is known, or stored ids are ahead of this server's.
create function has_moved() returns boolean language sql stable return
  not exists (select from transaction_origin where server = server_identifier())
  or greatest(
    (select max(transaction_id) from event), (select max(transaction_id) from notification_cursor), (select max(horizon) from reindexing)
  ) > shifted(pg_snapshot_xmax(pg_current_snapshot()));

-- Shifts the ids of a database that was moved beyond all that are stored, and beyond those that readers got since the
-- last event. Every start calls it before it serves. Returns whether they were shifted.
create function settle_transaction_ids() returns boolean language plpgsql as $$
declare
  newest bigint;
begin
  if not has_moved() then
    return false;
  end if;
  lock table transaction_origin in access exclusive mode;
  if not has_moved() then
    return false;
  end if;
  select coalesce(greatest(
    (select max(transaction_id) from event), (select max(transaction_id) from notification_cursor), (select max(horizon) from reindexing)
  )::text::bigint, 0) into newest;
  execute format(
    'create or replace function transaction_shift() returns bigint language sql immutable parallel safe return %s::bigint',
    (newest / 4294967296 + 2) * 4294967296
  );
  insert into transaction_origin (server) values (server_identifier()) on conflict (singleton) do update set server = excluded.server;
  return true;
end $$;
