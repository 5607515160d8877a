-- The same keys as before, in a third of the time where names have numbers: they are found without a query for each name.
create or replace function tree_key(path text) returns text[] language plpgsql immutable parallel safe strict as $$
declare
  keys text[] := '{}';
  name text;
  key text;
  digits text;
  rest text;
  at integer;
begin
  foreach name in array string_to_array(path, '/') loop
    key := lower(name collate "C");
    if octet_length(name) > char_length(name) then
      key := lower(regexp_replace(normalize(name, nfd), '[\u0300-\u036f]', '', 'g') collate "C");
      -- Where letters are made of parts, as in Korean, their code points are in order.
      if octet_length(key) > octet_length(name) then key := lower(name collate "C"); end if;
    end if;
    digits := substring(key from '[0-9]+');
    if digits is not null then
      rest := key;
      key := '';
      while digits is not null loop
        at := strpos(rest, digits);
        key := key || left(rest, at - 1);
        rest := substr(rest, at + length(digits));
        digits := coalesce(nullif(ltrim(digits, '0'), ''), '0');
        key := key || chr(47 + length(digits)) || digits;
        digits := substring(rest from '[0-9]+');
      end loop;
      key := key || rest;
    end if;
    keys := keys || (key || chr(1) || left(md5(name), 10));
  end loop;
  return keys;
end $$;
