import { AppError } from '../../../../../contract/src/errors.ts'
import type { PageAddress } from '../../../../../contract/src/page-address.ts'
import { uuid7 } from '../../../../../lib/src/encoding/uuid7.ts'
import { authorColumns } from '../../../access/authors.ts'
import { requireRank } from '../../../access/space.ts'
import { toSpaceAddress } from '../../../access/visibility.ts'
import type { EventsCtx } from '../../../events/feed/ctx.ts'
import { recordEvents } from '../../../events/feed/record.ts'
import { inTransaction, type Tx } from '../../../platform/database/transaction.ts'
import { findMovedAddress } from '../../../platform/http/addresses/moved-address.ts'
import { fileEventData, toFile } from '../file.ts'
import { addressArgs, findMovedTo } from '../find.ts'
import type { FileAfterWrite } from '../schema.ts'
import { findWritten } from '../store.ts'
import { usersOfFile } from '../users.ts'
import { readTrashed, restoreTrashed, type TrashedFileRow } from './store-trash.ts'

interface Trashed extends TrashedFileRow {
  readonly id: number
}

/**
 * Restores the file that was deleted last at an address, with its versions, as the next version of the address;
 * `file_exists` if there is another file.
 */
export async function restoreFile(ctx: EventsCtx, address: PageAddress): Promise<FileAfterWrite> {
  const versionId = uuid7()
  for (;;) {
    const trashed = await findTrashedFile(ctx, address)
    const redirectEnded = findMovedAddress(await findMovedTo(ctx, address))
    const now = ctx.now()
    const restored = await inTransaction(ctx, async (tx) => {
      const restoredFile = await restoreOnce(tx, trashed, versionId, now)
      if (!restoredFile) return tx.noChange()
      const file = { ...restoredFile, ...(redirectEnded && { redirectEnded }) }
      await tx.saveIdempotentResult(file)
      return file
    })
    if (restored) return restored
  }
}

async function findTrashedFile(ctx: EventsCtx, address: PageAddress): Promise<Trashed> {
  const found = await readTrashed[toSpaceAddress(address.space)].first(ctx.db, addressArgs(ctx, address))
  const row = requireRank(found, address.space, 'editor')
  if (row.file_id !== null) throw fileExists(address.path)
  if (row.id !== null) return { ...row, id: row.id }
  throw new AppError('not_found', `No file that was at \`${address.path}\` is in the trash.`)
}

/** One attempt: undefined when the file was restored or removed, or its path taken, since it was read. */
async function restoreOnce(
  tx: EventsCtx & Tx,
  trashed: Trashed,
  versionId: string,
  now: Date,
): Promise<FileAfterWrite | undefined> {
  const { space_id: spaceId, id: fileId, path } = trashed
  const at = { spaceId, fileId, path, expected: trashed.version, actorId: tx.actor.id, now, versionId }
  const written = await restoreTrashed.first(tx.db, at)
  const known = written ?? (tx.commitOutcomeUnknown ? await findWritten.first(tx.db, at) : undefined)
  if (!known) return undefined
  const row = { ...trashed, ...authorColumns(tx.actor, trashed), version: known.version, updated_at: now }
  if (written) {
    const data = { ...fileEventData(row), restored: true }
    await recordEvents(tx, [{ kind: 'file.created', spaceId, fileId, actor: tx.actor, at: now, data }])
  }
  const usedBy = await usersOfFile(tx, spaceId, fileId)
  return toFile(row, trashed.space_slug, tx.config.publicUrl, usedBy)
}

export function fileExists(path: string): AppError {
  return new AppError('file_exists', `A file is at \`${path}\` already: move or delete it first.`)
}
