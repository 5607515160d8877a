-- What people have typed and not saved yet: of a page, or without `page_id` of a new page of the space. It follows its
-- page, and only its writer sees it.
create table unsaved_text (
  space_id bigint not null references space (id) on delete cascade,
  page_id bigint,
  principal_id uuid not null references principal (id),
  -- The version that the text is based on; null for a new page.
  version integer,
  body text not null,
  note text not null,
  saved_at timestamptz(3) not null,
  unique nulls not distinct (space_id, page_id, principal_id),
  foreign key (space_id, page_id) references page (space_id, id) on delete cascade on update cascade
);
create index unsaved_text_principal on unsaved_text (principal_id, saved_at);
create index unsaved_text_age on unsaved_text (saved_at);
