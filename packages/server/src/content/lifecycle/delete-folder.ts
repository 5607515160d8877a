import type { Static } from 'typebox'
import { type PageAddress, parsePagePath } from '../../../../contract/src/page-address.ts'
import { requireSpace } from '../../access/space.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import { recordEvents } from '../../events/feed/record.ts'
import { withNeededRoles } from '../../identity/rights/reauthorization.ts'
import { withLongStatements } from '../../platform/database/limits.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import type { MovingFile } from '../files/store-move.ts'
import { listFilesBelow } from '../files/trash/store-folder.ts'
import { trashFilesBelow } from '../files/trash/trash-folder.ts'
import { countPageKeys } from '../metadata/store-keys.ts'
import type { folderDeletionSchema } from '../pages/schema.ts'
import { chunks } from './chunks.ts'
import { noFolder } from './move.ts'
import { lockAddresses } from './store-move.ts'
import { type FolderPage, listFolder, listTrashedFolder, lockFolder, trashPages } from './store-trash.ts'

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
  const ctx = withNeededRoles(whole, [{ ...space, role: 'editor' }])
  const folder = { spaceId: space.id, path }
  const now = ctx.now()
  const { pages, files } = input.dryRun
    ? { pages: await listFolder(ctx.db, folder), files: await listFilesBelow(ctx.db, folder) }
    : await withLongStatements(() => inTransaction(ctx, (tx) => trashFolder(tx, folder, now)))
  if (pages.length === 0 && files.length === 0) throw noFolder(path)
  return {
    dryRun: input.dryRun,
    deleted: pages.map(({ path, title, version }) => ({ space: space.slug, path, title, version })),
    files: files.map(({ path, version }) => ({ space: space.slug, path, version })),
  }
}

interface Folder {
  readonly spaceId: number
  readonly path: string
}

interface FolderContent {
  readonly pages: readonly FolderPage[]
  readonly files: readonly MovingFile[]
}

async function trashFolder(tx: EventsCtx & Tx, folder: Folder, now: Date): Promise<FolderContent> {
  // Pages before files, as moves lock them.
  const pages = await trashFolderPages(tx, folder, now)
  const files = await trashFilesBelow(tx, folder, now)
  if (pages.length === 0 && files.length === 0) tx.noChange()
  return { pages, files }
}

async function trashFolderPages(
  tx: EventsCtx & Tx,
  folder: Folder,
  now: Date,
): Promise<readonly FolderPage[]> {
  const { spaceId } = folder
  const by = { actorId: tx.actor.id, now }
  const done = tx.commitOutcomeUnknown ? await listTrashedFolder(tx, folder, by) : []
  if (done.length > 0) return done
  const pages = await lockFolder(tx, folder)
  if (pages.length === 0) return pages
  await lockAddresses(tx, { spaceIds: pages.map(() => spaceId), paths: pages.map(({ path }) => path) })
  await countPageKeys(tx, { spaceId, pageIds: pages.map(({ id }) => id) }, -1)
  for (const chunk of chunks(pages)) {
    await tx.reauthorization?.enqueue(tx.db)
    await trashPages(tx, spaceId, chunk, by)
    await recordEvents(
      tx,
      chunk.map(({ id, path, title, version }) => ({
        kind: 'page.deleted' as const,
        spaceId,
        pageId: id,
        actor: tx.actor,
        at: now,
        data: { path, title, version },
      })),
    )
  }
  return pages
}
