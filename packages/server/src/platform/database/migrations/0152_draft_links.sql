-- The links of a body that is not merged, as rows of `link` and `file_link` have them: reads through a change request look them up.
alter table draft add column links jsonb, add column file_links jsonb;
