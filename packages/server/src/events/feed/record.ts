import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../access/ctx.ts'
import { readRequestHead } from '../../access/store-drafts.ts'
import { write } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { bodyPieces } from './body.ts'
import type { EventsCtx } from './ctx.ts'
import { isDeparture, isDepartureWithin, isSpaceEvent, isThreadEvent, type NewEvent } from './event.ts'

/** What recording needs of a transaction: how readers and deliveries are woken once it is committed. */
export type EventTx = Pick<Tx, 'db' | 'afterCommit'> & Pick<EventsCtx, 'config' | 'events'>

/** Writes events in the transaction of their change, with a delivery for each webhook (transactional outbox). */
export async function recordEvents(tx: EventTx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const rows = events.map((event) => {
    const id = uuid7()
    return {
      id,
      kind: event.kind,
      space_id: event.spaceId,
      page_id: event.pageId ?? null,
      file_id: event.fileId,
      thread_id: isThreadEvent(event) ? event.threadId : undefined,
      mentions: event.mentions,
      actor_id: event.actor.id,
      at: event.at,
      data: event.data,
      slug: isSpaceEvent(event) ? event.data.slug : null,
      other_space_id: event.other?.spaceId ?? null,
      other_path: event.other?.path ?? null,
      leaves: isDeparture(event),
      // A webhook gets the events of its space whole: the arrival tells it of the move.
      ...(isDepartureWithin(event) ? { within: true } : bodyPieces(id, event, tx.config.publicUrl)),
    }
  })
  tx.afterCommit(tx.events.wakeReaders)
  const insert = events.some(isDepartureWithin) ? insertMoves : insertEvents
  await insert.enqueue(tx.db, { rows: JSON.stringify(rows) }, ([row]) => {
    // The response to the writer goes first.
    if (row?.delivery) tx.afterCommit(() => setImmediate(tx.events.wakeDeliveries))
  })
}

/**
 * Writes events. While there are webhooks it also writes their deliveries, and returns whether there are any: the
 * function has its own statement, so that the plan of this one stays short.
 */
const insertEvents = write('insert_events', (args: { readonly rows: string }) =>
  insertion(args, sql``, sql`given.rows`),
)

/** The same with departures within a space: those of places that one folder rule decides for are left out. */
const insertMoves = write('insert_moves', (args: { readonly rows: string }) =>
  insertion(
    args,
    sql`where event.within is not true
      or ${nearestRule(sql`event.data ->> 'path'`)} is distinct from ${nearestRule(sql`event.other_path`)}`,
    sql`jsonb_path_query_array(given.rows, '$[*] ? (!exists(@.within))')`,
  ),
)

function insertion({ rows }: { readonly rows: string }, where: RawBuilder<unknown>, delivered: RawBuilder<unknown>) {
  return sql<{ delivery: boolean }>`
    with given as not materialized (select ${rows}::jsonb as rows), inserted as (
      insert into event (id, kind, space_id, page_id, file_id, thread_id, mentions, actor_id, at, data, other_space_id,
        other_path)
      select id, kind, space_id, page_id, file_id, thread_id, mentions, actor_id, at, data, other_space_id, other_path
      from given cross join jsonb_to_recordset(given.rows) as event (id uuid, kind text, space_id bigint,
        page_id bigint,
        file_id bigint, thread_id uuid, mentions uuid[], actor_id uuid, at timestamptz, data jsonb,
          other_space_id bigint, other_path text, within boolean) ${where}
    )
    select deliver_events(${delivered}) as delivery from given where exists (select from webhook where enabled)`
}

/** The folder rule that decides for a path of the row `event`; null: none does. */
function nearestRule(path: RawBuilder<unknown>): RawBuilder<number | null> {
  return sql<number | null>`(select rule.id from folder_rule rule
    where rule.space_id = event.space_id and rule.prefix = any(path_prefixes(${path}))
    order by length(rule.prefix) desc limit 1)`
}

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
