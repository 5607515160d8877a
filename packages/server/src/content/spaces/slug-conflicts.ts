import { AppError } from '@recto/contract/errors.ts'
import type { Ctx } from '../../access/ctx.ts'
import { recordAuditEntry } from '../../identity/principals/audit.ts'
import { inTransaction } from '../../platform/database/transaction.ts'
import { findSpace } from './store.ts'

/**
 * Runs a change that sets the slug of a space. Slugs are unique in the organisation, so that `slug_taken` discloses
 * that a space which the caller cannot see has this one: such a conflict is recorded in the audit log.
 */
export async function withSlugConflictsAudited<T>(ctx: Ctx, slug: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof AppError && error.code === 'slug_taken') await auditConflict(ctx, slug)
    throw error
  }
}

async function auditConflict({ idempotency: _, ...ctx }: Ctx, slug: string): Promise<void> {
  const space = await findSpace(ctx.db, ctx.actor, slug)
  // Deleted or renamed since; or visible to the caller.
  if (!space || space.rank > 0) return
  await inTransaction(ctx, (tx) =>
    recordAuditEntry(tx, {
      action: 'space.slug_conflict',
      target: { type: 'space', id: slug, name: space.name, spaceId: space.id },
    }),
  )
}
