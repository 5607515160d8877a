import { type PageAddress, parsePagePath } from '@recto/contract/page-address.ts'
import type { Static } from 'typebox'
import type { Resource } from '../../access/resource.ts'
import { requireSpace } from '../../access/space.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import { recordEvents } from '../../events/feed/record.ts'
import { askBeforeBatch, type NeededRole, withNeededRoles } from '../../identity/rights/reauthorization.ts'
import { withLongStatements } from '../../platform/database/limits.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { countPageKeys } from '../metadata/store-keys.ts'
import { chunks } from './chunks.ts'
import { readEventData, toEvent } from './located.ts'
import { noFolder } from './move.ts'
import type { folderDeletionSchema } from './schema.ts'
import { type Folder, type FolderRow, listFolder, listTrashedFolder, lockFolder } from './store-folder.ts'
import { lockAddresses } from './store-move-rows.ts'
import { trashRows } from './store-trash.ts'

export interface DeleteFolder extends PageAddress {
  readonly dryRun: boolean
}

/** The result of deleting a folder, or of its dry run. */
export type FolderDeletion = Static<typeof folderDeletionSchema>

/**
 * Moves the pages and files below a path, and the page at the path if there is one, to the trash; all or none. A page
 * or file that is created in the folder concurrently is either included or kept. For editors.
 */
export async function deleteFolder(whole: EventsCtx, input: DeleteFolder): Promise<FolderDeletion> {
  const path = parsePagePath(input.path)
  const space = await requireSpace(whole, input.space, 'editor')
  const needed: NeededRole = { ...space, role: 'editor', paths: [path] }
  const ctx = withNeededRoles(whole, [needed])
  const folder = { spaceId: space.id, path }
  const now = ctx.now()
  const { pages, files } = input.dryRun
    ? {
        pages: await listFolder(ctx.db, 'page', folder),
        files: await listFolder(ctx.db, 'file', folder),
      }
    : await withLongStatements(() => inTransaction(ctx, (tx) => trashFolder(tx, { ...folder, needed }, now)))
  if (pages.length === 0 && files.length === 0) throw noFolder(path)
  return {
    dryRun: input.dryRun,
    deleted: pages.map(({ path, title, version }) => ({ space: space.slug, path, title, version })),
    files: files.map(({ path, version }) => ({ space: space.slug, path, version })),
  }
}

/** A folder that is deleted by whoever has a role there. */
interface DeletedFolder extends Folder {
  readonly needed: NeededRole
}

async function trashFolder(tx: EventsCtx & Tx, folder: DeletedFolder, now: Date) {
  // Pages before files, as moves lock them.
  const pages = await trashIn(tx, 'page', folder, now)
  const files = await trashIn(tx, 'file', folder, now)
  if (pages.length === 0 && files.length === 0) tx.noChange()
  return { pages, files }
}

async function trashIn(
  tx: EventsCtx & Tx,
  resource: Resource,
  folder: DeletedFolder,
  now: Date,
): Promise<readonly FolderRow[]> {
  const { spaceId } = folder
  const deletion = { actorId: tx.actor.id, now }
  const trashedBefore = tx.commitOutcomeUnknown ? await listTrashedFolder(tx, resource, folder, deletion) : []
  if (trashedBefore.length > 0) return trashedBefore
  const rows = await lockFolder(tx, resource, folder)
  if (rows.length === 0) return rows
  await lockAddresses(tx, resource, {
    spaceIds: rows.map(() => spaceId),
    paths: rows.map(({ path }) => path),
  })
  if (resource === 'page') await countPageKeys(tx, { spaceId, pageIds: rows.map(({ id }) => id) }, -1)
  for (const chunk of chunks(rows)) {
    await askBeforeBatch(tx, [{ ...folder.needed, paths: chunk.map(({ path }) => path) }])
    await trashRows(tx, resource, { spaceId, ids: chunk.map(({ id }) => id) }, deletion)
    const data = await readEventData(tx, resource, spaceId, chunk)
    const events = [...data].map(([id, data]) => toEvent(tx, `${resource}.deleted`, { spaceId, id, data, at: now }))
    await recordEvents(tx, events)
  }
  return rows
}
