-- In which form a webhook is sent its events: signed JSON, or a message to a channel of Slack or Teams.
alter table webhook add column format text not null default 'json' check (format in ('json', 'slack', 'teams'));
