import type { Ctx } from '../../access/ctx.ts'
import { readRequestHead } from '../../access/store-drafts.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import type { EventsCtx } from './ctx.ts'
import { recordEvents } from './record.ts'

/** Records the event of a change request that this transaction has changed. */
export async function recordRequestEvent(
  tx: EventsCtx & Tx,
  { spaceId, number, place }: Parameters<Ctx['tellOfRequest']>[1],
  what: Parameters<Ctx['tellOfRequest']>[2],
): Promise<void> {
  const head = await readRequestHead.first(tx.db, { spaceId, number })
  const data = head && { ...head, ...place }
  if (data) await recordEvents(tx, [{ kind: `changeRequest.${what}`, spaceId, actor: tx.actor, at: tx.now(), data }])
}
