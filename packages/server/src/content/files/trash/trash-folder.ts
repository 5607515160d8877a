import type { EventsCtx } from '../../../events/feed/ctx.ts'
import { recordEvents } from '../../../events/feed/record.ts'
import type { Tx } from '../../../platform/database/transaction.ts'
import { fileEventData } from '../file.ts'
import {
  type FilesFolder,
  listTrashedBelow,
  lockFilesBelow,
  type TrashingFile,
  trashFiles,
} from './store-folder.ts'

/** Moves the files below a path to the trash. A file that is created concurrently is either included or kept. */
export async function trashFilesBelow(
  tx: EventsCtx & Tx,
  folder: FilesFolder,
  now: Date,
): Promise<readonly TrashingFile[]> {
  const by = { actorId: tx.actor.id, now }
  const done = tx.commitOutcomeUnknown ? await listTrashedBelow(tx, folder, by) : []
  if (done.length > 0) return done
  const ids = await lockFilesBelow(tx, folder)
  if (ids.length === 0) return []
  const { spaceId } = folder
  const files = await trashFiles(tx, spaceId, ids, by)
  const events = files.map((file) => ({
    kind: 'file.deleted' as const,
    spaceId,
    fileId: file.file_id,
    actor: tx.actor,
    at: now,
    data: fileEventData(file),
  }))
  await recordEvents(tx, events)
  return files
}
