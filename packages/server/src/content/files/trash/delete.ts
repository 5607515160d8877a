import type { PageAddress } from '../../../../../contract/src/page-address.ts'
import { checkPreconditions, type Preconditions } from '../../../access/preconditions.ts'
import { requireRank } from '../../../access/space.ts'
import { toSpaceAddress } from '../../../access/visibility.ts'
import type { EventsCtx } from '../../../events/feed/ctx.ts'
import { recordEvents } from '../../../events/feed/record.ts'
import { recordAuditEntry } from '../../../identity/principals/audit.ts'
import { inTransaction, type Tx } from '../../../platform/database/transaction.ts'
import { fileEventData } from '../file.ts'
import { addressArgs, findFile, type LocatedFile, toCurrentVersion } from '../find.ts'
import { findTrashedBy, purgeFiles, readTrashed, trashFile } from './store-trash.ts'

export interface DeleteFile extends PageAddress {
  readonly preconditions: Preconditions
}

/** Moves the file to the trash if `If-Match` names its current version. */
export async function deleteFile(ctx: EventsCtx, input: DeleteFile): Promise<void> {
  await removeExisting(ctx, input, await findFile(ctx, input, 'editor'), 'trash')
}

/**
 * Deletes a file permanently: the current one at the address if `If-Match` names its version, else the one that was
 * deleted there last. For admins of the space.
 */
export async function purgeFile(ctx: EventsCtx, input: DeleteFile): Promise<void> {
  const row = await readTrashed[toSpaceAddress(input.space)].first(ctx.db, addressArgs(ctx, input))
  const {
    space_id: spaceId,
    space_slug: space,
    id,
    file_id: existing,
  } = requireRank(row, input.space, 'admin')
  if (existing === null && id !== null) {
    const gone = await inTransaction(ctx, async (tx) => {
      const removed = await purgeFiles(tx, spaceId, [id])
      if (removed.length > 0) await recordPurge(tx, 'file.purged', { space, spaceId, path: input.path })
      return removed.length > 0 || tx.commitOutcomeUnknown
    })
    if (gone) return
  }
  await removeExisting(ctx, input, await findFile(ctx, input, 'admin'), 'purge')
}

async function removeExisting(
  ctx: EventsCtx,
  input: DeleteFile,
  seen: LocatedFile,
  to: 'trash' | 'purge',
): Promise<void> {
  // Only the ETag counts here: the file exists.
  const conditions = { ...input.preconditions, ifNoneMatch: undefined, required: true }
  const now = ctx.now()
  for (let file = seen; ; file = await findFile(ctx, input, to === 'trash' ? 'editor' : 'admin')) {
    checkPreconditions(toCurrentVersion(file), conditions, 'file')
    if (await inTransaction(ctx, (tx) => removeOnce(tx, file, now, to))) return
  }
}

/** One attempt: false when the file was changed since it was read. */
async function removeOnce(
  tx: EventsCtx & Tx,
  file: LocatedFile,
  now: Date,
  to: 'trash' | 'purge',
): Promise<boolean> {
  const { space_id: spaceId, file_id: fileId, path, version } = file
  const at = { spaceId, fileId, path, expected: version, actorId: tx.actor.id, now }
  if (!(await trashFile.first(tx.db, at))) {
    if (!tx.commitOutcomeUnknown) return false
    const left = await findTrashedBy.first(tx.db, at)
    return to === 'trash' ? left?.trashed === true : left === undefined
  }
  if (to === 'purge') {
    await purgeFiles(tx, spaceId, [fileId])
    await recordPurge(tx, 'file.purged', { space: file.space_slug, spaceId, path })
  }
  const data = { ...fileEventData(file), ...(to === 'purge' && { purged: true }) }
  await recordEvents(tx, [{ kind: 'file.deleted', spaceId, fileId, actor: tx.actor, at: now, data }])
  return true
}

/** A permanent deletion is in the audit log, except in a personal space, which is private. */
export async function recordPurge(
  tx: EventsCtx & Tx,
  action: 'page.purged' | 'file.purged',
  { space, spaceId, path }: PageAddress & { readonly spaceId: number },
): Promise<void> {
  if (space === 'personal') return
  const target = { type: 'space', spaceId, id: space, name: space } as const
  await recordAuditEntry(tx, { action, target, details: { path } })
}
