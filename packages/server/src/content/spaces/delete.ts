import { AppError } from '@recto/contract/errors.ts'
import { isOrgAdmin } from '../../access/caller.ts'
import { checkIfMatch, type IfMatch } from '../../access/entity-tag.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import { recordEvents } from '../../events/feed/record.ts'
import { recordAuditEntry } from '../../identity/principals/audit.ts'
import { requireConfirmation } from '../../identity/sessions/confirmation.ts'
import { withLongStatements } from '../../platform/database/connections/request-scope.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { changeLocked, toSpace, toTarget } from './space.ts'
import type { SpaceRow } from './store.ts'
import { dropFormerSlugs, releaseAddresses } from './store-addresses.ts'
import { deleteRows, forgetMoves, hasContent, lockPages, lockSpace } from './store-delete.ts'

/**
 * Deletes a space with all of its rows, in one transaction. A space with pages or files is rejected with
 * `space_not_empty`, unless an organisation admin forces it. Concurrent writers then find no space.
 */
export async function deleteSpace(
  ctx: EventsCtx,
  input: IfMatch & { readonly slug: string; readonly force: boolean },
): Promise<void> {
  const { slug, force } = input
  const lock = async (tx: Tx, id: number) => {
    if (force) await lockPages(tx, id)
    // From here on no row of the space can be added: the foreign keys of writers wait for this lock.
    await lockSpace(tx, id)
  }
  const remove = async (tx: EventsCtx & Tx, space: SpaceRow) => {
    if (force && !isOrgAdmin(ctx.actor)) {
      throw new AppError('forbidden', 'Only an organisation admin deletes a space that is not empty.')
    }
    await requireConfirmation(tx)
    checkIfMatch(tx, input, toSpace(space))
    if (!force && (await hasContent(tx, space.id))) {
      const detail =
        `The space \`${slug}\` has pages or files, perhaps in its trash: ` +
        `delete them first, or have an organisation admin force it.`
      throw new AppError('space_not_empty', detail)
    }
    await forgetMoves(tx, space.id)
    const former = await dropFormerSlugs(tx, space.id)
    if (space.kind === 'shared') await releaseAddresses(tx, { ...space, former })
    await deleteRows(tx, space.id)
    if (space.kind === 'shared') await recordDeletion(tx, space, input)
  }
  await withLongStatements(() => changeLocked(ctx, slug, { lock, run: remove }))
}

/** The event, and the entry of the audit log. */
async function recordDeletion(
  tx: EventsCtx & Tx,
  space: SpaceRow,
  { force }: { readonly force: boolean },
): Promise<void> {
  const data = { slug: space.slug, name: space.name }
  await recordEvents(tx, [{ kind: 'space.deleted', spaceId: space.id, actor: tx.actor, at: tx.now(), data }])
  await recordAuditEntry(tx, { action: 'space.deleted', target: toTarget(space), details: { forced: force } })
}
