import { type RawBuilder, sql } from 'kysely'
import { isTemplate } from '../../../access/template-folder.ts'
import { type AccessSubject, isVisible } from '../../../access/visibility.ts'
import { type Db, queryRows } from '../../../platform/database/database.ts'

export interface TemplateRow {
  readonly space_slug: string
  readonly path: string
  readonly title: string
  readonly version: number
  readonly frontmatter: string
  readonly updated_at: Date
  /** Size of the body in bytes, and the compressed body. */
  readonly size: number
  readonly data: Buffer
}

interface TemplateWindow {
  readonly spaces: RawBuilder<unknown>
  readonly subject: AccessSubject
  readonly after: readonly [string, string] | undefined
  readonly limit: number
}

/** Template pages of some spaces that the caller can read, by the slug of their space and their path. */
export async function listTemplatePages(
  db: Db,
  { spaces, subject, after, limit }: TemplateWindow,
): Promise<TemplateRow[]> {
  const slug = sql`coalesce(space.slug, 'personal') collate "C"`
  return queryRows<TemplateRow>(db)`
    with listed as (
      select ${slug} as space_slug, address.space_id, address.page_id, address.path
      from space join page_address as address on address.space_id = space.id
      where space.id in ${spaces} and address.page_id is not null
        and ${isTemplate('address.path')}
        and ${isVisible(subject, 'address.space_id', 'address.path')}
        ${after === undefined ? sql`` : sql`and (${slug}, address.path) > (${after[0]}, ${after[1]})`}
      order by space_slug, address.path limit ${limit}
    )
    select listed.space_slug, page.path, page.title, page.version, page.frontmatter, page.updated_at, revision.size,
      coalesce(page.body, revision.data) as data
    from listed
    join page on page.space_id = listed.space_id and page.id = listed.page_id
    join revision on revision.space_id = page.space_id and revision.page_id = page.id
      and revision.version = page.version
    order by listed.space_slug, page.path`
}
