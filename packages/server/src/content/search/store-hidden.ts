import { isPageOutside } from '../../access/visibility.ts'
import { type Db, queryRows } from '../../platform/database/database.ts'
import { type PageKey, toColumns } from './store.ts'

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
