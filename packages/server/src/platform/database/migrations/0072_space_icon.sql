-- The emoji before the name of a space.
alter table space add column icon text;
alter table space_template add column space_icon text;
