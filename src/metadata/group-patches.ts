import type { Actor } from '../access/caller.ts'
import type { PageAccess } from '../access/page.ts'
import { unlessOvertaken } from '../database/overtaken.ts'
import type { Tx } from '../database/transaction.ts'
import type { EventsCtx } from '../events/ctx.ts'
import { type EventTx, recordEvents } from '../events/record.ts'
import { GroupCommit } from '../lib/concurrency/group-commit.ts'
import type { KeyChange } from './patch.ts'
import type { KeyProvenance } from './store.ts'
import { keepsCounts, writeChanges } from './store-changes.ts'

const MAX_PATCHES = 16
const MAX_WAIT_MS = 20
/** Larger patches have a transaction of their own, so that one turn of the event loop does not prepare many of them. */
const MAX_KEYS = 8
const MAX_CHARACTERS = 4096

/** What a patch changes on a page. */
export interface PageChange {
  readonly page: Pick<PageAccess, 'id' | 'spaceId' | 'path' | 'title' | 'version'>
  readonly patchId: string
  readonly lastSeq: number
  readonly changes: readonly KeyChange[]
  readonly actor: Actor
  readonly now: Date
}

/** Writes the changes of distinct pages with their events; fails as overtaken where `writeChanges` does. */
export async function writePageChanges(tx: EventTx, patches: readonly PageChange[]): Promise<void> {
  await writeChanges(
    tx,
    patches.map(({ page, patchId, lastSeq, changes, actor, now }) => ({
      spaceId: page.spaceId,
      pageId: page.id,
      patchId,
      lastSeq,
      changes,
      stamps: stampsOf(changes, actor, now),
      actorId: actor.id,
      now,
    })),
  )
  await recordEvents(
    tx,
    patches.map(({ page: { id, spaceId, path, title, version }, changes, actor, now }) => ({
      kind: 'page.metadata.updated',
      spaceId,
      pageId: id,
      actor,
      at: now,
      data: { path, title, version, changedKeys: changes.map(({ key }) => key) },
    })),
  )
}

/** The stamps of the keys that are present after the changes. */
export function stampsOf(changes: readonly KeyChange[], actor: Actor, now: Date): KeyProvenance {
  const present = changes.filter(({ after }) => after !== undefined)
  return Object.fromEntries(present.map(({ key }) => [key, [now.toISOString(), actor.id]]))
}

interface GroupedPatch {
  readonly ctx: Pick<EventsCtx, 'db' | 'config' | 'events'>
  readonly change: PageChange
}

/** Patches of different pages that arrive together share a transaction: most of the cost of a patch is that of its statements. */
export type PatchGroups = GroupCommit<GroupedPatch, boolean>

/** Whether a patch is written is its result: if one of several fails, none is, and each caller tries its own. */
export function createPatchGroups(): PatchGroups {
  return new GroupCommit({ commit: commitPatches, maxItems: MAX_PATCHES, maxWaitMs: MAX_WAIT_MS })
}

async function commitPatches(patches: readonly GroupedPatch[]): Promise<boolean> {
  const [first] = patches
  if (!first) return true
  const { db, config, events } = first.ctx
  const write = async (tx: EventTx & Pick<Tx, 'db'>) => {
    await writePageChanges(
      tx,
      patches.map(({ change }) => change),
    )
    return true
  }
  try {
    return (await unlessOvertaken({ db, config, events }, write)) ?? false
  } catch (error) {
    if (patches.length === 1) throw error
    return false
  }
}

/** Whether a patch may share a transaction: it is small, waits for no lock, and writes nothing that is the request's own. */
export function isGroupable(
  ctx: Pick<EventsCtx, 'idempotency' | 'via'>,
  changes: readonly KeyChange[],
): boolean {
  if (ctx.idempotency || ctx.via !== undefined || changes.length > MAX_KEYS) return false
  return keepsCounts(changes) && JSON.stringify(changes).length <= MAX_CHARACTERS
}
