import { type AccessSubject, isReadable } from '../../access/visibility.ts'
import { type Db, queryRows } from '../../platform/database/database.ts'

/** A page that is open in a browser. */
export interface OpenPageRow {
  readonly n: number
  readonly space_id: number
  readonly page_id: number
  readonly version: number
  /** Whether the caller does not want to be shown to others. */
  readonly is_hidden: boolean
}

/** Those of some addresses where the caller can read a page, by their position. */
export async function findOpenPages(
  db: Db,
  subject: AccessSubject,
  addresses: readonly { readonly space: string; readonly path: string }[],
): Promise<readonly OpenPageRow[]> {
  const [slugs, paths] = [addresses.map(({ space }) => space), addresses.map(({ path }) => path)]
  return queryRows<OpenPageRow>(db)`
    select (given.n - 1)::int as n, page.space_id, page.id as page_id, page.version,
      coalesce((select hides_presence from person_setting where principal_id = ${subject.principalId}),
        false) as is_hidden
    from unnest(${slugs}::text[], ${paths}::text[]) with ordinality as given (slug, path, n)
    join space on space.id = (case given.slug
      when 'personal' then (select id from space where owner_id = ${subject.ownerId})
      else (select id from space where slug = given.slug) end)
    join page_address address on address.space_id = space.id and address.path = given.path
    join page on page.space_id = space.id and page.id = address.page_id and page.deleted_at is null
    where ${isReadable(subject, 'space.id', 'given.path')} order by given.n`
}
