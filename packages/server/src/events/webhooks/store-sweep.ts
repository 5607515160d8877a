import { sql } from 'kysely'
import { presentNodes } from '../../platform/database/availability/presence.ts'
import { type Db, queryValue, queryValues, type WriteDb } from '../../platform/database/database.ts'

/**
 * Deletes old deliveries, at most `limit` of each webhook, and returns how many: those with an id before `bound` that
 * are completed or whose webhook is disabled, and all of deleted webhooks.
 *
 * Plan: a loose index scan (PostgreSQL wiki) finds the webhooks in the index webhook_delivery_webhook (webhook_id, id),
 * and a range of the same index their oldest deliveries, because UUIDv7 sort by time.
 */
export async function deleteOldDeliveries(
  db: WriteDb,
  options: { readonly bound: string; readonly limit: number },
): Promise<number> {
  return queryValue(db, 0)`
    with recursive known as (
      (select webhook_id from webhook_delivery order by webhook_id limit 1)
      union all
      select (
        select delivery.webhook_id from webhook_delivery as delivery
        where delivery.webhook_id > known.webhook_id order by delivery.webhook_id limit 1
      )
      from known where known.webhook_id is not null
    ), old as (
      select expired.webhook_id, expired.id from known left join webhook on webhook.id = known.webhook_id
      cross join lateral (
        select delivery.webhook_id, delivery.id from webhook_delivery as delivery
        where delivery.webhook_id = known.webhook_id and (webhook.id is null
          or delivery.id < ${options.bound}::uuid and (delivery.status <> 'pending' or not webhook.enabled))
        order by delivery.id limit ${options.limit}
      ) as expired
      where known.webhook_id is not null
    ), deleted as (
      delete from webhook_delivery as delivery using old
      where delivery.webhook_id = old.webhook_id and delivery.id = old.id returning 1
    )
    select count(*) as count from deleted`
}

/** Nodes with claims but without their presence lock. Plan: the partial index webhook_delivery_claimed. */
export async function findAbsentClaimants(db: Db): Promise<number[]> {
  return queryValues<number>(db)`
    with claimants as materialized (
      select distinct claimed_by as node from webhook_delivery
      where status = 'pending' and claimed_by is not null
    )
    select node from claimants where node not in (${presentNodes})`
}

/** Makes the claims of these nodes due; returns how many. */
export async function releaseClaims(db: WriteDb, nodes: readonly number[]): Promise<number> {
  // An even claim number was finished by a node of an earlier release: it keeps the time of its next attempt.
  const { numAffectedRows } = await sql`
    update webhook_delivery set due_at = case when claim % 2 = 1 then now() else due_at end,
      claim = claim + claim % 2, claimed_by = null
    where status = 'pending' and claimed_by = any(${nodes}::int[])`.execute(db)
  return Number(numAffectedRows ?? 0)
}
