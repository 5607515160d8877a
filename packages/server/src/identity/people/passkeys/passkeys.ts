import { AppError } from '@recto/contract/errors.ts'
import { isUuid } from '@recto/lib/encoding/uuid7.ts'
import type { Static } from 'typebox'
import { isUnlimited } from '../../../access/caller.ts'
import type { Ctx } from '../../../access/ctx.ts'
import { toItem } from '../../../platform/database/rows.ts'
import { inTransaction } from '../../../platform/database/transaction.ts'
import { buildPage, type List, type PageQuery, parseWindow, toKeyset } from '../../../platform/http/paging.ts'
import { recordAuditEntry } from '../../principals/audit.ts'
import { ensureAdminRemains } from '../../principals/last-admin.ts'
import { requireConfirmation } from '../../sessions/confirmation.ts'
import { requireOwnProfile } from '../profile.ts'
import type { passkeySchema } from '../schema.ts'
import { deletePasskey, listPasskeys, renamePasskey } from './store.ts'

/** A passkey of the caller. */
export type Passkey = Static<typeof passkeySchema>

/** The caller's own passkeys, the oldest first. A limited credential, which is none of them, sees none. */
export async function listOwnPasskeys(ctx: Ctx, query: PageQuery): Promise<List<Passkey>> {
  const { id: principalId } = ctx.actor
  const window = parseWindow(ctx, `passkeys/${principalId}`, query, ['id'])
  const rows = isUnlimited(ctx.actor) ? await listPasskeys(ctx.db, { principalId, ...toKeyset(window) }) : []
  return buildPage(window, rows, ['id'], toItem)
}

/** Renames one of the caller's own passkeys. */
export async function renameOwnPasskey(ctx: Ctx, id: string, name: string): Promise<Passkey> {
  requireOwnProfile(ctx)
  if (!isUuid(id)) throw noSuchPasskey()
  return inTransaction(ctx, async (tx) => {
    const row = await renamePasskey(tx, { id, principalId: ctx.actor.id, name })
    if (!row) throw noSuchPasskey()
    return toItem(row)
  })
}

/** Deletes one of the caller's own passkeys: it cannot sign in any more. Its sessions continue. */
export async function removeOwnPasskey(ctx: Ctx, id: string): Promise<void> {
  requireOwnProfile(ctx)
  if (!isUuid(id)) throw noSuchPasskey()
  await requireConfirmation(ctx)
  const { id: principalId, name } = ctx.actor
  await inTransaction(ctx, (tx) =>
    ensureAdminRemains(tx, async () => {
      const passkey = await deletePasskey(tx, { id, principalId })
      // After a lost response to the commit it is gone already.
      if (passkey === undefined && tx.commitOutcomeUnknown) return
      if (passkey === undefined) throw noSuchPasskey()
      const target = { type: 'principal', id: principalId, name } as const
      await recordAuditEntry(tx, { action: 'passkey.removed', target, details: { passkey } })
    }),
  )
}

function noSuchPasskey(): AppError {
  return new AppError('not_found', 'You have no passkey with this id.')
}
