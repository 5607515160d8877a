-- A token for each timeline that a primary of this database wrote. A replica that has the token of the present one follows
-- the primary, so that their positions in the log can be compared: after a failover those of a server that was left
-- behind mean something else.
create table timeline (
  id text primary key,
  token uuid not null
);
