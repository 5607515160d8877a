import { GroupCommit } from '@recto/lib/concurrency/group-commit.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import { unlessOvertaken } from '../../platform/database/transaction.ts'
import type { KeyChange } from './patch.ts'
import { keepsCounts } from './store-changes.ts'
import { type PageChange, writePageChanges } from './write-changes.ts'

const MAX_PATCHES = 16
const MAX_WAIT_MS = 20
/** Larger patches have a transaction of their own, so that one turn of the event loop does not prepare many of them. */
const MAX_KEYS = 8
const MAX_CHARACTERS = 4096

interface GroupedPatch {
  readonly ctx: Pick<EventsCtx, 'db' | 'config' | 'events'>
  readonly change: PageChange
}

/**
 * Patches of different pages that arrive together share a transaction: most of the cost of a patch is that of its
 * statements.
 */
export type PatchGroups = GroupCommit<GroupedPatch, boolean>

/**
 * The result says whether a patch was written. If one patch of a group fails, none is written, and each caller tries
 * its own.
 */
export function createPatchGroups(): PatchGroups {
  return new GroupCommit({ commit: commitPatches, maxItems: MAX_PATCHES, maxWaitMs: MAX_WAIT_MS })
}

async function commitPatches(patches: readonly GroupedPatch[]): Promise<boolean> {
  const [first] = patches
  if (!first) return true
  const { db, config, events } = first.ctx
  const changes = patches.map(({ change }) => change)
  try {
    const writeResult = await unlessOvertaken({ db, config, events }, async (tx) => {
      await writePageChanges(tx, changes)
      return true
    })
    return writeResult ?? false
  } catch (error) {
    if (patches.length === 1) throw error
    return false
  }
}

/**
 * Whether a patch may share a transaction: it is small, waits for no lock, and writes nothing that is the request's
 * own.
 */
export function isGroupable(
  ctx: Pick<EventsCtx, 'idempotency' | 'reauthorization' | 'via'>,
  changes: readonly KeyChange[],
): boolean {
  if (ctx.idempotency || ctx.via !== undefined || changes.length > MAX_KEYS) return false
  if (ctx.reauthorization?.isDue) return false
  return keepsCounts(changes) && JSON.stringify(changes).length <= MAX_CHARACTERS
}
