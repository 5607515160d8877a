import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { findFile } from '../files/find.ts'
import { writeFile } from '../files/write.ts'
import { moveToTrash } from '../lifecycle/delete.ts'
import { moveFile } from '../lifecycle/move-file.ts'
import type { MoveOutcome } from '../lifecycle/move-order.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { toUpload } from './plan-file.ts'
import { movedFrom, type PlannedChange } from './plan-merge.ts'
import type { MergedChange } from './store.ts'

/** Makes the changes of files by the use cases of direct writes: what goes away first, what is new last. */
export async function mergeFiles(
  ctx: PagesCtx,
  space: string,
  plans: readonly PlannedChange[],
  leftLinks: MoveOutcome['left'],
): Promise<MergedChange[]> {
  const mergedChanges = new Map(
    plans.map(({ change, version }): [number, MergedChange] => {
      return [change.id, { draftId: change.id, id: change.file_id ?? 0, version: version ?? 0, revision: null }]
    }),
  )
  const pick = (kind: PlannedChange['kind']) => plans.filter((plan) => plan.kind === kind)
  const note = (draftId: number, more: Partial<MergedChange>) => {
    const before = mergedChanges.get(draftId)
    if (before) mergedChanges.set(draftId, { ...before, ...more })
  }
  for (const { from: path, version } of pick('deleted')) {
    if (version !== null) await moveToTrash(ctx, 'file', { space, path, preconditions: toConditions([version]) })
  }
  for (const plan of pick('edited')) note(plan.change.id, await writeDraft(ctx, space, plan))
  for (const [draftId, version] of await moveFiles(ctx, space, plans, leftLinks)) note(draftId, { version })
  for (const plan of pick('created')) note(plan.change.id, await writeDraft(ctx, space, plan))
  return [...mergedChanges.values()]
}

const toConditions = (ifMatch: readonly number[] | '*' | undefined) => ({
  ifMatch,
  ifNoneMatch: undefined,
  required: true,
})

/** Writes the version that a draft has. There must be no file at the address of a new one: it would need `If-Match`. */
async function writeDraft(ctx: PagesCtx, space: string, { change, from, version }: PlannedChange) {
  const upload = toUpload(change)
  if (!upload) throw new Error('a draft of a file has no bytes')
  const preconditions = toConditions(version === null ? undefined : [version])
  const { file } = await writeFile(ctx, { space, path: from, preconditions }, upload)
  const { file_id: id } = await findFile(ctx, { space, path: from }, 'editor')
  return { id, version: file.version, revision: file.version }
}

/** Moves files as the request does, also those that change places; links follow. Returns the versions by draft. */
async function moveFiles(
  ctx: PagesCtx,
  space: string,
  plans: readonly PlannedChange[],
  leftLinks: MoveOutcome['left'],
): Promise<ReadonlyMap<number, number>> {
  const versions = new Map<number, number>()
  const queue = plans.flatMap(({ change, path, kind }) => {
    const from = kind === 'deleted' ? null : movedFrom(change)
    return from === null ? [] : [{ id: change.id, from, to: path }]
  })
  while (queue.length > 0) {
    const index = queue.findIndex(({ to }) => !queue.some(({ from }) => from === to))
    const [move] = queue.splice(Math.max(index, 0), 1)
    if (!move) break
    // One of a circle goes aside until its place is free.
    const aside = index === -1 ? `${move.to}-${uuid7()}` : undefined
    const { version, left } = await moveFile(ctx, {
      ...{ space, path: move.from, to: { path: aside ?? move.to }, dryRun: false },
      rewriteLinks: aside === undefined,
      preconditions: toConditions('*'),
    })
    versions.set(move.id, version)
    for (const link of left) leftLinks.push(link)
    if (aside !== undefined) queue.push({ ...move, from: aside })
  }
  return versions
}
