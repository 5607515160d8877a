import { AppError } from '@recto/contract/errors.ts'
import type { Ctx, OverlaidCtx } from '../../access/ctx.ts'
import { type ProposalReference, toProposal } from '../../access/overlay.ts'
import { checkPreconditions, toCurrent } from '../../access/preconditions.ts'
import type { Resource } from '../../access/resource.ts'
import { checkRounds, saveDraft, toDraftTarget } from '../../access/save-draft.ts'
import { unlessOvertaken } from '../../platform/database/transaction.ts'
import { findFile } from '../files/find.ts'
import { findPage } from '../pages/find.ts'
import type { Removal } from './delete.ts'

/** Keeps the deletion of a page or file as a draft of the change request. */
export async function proposeDeletion(
  ctx: OverlaidCtx<Ctx>,
  resource: Resource,
  { preconditions, purge, ...address }: Removal & { readonly purge?: boolean | undefined },
): Promise<{ readonly changeRequest: ProposalReference }> {
  if (purge) throw new AppError('change_request_not_supported', 'A permanent deletion cannot be proposed.')
  const find = resource === 'page' ? findPage : findFile
  for (let round = 1; ; round++) {
    const row = await find(ctx, address, 'viewer')
    checkPreconditions(toCurrent(row), { ...preconditions, ifNoneMatch: undefined, required: true }, resource)
    const savedDraft = await unlessOvertaken(ctx, (tx) =>
      saveDraft(tx, toDraftTarget(row, address.path, resource), { isDeleted: true }),
    )
    if (savedDraft) return toProposal(ctx, savedDraft.number)
    checkRounds(round)
  }
}
