-- Queries by the version of a page (0155_page_fields.sql).
create index page_version on page ((field_key(version))) include (space_id, id);
