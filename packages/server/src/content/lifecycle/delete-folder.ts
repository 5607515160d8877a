import { type PageAddress, parsePagePath } from '@recto/contract/page-address.ts'
import type { Static } from 'typebox'
import type { Resource } from '../../access/resource.ts'
import { requirePaths, requireSpace, type SpaceAccess, toNeededPlaces } from '../../access/space.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import { recordEvents } from '../../events/feed/record.ts'
import { askBeforeBatch, withNeededRoles } from '../../identity/rights/reauthorization.ts'
import { withLongStatements } from '../../platform/database/connections/request-scope.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { countPageKeys } from '../metadata/store-keys.ts'
import { chunks } from './chunks.ts'
import { readEventData, toEvent } from './located.ts'
import { noFolder, requireFolder } from './move.ts'
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
 * Moves the pages and files below a path, and the page at the path if there is one, to the trash; all that the caller
 * can read, or none. A page or file that is created in the folder concurrently is either included or kept. For editors.
 */
export async function deleteFolder(whole: EventsCtx, input: DeleteFolder): Promise<FolderDeletion> {
  const path = parsePagePath(input.path)
  const space = await requireSpace(whole, input.space, 'viewer')
  const folder = { space, spaceId: space.id, path }
  const now = whole.now()
  const plan = await listContents(whole, folder)
  const needs = await requireContents(whole, folder, plan)
  const ctx = withNeededRoles(whole, needs)
  const { pages, files } = input.dryRun
    ? plan
    : await withLongStatements(() => inTransaction(ctx, (tx) => trashFolder(tx, folder, now)))
  if (pages.length === 0 && files.length === 0) throw noFolder(path)
  return {
    dryRun: input.dryRun,
    deleted: pages.map(({ path, title, version }) => ({ space: space.slug, path, title, version })),
    files: files.map(({ path, version }) => ({ space: space.slug, path, version })),
  }
}

interface FolderInSpace extends Folder {
  readonly space: SpaceAccess
}

interface Contents {
  readonly pages: readonly FolderRow[]
  readonly files: readonly FolderRow[]
}

async function listContents(ctx: EventsCtx, folder: Folder): Promise<Contents> {
  const subject = toAccessSubject(ctx.actor)
  return {
    pages: await listFolder(ctx.db, subject, 'page', folder),
    files: await listFolder(ctx.db, subject, 'file', folder),
  }
}

/** The roles that deleting the contents needs. Throws if the caller does not have them. */
async function requireContents(
  ctx: Pick<EventsCtx, 'db' | 'actor'>,
  { space, path }: FolderInSpace,
  { pages, files }: Contents,
) {
  const paths = [...pages, ...files].map((row) => row.path)
  if (paths.length === 0) return requireFolder(ctx, space, path)
  return toNeededPlaces(space, await requirePaths(ctx, space, paths, 'editor'), 'editor')
}

async function trashFolder(tx: EventsCtx & Tx, folder: FolderInSpace, now: Date): Promise<Contents> {
  // Pages before files, as moves lock them.
  const pages = await trashIn(tx, 'page', folder, now)
  const files = await trashIn(tx, 'file', folder, now)
  if (pages.length === 0 && files.length === 0) tx.noChange()
  return { pages, files }
}

async function trashIn(
  tx: EventsCtx & Tx,
  resource: Resource,
  folder: FolderInSpace,
  now: Date,
): Promise<readonly FolderRow[]> {
  const { spaceId } = folder
  const deletion = { actorId: tx.actor.id, now }
  const trashedBefore = tx.commitOutcomeUnknown ? await listTrashedFolder(tx, resource, folder, deletion) : []
  if (trashedBefore.length > 0) return trashedBefore
  const rows = await lockFolder(tx, toAccessSubject(tx.actor), resource, folder)
  if (rows.length === 0) return rows
  const { id, slug } = folder.space
  await lockAddresses(tx, resource, { spaceIds: rows.map(() => spaceId), paths: rows.map(({ path }) => path) })
  if (resource === 'page') await countPageKeys(tx, { spaceId, pageIds: rows.map(({ id }) => id) }, -1)
  for (const chunk of chunks(rows)) {
    await askBeforeBatch(tx, [{ id, slug, role: 'editor', paths: chunk.map(({ path }) => path) }])
    await trashRows(tx, resource, { spaceId, ids: chunk.map(({ id }) => id) }, deletion)
    const data = await readEventData(tx, resource, spaceId, chunk)
    const events = [...data].map(([id, data]) => toEvent(tx, `${resource}.deleted`, { spaceId, id, data, at: now }))
    await recordEvents(tx, events)
  }
  return rows
}
