import type { PageAddress } from '@recto/contract/page-address.ts'
import { requireRank } from '../../access/caller.ts'
import { withPageLock } from '../../access/page.ts'
import { checkPreconditions, type Preconditions } from '../../access/preconditions.ts'
import type { Resource } from '../../access/resource.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import { recordEvents } from '../../events/feed/record.ts'
import { recordAuditEntry } from '../../identity/principals/audit.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { countPageKeys } from '../metadata/store-keys.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { readTrashedAt } from './find-trashed.ts'
import { type Located, locate, toEvent } from './located.ts'
import { purgeRows } from './store-purge.ts'
import { findTrashedBy, trashRow } from './store-trash.ts'

export interface Removal extends PageAddress {
  readonly preconditions: Preconditions
}

type Destination = 'trash' | 'purge'

/** Moves the page or file to the trash if `If-Match` names its current version. */
export async function moveToTrash(ctx: PagesCtx, resource: Resource, input: Removal): Promise<void> {
  await removeExisting(ctx, resource, input, 'trash')
}

/** Deletes a page or file permanently: the current one by `If-Match`, else the last deleted. For space admins. */
export async function purge(ctx: PagesCtx, resource: Resource, input: Removal): Promise<void> {
  const row = await readTrashedAt(ctx, resource, input)
  const { space_id: spaceId, space_slug: space, id, current_id } = requireRank(row, input.space, 'admin', input.path)
  if (current_id === null && id !== null) {
    const isPurged = await inTransaction(ctx, async (tx) => {
      const purgeFlag = await purgeRows(tx, resource, { spaceId, ids: [id] })
      if (purgeFlag.length > 0) await recordPurge(tx, resource, { space, spaceId, path: input.path })
      return purgeFlag.length > 0 || tx.commitOutcomeUnknown
    })
    if (isPurged) return
  }
  await removeExisting(ctx, resource, input, 'purge')
}

async function removeExisting(ctx: PagesCtx, resource: Resource, input: Removal, to: Destination): Promise<void> {
  const find = () => locate(ctx, resource, input, to === 'trash' ? 'editor' : 'admin')
  // Only the ETag counts here: there is something at the address.
  const conditions = { ...input.preconditions, ifNoneMatch: undefined, required: true }
  const seenPage = await find()
  checkPreconditions(seenPage.current, conditions, resource)
  const now = ctx.now()
  const remove = async () => {
    for (let item = seenPage; ; item = await find()) {
      checkPreconditions(item.current, conditions, resource)
      if (await inTransaction(ctx, (tx) => removeOnce(tx, resource, item, now, to))) return
    }
  }
  // Writers of a page wait for each other in this process; those of a file do not.
  if (resource === 'file') await remove()
  else await withPageLock(ctx.pages.writers, `${seenPage.spaceId}/${input.path}`, remove)
}

/** One attempt: false when the page or file was changed since it was read. */
async function removeOnce(
  tx: EventsCtx & Tx,
  resource: Resource,
  item: Located,
  now: Date,
  to: Destination,
): Promise<boolean> {
  const { spaceId, id, version } = item
  const at = { spaceId, id, path: item.path, expected: version, actorId: tx.actor.id, now }
  if (!(await trashRow[resource].first(tx.db, at))) {
    if (!tx.commitOutcomeUnknown) return false
    const remaining = await findTrashedBy[resource].first(tx.db, at)
    return to === 'trash' ? remaining?.trashed === true : remaining === undefined
  }
  if (resource === 'page') await countPageKeys(tx, { spaceId, pageIds: [id] }, -1)
  if (to === 'purge') {
    await purgeRows(tx, resource, { spaceId, ids: [id] })
    await recordPurge(tx, resource, item)
  }
  const data = { ...item.data, ...(to === 'purge' && { purged: true }) }
  await recordEvents(tx, [toEvent(tx, `${resource}.deleted`, { ...item, data, at: now })])
  return true
}

/** A permanent deletion is in the audit log, except in a personal space, which is private. */
async function recordPurge(
  tx: EventsCtx & Tx,
  resource: Resource,
  { space, spaceId, path }: PageAddress & { readonly spaceId: number },
): Promise<void> {
  if (space === 'personal') return
  const target = { type: 'space', spaceId, id: space, name: space } as const
  await recordAuditEntry(tx, { action: `${resource}.purged`, target, details: { path } })
}
