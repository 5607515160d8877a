import { sql } from 'kysely'
import { queryRows, type WriteDb, write } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'

export interface Lease {
  /** The number of requests that the node may count in memory. */
  readonly granted: number
  /** The number of requests in the window that no node has leased. */
  readonly left: number
  /** Identifies the window; a later one has a greater number. */
  readonly window: number
  /** The age of the window. */
  readonly ageMs: number
}

interface LeaseArgs {
  readonly key: string
  readonly quota: number
  readonly windowMs: number
  /** The need of the node, all or nothing; in addition it gets a share in advance. */
  readonly needed: number
}

const takeLease = write('take_rate_lease', (a: LeaseArgs) => {
  const isExpired = sql`lease.since <= now() - make_interval(secs => ${a.windowMs}::float8 / 1000)`
  const usedTokens = sql`(case when ${isExpired} then 0 else lease.used end)`
  /** The smaller of 1/32 of the quota and 1/4 of the rest, but at least what is needed; nothing if that is too much. */
  const share = (usedAfter: typeof isExpired) => sql`case when ${a.needed}::int > ${a.quota}::int - ${usedAfter} then 0
    else greatest(${a.needed}::int, least(${a.quota}::int / 32, (${a.quota}::int - ${usedAfter}) / 4)) end`
  return sql<Lease>`
    insert into rate_lease as lease (key, since, used, granted)
    values (${a.key}, now(), ${share(sql`0`)}, ${share(sql`0`)})
    on conflict (key) do update set since = case when ${isExpired} then now() else lease.since end,
      used = ${usedTokens} + ${share(usedTokens)}, granted = ${share(usedTokens)}
    returning granted, ${a.quota}::int - used as left, extract(epoch from since)::float8 * 1000 as window,
      extract(epoch from now() - since)::float8 * 1000 as "ageMs"`
})

/** Leases a share of the window of a key, for all nodes of the database; begins a window when the last one is over. */
export async function takeRateLease(db: WriteDb, args: LeaseArgs): Promise<Lease> {
  const lease = await takeLease.first(db, args)
  if (!lease) throw new Error('an upsert returned no row')
  return lease
}

/**
 * Counts one use of each key in its window, within a transaction: it waits for others that count the same keys, and
 * nothing is counted if it fails. A window longer than an hour may end early.
 */
export async function countUses(
  tx: Pick<Tx, 'db'>,
  keys: readonly string[],
  windowMs: number,
): Promise<readonly { readonly key: string; readonly used: number; readonly ageMs: number }[]> {
  const isOver = sql`lease.since <= now() - make_interval(secs => ${windowMs}::float8 / 1000)`
  // In one order, so that two transactions cannot wait for each other.
  return queryRows<{ key: string; used: number; ageMs: number }>(tx.db)`
    insert into rate_lease as lease (key, since, used, granted)
    select key, now(), 1, 0 from unnest(${keys.toSorted()}::text[]) with ordinality as given (key, n) order by n
    on conflict (key) do update set since = case when ${isOver} then now() else lease.since end,
      used = case when ${isOver} then 1 else lease.used + 1 end
    returning key, used, extract(epoch from now() - since)::float8 * 1000 as "ageMs"`
}

/** Deletes keys that have not been used for an hour; returns how many. */
export async function deleteOldLeases(db: WriteDb, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from rate_lease where key in (
    select key from rate_lease
    where since < now() - interval '1 hour' limit ${limit} for update skip locked)`.execute(db)
  return Number(numAffectedRows ?? 0)
}
