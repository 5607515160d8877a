import { AppError } from '@recto/contract/errors.ts'
import { isUuid } from '@recto/lib/encoding/uuid7.ts'
import type { Static } from 'typebox'
import { isUnlimited } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { toItem } from '../../platform/database/rows.ts'
import { inTransaction } from '../../platform/database/transaction.ts'
import { buildPage, type List, type PageQuery, parseWindow, toKeyset } from '../../platform/http/paging.ts'
import { deleteSessions } from '../sessions/sessions.ts'
import type { sessionSchema } from './schema.ts'
import { listSessions } from './store.ts'

/** A browser in which the caller is signed in. */
export type Session = Static<typeof sessionSchema>

/** The caller's own sessions, the oldest first. A limited credential sees none but its own. */
export async function listOwnSessions(ctx: Ctx, query: PageQuery): Promise<List<Session>> {
  const { id: principalId, sessionId } = ctx.actor
  const only = isUnlimited(ctx.actor) ? undefined : (sessionId ?? null)
  const window = parseWindow(ctx, `sessions/${principalId}`, query, ['id'])
  const rows = await listSessions(ctx.db, { principalId, only, ...toKeyset(window) })
  return buildPage(window, rows, ['id'], (row) => ({ ...toItem(row), current: row.id === sessionId }))
}

/** Ends one of the caller's own sessions. The session of the request itself can be ended with any scope. */
export async function endOwnSession(ctx: Ctx, id: string): Promise<void> {
  if (!isUuid(id)) throw noSuchSession()
  if (id !== ctx.actor.sessionId) requireFullAccess(ctx)
  await inTransaction(ctx, async (tx) => {
    const endedCount = await deleteSessions(tx, ctx.actor.id, { only: id })
    if (endedCount === 0 && !tx.commitOutcomeUnknown) throw noSuchSession()
  })
}

/** Ends all sessions of the caller except for that of the request. */
export async function endOtherSessions(ctx: Ctx): Promise<void> {
  requireFullAccess(ctx)
  await inTransaction(ctx, (tx) => deleteSessions(tx, ctx.actor.id, { except: ctx.actor.sessionId }))
}

function requireFullAccess({ actor }: Ctx): void {
  if (!isUnlimited(actor)) throw new AppError('forbidden', 'Ending other sessions needs full access to all spaces.')
}

function noSuchSession(): AppError {
  return new AppError('not_found', 'You have no session with this id.')
}
