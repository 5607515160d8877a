import { AppError } from '@recto/contract/errors.ts'
import { sql } from 'kysely'
import type { Ctx } from '../../access/ctx.ts'
import { hasRows } from '../../platform/database/database.ts'
import { inTransaction } from '../../platform/database/transaction.ts'
import { recordAuditEntry } from '../principals/audit.ts'

/** How long a confirmation counts. */
export const CONFIRMATION_SECONDS = 5 * 60

/**
 * For actions that a stolen or unattended session must not take: throws `confirmation_required` unless the person has
 * signed in or confirmed in it within the last minutes. Keys and access tokens need none.
 */
export async function requireConfirmation({ db, actor }: Pick<Ctx, 'db' | 'actor'>): Promise<void> {
  if (await isConfirmed({ db, actor })) return
  const detail = 'Confirm that it is you: this needs your password or passkey again.'
  throw new AppError('confirmation_required', detail)
}

/** Whether the request needs no confirmation now. */
export async function isConfirmed({ db, actor: { sessionId } }: Pick<Ctx, 'db' | 'actor'>): Promise<boolean> {
  if (sessionId === undefined) return true
  return hasRows(db)`select 1 from session
    where id = ${sessionId}
      and confirmed_at > now() - make_interval(secs => ${CONFIRMATION_SECONDS})`
}

/** Records that the person of the session has just proved who they are. */
export async function confirmSession(ctx: Pick<Ctx, 'db' | 'now' | 'actor' | 'address'>): Promise<void> {
  const { id: principalId, name, sessionId } = ctx.actor
  if (sessionId === undefined) return
  await inTransaction(ctx, async (tx) => {
    await sql`update session set confirmed_at = now()
      where id = ${sessionId} and principal_id = ${principalId}`.execute(tx.db)
    await recordAuditEntry(tx, { action: 'session.confirmed', target: { type: 'session', id: sessionId, name } })
  })
}
