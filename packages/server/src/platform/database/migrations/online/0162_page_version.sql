-- Outside a transaction: an index of a table in use.

-- Queries by the version of a page (0155_page_fields.sql).
drop index concurrently if exists page_version;
create index concurrently page_version on page ((field_key(version))) include (space_id, id);
