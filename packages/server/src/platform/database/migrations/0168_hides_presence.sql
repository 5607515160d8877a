-- Whether others are not shown which pages a person has open.
alter table person_setting add column hides_presence boolean not null default false;
