-- The slug of the space that a template was made of: its pages may name each other by it.
alter table space_template add column space_slug text collate "C";
