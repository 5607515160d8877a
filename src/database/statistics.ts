import { sql } from 'kysely'
import type { Db } from './database.ts'

export const REFRESH_STATISTICS =
  'analyze page, page_address, revision, page_search, link, space_link, page_metadata, metadata_entry, metadata_element, metadata_key, metadata_event, space, space_member'

/**
 * Updates the planner's statistics (ANALYZE) of the tables that grow with content. The server does so by itself some
 * time after many changes; until then it assumes that a table that was just filled is small, and may scan all of it
 * for every row.
 */
export async function refreshStatistics(db: Db): Promise<void> {
  await sql.raw(REFRESH_STATISTICS).execute(db)
}
