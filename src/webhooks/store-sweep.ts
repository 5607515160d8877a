import { sql } from 'kysely'
import type { WriteDb } from '../database/transaction.ts'

/**
 * Deletes at most `limit` deliveries of each webhook that ended before `bound` or whose webhook is disabled, and of
 * webhooks that are deleted; says how many. Pending ones of an enabled webhook are never deleted. The ids sort by time,
 * so that the primary key finds the old ones.
 */
export async function deleteOldDeliveries(
  db: WriteDb,
  options: { readonly bound: string; readonly limit: number },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with recursive known as (
      (select webhook_id from webhook_delivery order by webhook_id limit 1)
      union all
      select (select d.webhook_id from webhook_delivery d where d.webhook_id > known.webhook_id order by d.webhook_id limit 1)
      from known where known.webhook_id is not null
    ), old as (
      select d.webhook_id, d.id from known left join webhook w on w.id = known.webhook_id
      cross join lateral (
        select d.webhook_id, d.id from webhook_delivery d
        where d.webhook_id = known.webhook_id
          and (w.id is null or d.id < ${options.bound}::uuid and (d.status <> 'pending' or not w.enabled))
        order by d.id limit ${options.limit}
      ) d
      where known.webhook_id is not null
    ), gone as (
      delete from webhook_delivery d using old where d.webhook_id = old.webhook_id and d.id = old.id returning 1
    )
    select count(*) as count from gone`.execute(db)
  return rows[0]?.count ?? 0
}
