-- Outside a transaction: writers go on while the index is built.
drop index concurrently if exists page_address_words;
create index concurrently page_address_words on page_address
  using gin (to_tsvector('simple', translate(path, '/-_.', '    '))) with (fastupdate = off) where page_id is not null;
