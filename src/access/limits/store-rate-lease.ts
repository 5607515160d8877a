import { sql } from 'kysely'
import { write } from '../../database/statement.ts'
import type { WriteDb } from '../../database/transaction.ts'

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

const taken = write('take_rate_lease', (a: LeaseArgs) => {
  const expired = sql`lease.since <= now() - make_interval(secs => ${a.windowMs}::float8 / 1000)`
  const used = sql`(case when ${expired} then 0 else lease.used end)`
  /**
   * The minimum of 1/32 of the quota and 1/4 of the rest, and at least what is needed; nothing if that is too much.
   */
  const share = (used: typeof expired) => sql`case when ${a.needed}::int > ${a.quota}::int - ${used} then 0
    else greatest(${a.needed}::int, least(${a.quota}::int / 32, (${a.quota}::int - ${used}) / 4)) end`
  return sql<Lease>`
    insert into rate_lease as lease (key, since, used, granted)
    values (${a.key}, now(), ${share(sql`0`)}, ${share(sql`0`)})
    on conflict (key) do update set since = case when ${expired} then now() else lease.since end,
      used = ${used} + ${share(used)}, granted = ${share(used)}
    returning granted, ${a.quota}::int - used as left, extract(epoch from since)::float8 * 1000 as window,
      extract(epoch from now() - since)::float8 * 1000 as "ageMs"`
})

/**
 * Leases a share of the window of a key, for all nodes of the database; begins a window when the last one is over.
 */
export async function takeRateLease(db: WriteDb, args: LeaseArgs): Promise<Lease> {
  const lease = await taken.first(db, args)
  if (!lease) throw new Error('an upsert returned no row')
  return lease
}

/** Deletes keys that have not been used for an hour; returns how many. */
export async function deleteOldLeases(db: WriteDb, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from rate_lease where key in (
    select key from rate_lease
    where since < now() - interval '1 hour' limit ${limit} for update skip locked)`.execute(db)
  return Number(numAffectedRows ?? 0)
}
