-- Pages are offered by the words of their paths while someone types. An address is written once for each page that comes
-- to stand there or leaves, not with every revision.
create index page_address_words on page_address
  using gin (to_tsvector('simple', translate(path, '/-_.', '    '))) with (fastupdate = off) where page_id is not null;
