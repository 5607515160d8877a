import assert from 'node:assert/strict'
import type { Nodes } from './nodes.ts'

/** Have a page, and outlive it: the log of events, drafts, addresses, and the positions of backfills. */
const OUTLIVE_PAGE = ['draft', 'event', 'page_address', 'element_indexing', 'reindexing', 'retitling']

/** The tables whose rows belong to a page, by the columns `space_id` and `page_id`. */
export async function tablesOfPages(nodes: Nodes): Promise<string[]> {
  const { rows } = await nodes.query(
    `select relname as name from pg_class c where relkind = 'r' and relnamespace = 'public'::regnamespace
       and 2 = (select count(*) from pg_attribute where attrelid = c.oid and attname in ('space_id', 'page_id'))
       and relname <> all ($1) order by 1`,
    [OUTLIVE_PAGE],
  )
  return rows.map(({ name }) => name)
}

/** Fails where a row belongs to a page that does not exist, or that is in another space. */
export async function assertNoOrphans(nodes: Nodes): Promise<void> {
  for (const table of await tablesOfPages(nodes)) {
    const { rows } = await nodes.query(
      `select * from ${table} t where page_id is not null and not exists (select from page p where p.space_id = t.space_id and p.id = t.page_id) limit 5`,
    )
    assert.deepEqual(rows, [], table)
  }
}
