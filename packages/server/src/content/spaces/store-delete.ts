import { sql } from 'kysely'
import { hasRows } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'

/**
 * Every table whose rows belong to one space by a column `space_id`, in the order in which they are deleted. A test
 * compares this with the catalogue: add a new table here or to `OUTLIVES_SPACE`.
 */
export const TABLES_OF_SPACE: readonly string[] = [
  'page_search',
  'reindexing',
  'search_pending',
  'space_language',
  'link',
  'file_link',
  'space_link',
  'link_rebuild',
  'metadata_key',
  'metadata_event',
  'metadata_entry',
  'metadata_element',
  'page_metadata',
  'notification',
  'watch',
  'comment',
  'thread',
  'merged_revision',
  'request_reviewer',
  'request_review',
  'request_check',
  'draft',
  'change_request',
  'revision',
  'favourite',
  'unsaved_text',
  'share_link',
  'page',
  'page_address',
  'file_version',
  'file',
  'file_address',
  'space_blob',
  'invitation_space',
  'invitation_folder',
  'access_request',
  'space_member',
  'space_group',
  'former_slug',
  'page_order',
  'folder_rule',
]

/** Tables whose rows survive their space: logs, and the positions of backfills. */
export const OUTLIVES_SPACE: readonly string[] = [
  'event',
  'webhook_delivery',
  'audit_entry',
  'retitling',
  'element_indexing',
]

/** Locks the pages of a space and their metadata, as writers do before they refer to the space. */
export async function lockPages(tx: Pick<Tx, 'db'>, id: number): Promise<void> {
  await sql`select count(*) from (select from page where space_id = ${id} order by id for update) locked`.execute(tx.db)
  await sql`select count(*) from (select from page_metadata where space_id = ${id}
    order by page_id for update) locked`.execute(tx.db)
}

/** Locks the space against every writer until the transaction ends. */
export async function lockSpace(tx: Pick<Tx, 'db'>, id: number): Promise<void> {
  await sql`select 1 from space where id = ${id} for update`.execute(tx.db)
}

/** Whether there are pages or files, including those in the trash. */
export async function hasContent(tx: Pick<Tx, 'db'>, id: number): Promise<boolean> {
  return hasRows(tx.db)`select 1 where exists (select 1 from page where space_id = ${id})
    or exists (select 1 from file where space_id = ${id})`
}

/** Ends the redirects of other spaces to pages and files of this one. */
export async function forgetMoves(tx: Pick<Tx, 'db'>, id: number): Promise<void> {
  await sql`update page_address set moved_space_id = null, moved_page_id = null
    where moved_space_id = ${id} and space_id <> ${id}`.execute(tx.db)
  await sql`update file_address set moved_space_id = null, moved_file_id = null
    where moved_space_id = ${id} and space_id <> ${id}`.execute(tx.db)
}

/** Deletes the space and every row that belongs to it. */
export async function deleteRows(tx: Pick<Tx, 'db'>, id: number): Promise<void> {
  for (const table of TABLES_OF_SPACE) await sql`delete from ${sql.table(table)} where space_id = ${id}`.execute(tx.db)
  await sql`delete from space where id = ${id}`.execute(tx.db)
}
