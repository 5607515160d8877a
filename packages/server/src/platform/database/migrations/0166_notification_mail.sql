-- Notifications by mail (decisions, section 15). Null: as a daily digest.
alter table person_setting add column mail text check (mail in ('immediate', 'daily', 'off'));
-- When a notification is to be mailed; while it is sent, when another node may send it.
alter table notification add column mail_at timestamptz(3), add column mail_tries smallint not null default 0, add column mailed_at timestamptz(3);
create index notification_mail on notification (mail_at) where mail_at is not null;
