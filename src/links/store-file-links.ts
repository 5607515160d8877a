import { sql } from 'kysely'
import { write } from '../database/statement.ts'

/** Replaces the stored references of some pages of a space to files; writes only what differs. */
export const replaceFileLinks = write(
  'replace_file_links',
  (a: { spaceId: number; pages: string; files: string }) => sql<unknown>`
    with source as materialized (
      select page_id from jsonb_to_recordset(${a.pages}::jsonb) as t (page_id bigint)
    ), given as materialized (
      select * from jsonb_to_recordset(${a.files}::jsonb) as t (page_id bigint, slug text, path text, ord integer, line integer,
        text text, maybe_page boolean, surely_file boolean)
    ), gone as (
      delete from file_link link using source
      where link.space_id = ${a.spaceId} and link.page_id = source.page_id and not exists (
        select 1 from given where given.page_id = link.page_id and given.slug = link.slug and given.path = link.path)
    )
    insert into file_link as link (space_id, page_id, slug, path, ord, line, text, maybe_page, surely_file)
    select ${a.spaceId}::bigint, page_id, slug, path, ord, line, text, maybe_page, surely_file from given
    on conflict (space_id, page_id, slug, path) do update set ord = excluded.ord, line = excluded.line, text = excluded.text,
      maybe_page = excluded.maybe_page, surely_file = excluded.surely_file
    where (link.ord, link.line, link.text, link.maybe_page, link.surely_file)
      is distinct from (excluded.ord, excluded.line, excluded.text, excluded.maybe_page, excluded.surely_file)`,
)
