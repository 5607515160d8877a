import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import { type Tx, unlessOvertaken } from '../../platform/database/transaction.ts'
import type { TargetRow } from './store.ts'
import type { Upload } from './upload/upload.ts'
import { findTarget, type StoredVersion, storeVersion } from './write.ts'

/** One of several files to be written. */
export interface BatchFile {
  readonly path: string
  readonly upload: Upload
}

/** How several files are written. */
export interface BatchWrite<T> {
  /** Whether to write a file where `target` is; false leaves it out. */
  accepts(target: TargetRow, path: string): boolean | Promise<boolean>
  /** Makes the result, in the transaction, of what was stored for each file; undefined: it was left out. */
  finish(tx: EventsCtx & Tx, storedVersions: readonly (StoredVersion | undefined)[]): Promise<T>
}

/** Writes files of a space in one transaction, all or none of those that are accepted. */
export async function writeFiles<T>(
  ctx: EventsCtx,
  space: string,
  files: readonly BatchFile[],
  { accepts, finish }: BatchWrite<T>,
): Promise<T> {
  const versions = files.map((file, index) => ({ ...file, space, index, versionId: uuid7() }))
  // In one order for all transactions, against deadlocks.
  versions.sort((one, other) => Buffer.compare(one.upload.digest, other.upload.digest))
  for (;;) {
    const targets = await Promise.all(versions.map(({ path }) => findTarget(ctx, { space, path })))
    const acceptedVersions: ((typeof versions)[number] & { readonly target: TargetRow })[] = []
    for (const [at, version] of versions.entries()) {
      const target = targets[at]
      if (target && (await accepts(target, version.path))) acceptedVersions.push({ ...version, target })
    }
    const now = ctx.now()
    const done = await unlessOvertaken(ctx, async (tx) => {
      const storedVersions = Array.from<StoredVersion | undefined>({ length: files.length })
      for (const version of acceptedVersions)
        storedVersions[version.index] = await storeVersion(tx, { ...version, now })
      return { result: await finish(tx, storedVersions) }
    })
    // Another request has written it meanwhile: the next attempt finds that file.
    if (done) return done.result
  }
}
