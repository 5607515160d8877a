-- The names of a path in the order of the page tree: numbers by their value (2 before 10), letters without case and accents. A name's key is
-- never longer than half as much again as the name, and ends with a digest that keeps equal keys of different names apart: paths below
-- one folder are together. Made of functions that no release of PostgreSQL or of a locale library changes, for an index depends on it.
create function tree_key(path text) returns text[] language plpgsql immutable parallel safe strict as $$
declare
  keys text[] := '{}';
  name text;
  key text;
begin
  foreach name in array string_to_array(path, '/') loop
    key := lower(name collate "C");
    if octet_length(name) > char_length(name) then
      key := lower(regexp_replace(normalize(name, nfd), '[\u0300-\u036f]', '', 'g') collate "C");
      -- Where letters are made of parts, as in Korean, their code points are in order.
      if octet_length(key) > octet_length(name) then key := lower(name collate "C"); end if;
    end if;
    if key ~ '[0-9]' then
      select string_agg(case when part[2] is null then part[1] else chr(47 + length(part[2])) || part[2] end, '' order by at)
        into key from regexp_matches(key, '([^0-9]+)|0*([0-9]+)', 'g') with ordinality as found (part, at);
    end if;
    keys := keys || (key || chr(1) || left(md5(name), 10));
  end loop;
  return keys;
end $$;
