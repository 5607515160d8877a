import { findFile, findVersion } from '../files/find.ts'
import { writeFile } from '../files/write.ts'
import { moveToTrash } from '../lifecycle/delete.ts'
import type { MoveOrder } from '../lifecycle/move-order.ts'
import { restoreFile } from '../lifecycle/restore.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { toUpload } from './plan-file.ts'
import { movedFrom, type PlannedChange } from './plan-merge.ts'
import type { MergedChange } from './store.ts'

/** Deletes files and writes others by the use cases of direct writes, where they are now. Returns versions by draft. */
export async function writeFiles(
  ctx: PagesCtx,
  space: string,
  plans: readonly PlannedChange[],
): Promise<ReadonlyMap<number, number>> {
  const versions = new Map<number, number>()
  for (const plan of plans) {
    const { kind, change, from: path, version } = plan
    if (kind === 'deleted' && version !== null) {
      await moveToTrash(ctx, 'file', { space, path, preconditions: toConditions([version]) })
    }
    if (kind === 'edited') versions.set(change.id, await writeDraft(ctx, space, plan))
  }
  return versions
}

/** The files that move, by their present paths, in the versions that are written already. */
export function listMovingFiles(
  plans: readonly PlannedChange[],
  versions: ReadonlyMap<number, number>,
): NonNullable<MoveOrder['files']> {
  return new Map(
    plans.flatMap(({ change, kind, from: path, path: to, version: plannedVersion }) => {
      const version = versions.get(change.id) ?? plannedVersion
      if (kind === 'deleted' || movedFrom(change) === null || version === null) return []
      return [[path, { id: change.file_id ?? 0, path, to, title: '', version }]]
    }),
  )
}

/** Creates a file, or restores it. There must be none at its address: it would need `If-Match`. */
export async function createFile(ctx: PagesCtx, space: string, plan: PlannedChange): Promise<MergedChange> {
  const version = await (plan.kind === 'restored' ? restoreDraft : writeDraft)(ctx, space, plan)
  const { file_id: id } = await findFile(ctx, { space, path: plan.from }, 'editor')
  return { draftId: plan.change.id, id, version, revision: version }
}

/** Restores a file from the trash; one with other bytes in the request gets them as a further version. */
async function restoreDraft(ctx: PagesCtx, space: string, plan: PlannedChange): Promise<number> {
  const { change, path } = plan
  const { version } = await restoreFile(ctx, { space, path, trashedVersion: change.base_version })
  const { digest } = await findVersion(ctx, { space, path })
  return change.digest?.equals(digest) === false ? writeDraft(ctx, space, { ...plan, version }) : version
}

async function writeDraft(ctx: PagesCtx, space: string, { change, from: path, version }: PlannedChange) {
  const upload = toUpload(change)
  if (!upload) throw new Error('a draft of a file has no bytes')
  const preconditions = toConditions(version === null ? undefined : [version])
  const { file } = await writeFile(ctx, { space, path, preconditions }, upload)
  return file.version
}

const toConditions = (ifMatch: readonly number[] | undefined) => ({ ifMatch, ifNoneMatch: undefined, required: true })
