import type { Nodes } from './nodes.ts'

/** Pages in the trash that still have a row in the search index. Searches would hide them, but the index would grow. */
export async function indexedInTrash(nodes: Nodes): Promise<string[]> {
  const { rows } = await nodes.query(`
    select page.path from page_search
    join page on page.space_id = page_search.space_id and page.id = page_search.page_id
    where page.deleted_at is not null order by page.path`)
  return rows.map(({ path }) => path)
}
