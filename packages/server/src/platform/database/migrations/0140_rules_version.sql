-- How often the folder rules of a space were changed: what was cached about its pages for all readers is compared with it.
alter table space add column rules_version integer not null default 0;
