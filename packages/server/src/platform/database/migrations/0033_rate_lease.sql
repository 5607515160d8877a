-- What a cluster has leased to its nodes of the requests that each key may send a minute (access/rate-lease.ts). Nothing is
-- lost when a crash of the server empties it: the minute begins anew.
create unlogged table rate_lease (
  key text collate "C" primary key,
  -- When the key's minute began.
  since timestamptz not null,
  used integer not null,
  -- What the last one who asked was given.
  granted integer not null
) with (fillfactor = 50);
