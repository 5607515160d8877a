import { sql } from 'kysely'
import type { Db } from '../database/database.ts'

/** A larger backlog is counted as this one, so that a scrape stays quick. */
export const MAX_COUNTED = 100_000

/** What waits to be sent to webhooks that are enabled. */
export async function countPending(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select 1 from webhook w join webhook_delivery d on d.webhook_id = w.id and d.status = 'pending'
      where w.enabled limit ${MAX_COUNTED}
    ) pending`.execute(db)
  return rows[0]?.count ?? 0
}

/** How long the delivery that waits longest is overdue. Those under way are due when their lease ends. */
export async function findOverdueSeconds(db: Db): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(greatest(extract(epoch from now() - min(first.due_at)), 0), 0)::float8 as seconds
    from webhook w cross join lateral (
      select d.due_at from webhook_delivery d where d.webhook_id = w.id and d.status = 'pending'
      order by d.due_at limit 1
    ) first
    where w.enabled`.execute(db)
  return rows[0]?.seconds ?? 0
}

/** Webhooks that nothing is sent to: an admin disabled them, the receiver said that it is gone, or it failed for days. */
export async function countDisabled(db: Db): Promise<Record<'admin' | 'gone' | 'failing', number>> {
  const { rows } = await sql<{ reason: 'admin' | 'gone' | 'failing'; count: number }>`
    select coalesce(disabled_reason, 'admin') as reason, count(*) as count
    from webhook where not enabled group by 1`.execute(db)
  const counts = { admin: 0, gone: 0, failing: 0 }
  for (const { reason, count } of rows) counts[reason] = count
  return counts
}
