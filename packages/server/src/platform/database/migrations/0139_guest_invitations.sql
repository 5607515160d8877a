-- Whether the new account is that of a guest.
alter table invitation add column guest boolean not null default false;
