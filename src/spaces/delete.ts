import { recordAuditEntry } from '../access/audit.ts'
import { isOrgAdmin } from '../access/caller.ts'
import { checkIfMatch, type IfMatch } from '../access/entity-tag.ts'
import { withLongStatements } from '../database/limits.ts'
import { inTransaction, type Tx } from '../database/transaction.ts'
import { AppError } from '../errors.ts'
import type { EventsCtx } from '../events/ctx.ts'
import { recordEvents } from '../events/record.ts'
import { readLocked, requireRow, targetOf } from './space.ts'
import { releaseAddresses } from './store-addresses.ts'
import { deleteRows, forgetMoves, hasContent, lockPages, lockSpace } from './store-delete.ts'
import { dropFormerSlugs } from './store-slugs.ts'

/**
 * Deletes a space with all of its rows, in one transaction. A space with pages or files is rejected with
 * `space_not_empty`, unless an organisation admin forces it. Concurrent writers then find no space.
 */
export async function deleteSpace(
  ctx: EventsCtx,
  input: IfMatch & { readonly slug: string; readonly force: boolean },
): Promise<void> {
  const space = await requireRow(ctx, input.slug, 'admin')
  if (input.force && !isOrgAdmin(ctx.actor)) {
    throw new AppError('forbidden', 'Only an organisation admin deletes a space that is not empty.')
  }
  const remove = async (tx: EventsCtx & Tx) => {
    if (input.force) await lockPages(tx, space.id)
    // From here on no row of the space can be added: the foreign keys of writers wait for this lock.
    if (!(await lockSpace(tx, space.id))) {
      if (tx.commitOutcomeUnknown) return
      throw new AppError('not_found', `There is no space \`${input.slug}\` that you can see.`)
    }
    checkIfMatch(tx, input, await readLocked(tx, space))
    if (!input.force && (await hasContent(tx, space.id))) {
      const detail = `The space \`${input.slug}\` has pages or files, perhaps in its trash: delete them first, or have an organisation admin force it.`
      throw new AppError('space_not_empty', detail)
    }
    await forgetMoves(tx, space.id)
    const former = await dropFormerSlugs(tx, space.id)
    if (space.kind === 'shared') await releaseAddresses(tx, { ...space, former })
    await deleteRows(tx, space.id)
    if (space.kind === 'shared') await recordDeletion(tx, space, input)
  }
  await withLongStatements(() => inTransaction(ctx, remove))
}

/** The event, and the entry of the audit log. */
async function recordDeletion(
  tx: EventsCtx & Tx,
  space: Awaited<ReturnType<typeof requireRow>>,
  { force }: { readonly force: boolean },
): Promise<void> {
  const data = { slug: space.slug, name: space.name }
  await recordEvents(tx, [{ kind: 'space.deleted', spaceId: space.id, actor: tx.actor, at: tx.now(), data }])
  await recordAuditEntry(tx, { action: 'space.deleted', target: targetOf(space), details: { forced: force } })
}
