import type { PageAddress } from '../../../../contract/src/page-address.ts'
import { withPageLock } from '../../access/page-lock.ts'
import { checkPreconditions, type Preconditions } from '../../access/preconditions.ts'
import { requireRank } from '../../access/space.ts'
import { toAccessSubject, toSpaceAddress } from '../../access/visibility.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import { recordEvents } from '../../events/feed/record.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { recordPurge } from '../files/trash/delete.ts'
import { countPageKeys } from '../metadata/store-keys.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { findPage, type LocatedPage } from '../pages/find.ts'
import { findLeft, readTrashed, removePages, trashPage } from './store-trash.ts'

export interface DeletePage extends PageAddress {
  readonly preconditions: Preconditions
}

/** Moves the page to the trash if `If-Match` names its current version. */
export async function deletePage(ctx: PagesCtx, input: DeletePage): Promise<void> {
  await removeStanding(ctx, input, await findPage(ctx, input, 'editor'), 'trash')
}

/**
 * Deletes a page permanently: the current one at the address if `If-Match` names its version, else the one that was
 * deleted there last. For admins of the space.
 */
export async function purgePage(ctx: PagesCtx, input: DeletePage): Promise<void> {
  const args = { ...toAccessSubject(ctx.actor), slug: input.space, path: input.path }
  const row = await readTrashed[toSpaceAddress(input.space)].first(ctx.db, args)
  const { space_id: spaceId, space_slug: space, id, page_id } = requireRank(row, input.space, 'admin')
  if (page_id === null && id !== null) {
    const gone = await inTransaction(ctx, async (tx) => {
      const removed = await removePages(tx, spaceId, [id])
      if (removed.length > 0) await recordPurge(tx, 'page.purged', { space, spaceId, path: input.path })
      return removed.length > 0 || tx.commitOutcomeUnknown
    })
    if (gone) return
  }
  await removeStanding(ctx, input, await findPage(ctx, input, 'admin'), 'purge')
}

async function removeStanding(
  ctx: PagesCtx,
  input: DeletePage,
  seen: LocatedPage,
  to: 'trash' | 'purge',
): Promise<void> {
  // Only the ETag counts here: the page exists.
  const conditions = { ...input.preconditions, ifNoneMatch: undefined, required: true }
  checkPreconditions(seen.current, conditions)
  const now = ctx.now()
  await withPageLock(ctx.pages.writers, `${seen.space_id}/${input.path}`, async () => {
    for (let page = seen; ; page = await findPage(ctx, input, to === 'trash' ? 'editor' : 'admin')) {
      checkPreconditions(page.current, conditions)
      if (await inTransaction(ctx, (tx) => removeOnce(tx, page, now, to))) return
    }
  })
}

/** One attempt: false when the page was changed since it was read. */
async function removeOnce(
  tx: EventsCtx & Tx,
  page: LocatedPage,
  now: Date,
  to: 'trash' | 'purge',
): Promise<boolean> {
  const { space_id: spaceId, page_id: pageId, path, title, version } = page
  const at = { spaceId, pageId, path, expected: version, actorId: tx.actor.id, now }
  if (!(await trashPage.first(tx.db, at))) {
    if (!tx.commitOutcomeUnknown) return false
    const left = await findLeft.first(tx.db, at)
    return to === 'trash' ? left?.trashed === true : left === undefined
  }
  await countPageKeys(tx, { spaceId, pageIds: [pageId] }, -1)
  if (to === 'purge') {
    await removePages(tx, spaceId, [pageId])
    await recordPurge(tx, 'page.purged', { space: page.space_slug, spaceId, path })
  }
  const purged = to === 'purge' ? { purged: true } : {}
  await recordEvents(tx, [
    {
      kind: 'page.deleted',
      spaceId,
      pageId,
      actor: tx.actor,
      at: now,
      data: { path, title, version, ...purged },
    },
  ])
  return true
}
