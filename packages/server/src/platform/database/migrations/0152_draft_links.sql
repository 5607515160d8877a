-- What reads through a change request look up of a body that is not merged: its links as rows of `link` and `file_link`
-- have them, and its words as in `page_search`.
alter table draft add column links jsonb, add column file_links jsonb,
  add column search_title tsvector, add column search_words tsvector;
