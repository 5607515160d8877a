import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../access/caller.ts'
import type { Db } from '../database/database.ts'
import type { EventKind } from './event.ts'

export interface ChangeRow {
  readonly id: string
  readonly kind: EventKind
  readonly transaction_id: string
  readonly seq: number
  readonly at: Date
  /** The slug that the space has now, or had when it was deleted. */
  readonly slug: string
  readonly actor: Actor
  readonly data: Readonly<Record<string, unknown>>
}

/** A place between two events. */
export interface FeedPosition {
  readonly transactionId: string
  readonly seq: number
}

/** An event as it is read for all who follow the feed, with what decides who is told it. */
export interface FeedRow extends ChangeRow {
  readonly space_id: number
  /** Whether the space is gone. */
  readonly ended: boolean
}

const columns = sql`e.id, e.kind, e.seq, e.at, coalesce(s.slug, e.data ->> 'slug', 'personal') as slug,
  json_build_object('id', c.id, 'name', c.name, 'kind', c.kind) as actor, e.data`
const from = sql`event e join principal c on c.id = e.actor_id left join space s on s.id = e.space_id`

/**
 * The oldest transaction that the feed waits for. It depends on the snapshot and on which transactions still run, so a statement
 * may ask only once: a subquery of its own is evaluated once.
 */
const horizon = sql<string>`(select feed_horizon())`

/** The condition of events behind a position that no transaction from the horizon on can precede any more. */
function settledBehind(after: FeedPosition, horizon: RawBuilder<string>): RawBuilder<boolean> {
  return sql`(e.transaction_id, e.seq) > (${after.transactionId}::xid8, ${after.seq}::bigint)
    and e.transaction_id < ${horizon}`
}

/**
 * Events behind a position, in the order of their transactions. None is shown while an older transaction may still
 * commit, so that whoever goes on from the last one misses nothing. Writers take their locks before they write, so the
 * order is that of the changes of each page.
 */
export async function listChanges(
  db: Db,
  window: {
    readonly after: FeedPosition
    readonly spaces: RawBuilder<unknown>
    /** Whether the ends of spaces are told, which nobody sees any more. */
    readonly ends: boolean
    readonly kinds: readonly EventKind[] | undefined
    readonly limit: number
  },
): Promise<ChangeRow[]> {
  const { after, spaces, ends, kinds, limit } = window
  const { rows } = await sql<ChangeRow>`
    select ${columns}, e.transaction_id::text as transaction_id from ${from}
    where ${settledBehind(after, horizon)}
      and (e.space_id in ${spaces} ${ends ? sql`or (s.id is null and e.kind = 'space.deleted')` : sql``})
      ${kinds === undefined ? sql`` : sql`and e.kind = any(${kinds}::text[])`}
    order by e.transaction_id, e.seq limit ${limit}`.execute(db)
  return rows
}

/** Events behind a position for whoever may see them, and where to go on: behind all that could be read by now. */
export async function listFeed(
  db: Db,
  after: FeedPosition,
  limit: number,
): Promise<{ readonly rows: FeedRow[]; readonly end: FeedPosition }> {
  // The row of the horizon is there without events, too.
  const { rows } = await sql<{ horizon: string } & ({ id: null } | FeedRow)>`
    with horizon as materialized (select feed_horizon() as id)
    select horizon.id::text as horizon, f.*, f.xid::text as transaction_id
    from horizon left join lateral (
      select ${columns}, e.transaction_id as xid, e.space_id, s.id is null as ended from ${from}
      where ${settledBehind(after, sql`horizon.id`)} order by e.transaction_id, e.seq limit ${limit}
    ) f on true order by f.xid, f.seq`.execute(db)
  const found = rows.filter((row) => row.id !== null)
  const last = found.length === limit ? found.at(-1) : undefined
  const end = last ?? { transaction_id: rows[0]?.horizon ?? after.transactionId, seq: -1 }
  return { rows: found, end: { transactionId: end.transaction_id, seq: end.seq } }
}

/** Whether an event is behind a position. */
export function isBehind(row: Pick<ChangeRow, 'transaction_id' | 'seq'>, position: FeedPosition): boolean {
  if (row.transaction_id === position.transactionId) return row.seq > position.seq
  return BigInt(row.transaction_id) > BigInt(position.transactionId)
}

/** The place behind everything that is told by now. */
export async function currentPosition(db: Db): Promise<FeedPosition> {
  const { rows } = await sql<{ id: string }>`select ${horizon}::text as id`.execute(db)
  // Just before that transaction, whatever it will have written.
  return { transactionId: rows[0]?.id ?? '0', seq: -1 }
}

/** The age of the oldest event that no reader is shown yet, since an older transaction runs; 0 when there is none. */
export async function findHeldBackSeconds(db: Db): Promise<number> {
  // The lower bound, which is known when the statement is planned, leads to the index.
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(greatest(extract(epoch from now() - min(at)), 0), 0)::float8 as seconds from event
    where transaction_id >= pg_snapshot_xmin(pg_current_snapshot()) and transaction_id >= ${horizon}`.execute(
    db,
  )
  return rows[0]?.seconds ?? 0
}
