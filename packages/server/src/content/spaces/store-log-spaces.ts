import { sql } from 'kysely'
import type { Runtime } from '../../access/ctx.ts'
import { startSweeper } from '../../platform/database/sweeper.ts'
import { autocommit, type WriteDb } from '../../platform/database/transaction.ts'

/** A small batch, so that its locks are held for a short time. */
const BATCH = 500

/**
 * A background backfill: sets the space of deliveries and audit entries that an older release wrote, on one node at a
 * time. It continues, since nodes of that release may write more of them during a rolling upgrade. The next release can
 * remove it.
 */
export function startLogSpaceBackfill({ db, log }: Pick<Runtime, 'db' | 'log'>): AsyncDisposable {
  return startSweeper({
    db,
    log,
    name: 'spaces of deliveries and audit entries',
    batch: () => fillLogSpaces(autocommit(db), BATCH),
  })
}

/** Sets the space of the next rows: the one that has the slug now; 0 if there is none. Returns how many. */
export async function fillLogSpaces(db: WriteDb, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with delivery as materialized (
      -- The service wrote the body, in this order of members; quotes in the name of the actor are escaped.
      select webhook_id, id, substring(body from '"(?:page":\\{"space|space":\\{"slug)":"([^"]+)"') as slug
      from webhook_delivery where space_id = -1 order by space_id, webhook_id, id limit ${limit} for update skip locked
    ), entry as materialized (
      select id, case when target_type = 'space' then target_id end as slug
      from audit_entry where space_id = -1 order by space_id, id limit ${limit} for update skip locked
    ), known as materialized (
      select logged.slug, coalesce(space.id, former_slug.space_id, 0) as id
      from (select slug from delivery union select slug from entry) logged
      left join space on space.slug = logged.slug left join former_slug on former_slug.slug = logged.slug
    ), delivery_filled as (
      update webhook_delivery stored set space_id = known.id
      from delivery found join known on known.slug is not distinct from found.slug
      where stored.space_id = -1 and stored.webhook_id = found.webhook_id and stored.id = found.id returning 1
    ), entry_filled as (
      update audit_entry stored set space_id = known.id
      from entry found join known on known.slug is not distinct from found.slug
      where stored.space_id = -1 and stored.id = found.id returning 1
    )
    select (select count(*) from delivery_filled) + (select count(*) from entry_filled) as count`.execute(db)
  return rows[0]?.count ?? 0
}
