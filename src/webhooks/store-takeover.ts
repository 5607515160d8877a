import { sql } from 'kysely'
import { presentNodes } from '../database/availability/presence.ts'
import type { Db } from '../database/database.ts'
import type { WriteDb } from '../database/transaction.ts'

/** Nodes with claims that do not hold their presence lock. The claims are read from the partial index webhook_delivery_claimed. */
export async function findAbsentClaimants(db: Db): Promise<number[]> {
  const { rows } = await sql<{ node: number }>`
    with claimants as materialized (
      select distinct claimed_by as node from webhook_delivery
      where status = 'pending' and claimed_by is not null
    )
    select node from claimants where node not in (${presentNodes})`.execute(db)
  return rows.map(({ node }) => node)
}

/** Makes the claims of these nodes due; returns how many. */
export async function releaseClaimsOf(db: WriteDb, nodes: readonly number[]): Promise<number> {
  // An even claim number was finished by a node of an earlier release: it keeps the time of its next attempt.
  const { numAffectedRows } = await sql`
    update webhook_delivery set due_at = case when claim % 2 = 1 then now() else due_at end,
      claim = claim + claim % 2, claimed_by = null
    where status = 'pending' and claimed_by = any(${nodes}::int[])`.execute(db)
  return Number(numAffectedRows ?? 0)
}
