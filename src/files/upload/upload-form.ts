import { AppError } from '../../errors.ts'
import type { EventsCtx } from '../../events/ctx.ts'
import { uuid7 } from '../../lib/encoding/uuid7.ts'
import type { File } from '../file.ts'
import { fileExists } from '../trash/restore.ts'
import { findTarget, storeVersion, unlessOvertaken } from '../write.ts'
import type { FormFile } from './multipart.ts'

/** Creates the files of a form in one transaction, all or none; `file_exists` if one of them exists already. */
export async function createFiles(
  ctx: EventsCtx,
  space: string,
  files: readonly FormFile[],
): Promise<File[]> {
  const paths = files.map(({ path }) => path)
  const twice = paths.find((path, index) => paths.indexOf(path) !== index)
  if (twice !== undefined)
    throw new AppError('invalid_request', `Two files of the form have the path \`${twice}\`.`)
  const versions = files.map((file) => ({ ...file, versionId: uuid7() }))
  // In one order for all transactions, against deadlocks.
  versions.sort((one, other) => Buffer.compare(one.upload.digest, other.upload.digest))
  for (;;) {
    const targets = await Promise.all(versions.map(({ path }) => findTarget(ctx, { space, path })))
    const taken = versions.find((_, index) => targets[index]?.file_id !== null)
    if (taken) throw fileExists(taken.path)
    const now = ctx.now()
    const created = await unlessOvertaken(ctx, async (tx) => {
      const stored = new Map<string, File>()
      for (const [index, { path, upload, versionId }] of versions.entries()) {
        const target = targets[index]
        if (!target) continue
        const { file } = await storeVersion(tx, { space, path, target, upload, versionId, now })
        stored.set(path, file)
      }
      const result = paths.flatMap((path) => stored.get(path) ?? [])
      await tx.saveIdempotentResult(result)
      return result
    })
    // Another writer was faster: the next attempt finds its file.
    if (created) return created
  }
}
