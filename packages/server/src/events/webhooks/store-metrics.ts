import { type Db, queryRow, queryRows } from '../../platform/database/database.ts'

/** The count stops here, so that a scrape stays fast. */
export const MAX_COUNTED = 100_000

/** Pending deliveries of enabled webhooks. */
export async function countPending(db: Db): Promise<number> {
  const row = await queryRow<{ count: number }>(db)`
    select count(*) as count from (
      select 1 from webhook join webhook_delivery as delivery on delivery.webhook_id = webhook.id and delivery.status = 'pending'
      where webhook.enabled limit ${MAX_COUNTED}
    ) pending`
  return row?.count ?? 0
}

/** How long the oldest due delivery is overdue. Claimed ones are due when their lease ends. */
export async function findOverdueSeconds(db: Db): Promise<number> {
  const row = await queryRow<{ seconds: number }>(db)`
    select coalesce(greatest(extract(epoch from now() - min(oldest.due_at)), 0), 0)::float8 as seconds
    from webhook cross join lateral (
      select delivery.due_at from webhook_delivery as delivery
      where delivery.webhook_id = webhook.id and delivery.status = 'pending' order by delivery.due_at limit 1
    ) as oldest
    where webhook.enabled`
  return row?.seconds ?? 0
}

/** Disabled webhooks by reason: an admin, a receiver that answered 410, or days of failures. */
export async function countDisabled(db: Db): Promise<Record<'admin' | 'gone' | 'failing', number>> {
  const rows = await queryRows<{ reason: 'admin' | 'gone' | 'failing'; count: number }>(db)`
    select coalesce(disabled_reason, 'admin') as reason, count(*) as count
    from webhook where not enabled group by 1`
  const counts = { admin: 0, gone: 0, failing: 0 }
  for (const { reason, count } of rows) counts[reason] = count
  return counts
}
