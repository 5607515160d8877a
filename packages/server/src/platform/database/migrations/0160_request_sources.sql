-- The pages that the session of an agent had read when it proposed, each with its version.
alter table change_request add column based_on jsonb not null default '[]';
