-- Drafts are deleted 90 days after the end of their change request (decisions, section 15).
alter table change_request add column drafts_deleted boolean not null default false;
drop index change_request_ended;
create index change_request_ended on change_request (ended_at) where state <> 'open' and not drafts_deleted;
