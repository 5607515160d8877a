import { sql } from 'kysely'
import type { Actor } from '../../access/caller.ts'
import { pageIcon } from '../../access/page.ts'
import { type VerifiedRow, verificationColumn } from '../../access/verification.ts'
import { viaName } from '../../access/via.ts'
import { type AccessSubject, isPageOutside, isVisible } from '../../access/visibility.ts'
import { type Db, queryRows, read } from '../../platform/database/database.ts'
import { type PageKey, toColumns } from './store.ts'

export interface FoundRow extends VerifiedRow {
  readonly page_id: number
  readonly space: string
  readonly path: string
  readonly title: string
  readonly icon: string | null
  readonly version: number
  readonly updated_at: Date
  readonly revision_id: string
  readonly data: Buffer
  /** Who changed it last. */
  readonly editor: Actor
}

interface FoundArgs extends AccessSubject {
  readonly foundSpaces: readonly number[]
  readonly foundPages: readonly number[]
}

/** The members of hits for some pages, in their order. A rule that hides one by now holds at once. */
export const readFound = read(
  'found_pages',
  (a: FoundArgs) => sql<FoundRow>`
    select page.id as page_id, coalesce(space.slug, 'personal') as space, page.path, page.title, ${pageIcon} as icon,
      page.version,
      page.updated_at, page.revision_id, coalesce(page.body, revision.data) as data,
      json_strip_nulls(json_build_object('id', editor.id, 'name', editor.name, 'kind', editor.kind, 'via',
        ${viaName('page.updated_via')})) as editor, ${verificationColumn}
    from unnest(${a.foundSpaces}::bigint[], ${a.foundPages}::bigint[]) with ordinality as hit (space_id, page_id, n)
    join page on page.space_id = hit.space_id and page.id = hit.page_id and page.deleted_at is null
    join revision
      on revision.space_id = page.space_id and revision.page_id = page.id and revision.version = page.version
    join space on space.id = page.space_id
    left join principal editor on editor.id = page.updated_by
    where ${isVisible(a, 'page.space_id', 'page.path')}
    order by hit.n`,
  { isLong: true },
)

/** The pages among some that are not at a hidden place. */
export async function dropHidden<Page extends PageKey>(
  db: Db,
  hidden: string | null,
  pages: readonly Page[],
): Promise<Page[]> {
  const { spaceIds, pageIds } = toColumns(pages)
  const rows = await queryRows<{ page_id: number }>(db)`
    select page_id from unnest(${spaceIds}::bigint[], ${pageIds}::bigint[]) as page (space_id, page_id)
    where ${isPageOutside(hidden, 'page.space_id', 'page.page_id')}`
  const ids = new Set(rows.map(({ page_id }) => page_id))
  return pages.filter(({ page_id }) => ids.has(page_id))
}
