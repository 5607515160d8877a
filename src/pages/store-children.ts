import { sql } from 'kysely'
import { read } from '../database/statement.ts'

export interface ChildRow {
  readonly prefix: string
  readonly segment: string
  /** The title of the page at this path; null if there are only pages below it. */
  readonly title: string | null
  readonly has_children: boolean
}

/** The first character after `/`: the upper bound of the paths of a folder. */
const BEHIND_SLASH = '0'

/**
 * The direct children of some prefixes (`''`, `a/`, `a/b/`), as many as `limit` steps find. A loose index scan: each
 * step is one lookup in the index and skips everything deeper, so that a folder of any size costs as much as a page.
 * In "C" collation the paths of one folder are not contiguous (`a`, `a-b`, `a/c`), so that the steps of one segment
 * are merged.
 */
export const listChildren = read(
  'list_children',
  (a: { spaceId: number; prefixes: readonly string[]; limit: number }) => sql<ChildRow>`
    select c.prefix, c.segment, page.title, c.has_children
    from unnest(${a.prefixes}::text[]) with ordinality as f (prefix, ord)
    cross join lateral (
      with recursive step (path, n) as (
        (select address.path, 1 from page_address address
          where address.space_id = ${a.spaceId} and address.page_id is not null and address.path >= f.prefix order by address.path limit 1)
        union all
        select (select address.path from page_address address
            where address.space_id = ${a.spaceId} and address.page_id is not null and address.path >= case
              when strpos(substr(step.path, length(f.prefix) + 1), '/') > 0
                then f.prefix || split_part(substr(step.path, length(f.prefix) + 1), '/', 1) || ${BEHIND_SLASH}
              else step.path || chr(1) end
            order by address.path limit 1),
          step.n + 1
        from step where step.n < ${a.limit} and starts_with(step.path, f.prefix)
      )
      select f.prefix, split_part(substr(path, length(f.prefix) + 1), '/', 1) as segment,
        bool_or(strpos(substr(path, length(f.prefix) + 1), '/') > 0) as has_children
      from step where path is not null and starts_with(path, f.prefix)
      group by 2
    ) c
    left join page_address address on address.space_id = ${a.spaceId} and address.path = c.prefix || c.segment
    left join page on page.space_id = address.space_id and page.id = address.page_id
    order by f.ord, c.segment collate "C"`,
)
