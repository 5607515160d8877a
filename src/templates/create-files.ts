import type { Destination } from '../bulk/create-many.ts'
import type { Tx } from '../database/transaction.ts'
import type { EventsCtx } from '../events/ctx.ts'
import { recordEvents } from '../events/record.ts'
import { fileEventData } from '../files/file.ts'
import { checkQuota } from '../files/quota.ts'
import type { SpaceTemplate } from './space-template.ts'
import { insertFiles, lockTemplateFiles } from './store-template-files.ts'

/** Creates the files of a template in a new space; their bytes are those that the template has. */
export async function createFiles(
  tx: EventsCtx & Tx,
  { source, id }: SpaceTemplate,
  { spaceId, now }: Destination,
): Promise<void> {
  const files = source === 'builtin' ? [] : await lockTemplateFiles(tx, { source, id })
  if (files.length === 0) return
  const actorId = tx.actor.id
  const ids = await insertFiles(tx, files, { spaceId, actorId, now })
  await checkQuota(tx, spaceId)
  await recordEvents(
    tx,
    files.flatMap((file) => {
      const fileId = ids.get(file.path)
      if (fileId === undefined) return []
      const data = fileEventData({ ...file, version: 1 })
      return [{ kind: 'file.created' as const, spaceId, fileId, actorId, at: now, data }]
    }),
  )
}
