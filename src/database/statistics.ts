import { sql } from 'kysely'
import type { Db } from './database.ts'

export const REFRESH_STATISTICS =
  'analyze page, page_address, revision, page_search, link, space_link, page_metadata, metadata_entry, metadata_key, metadata_event, space, space_member'

/**
 * Has the planner count anew what grows with content. The server does so by itself some time after much has changed;
 * until then it takes a table that was just filled for a small one, and may walk through all of it for every row.
 */
export async function refreshStatistics(db: Db): Promise<void> {
  await sql.raw(REFRESH_STATISTICS).execute(db)
}
