import { type RawBuilder, sql } from 'kysely'
import { memberJoin, rankIn } from '../../access/visibility.ts'
import { HOLDER } from '../../identity/rights/store-rights.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Opens } from './schema.ts'

/** All principals who are not disabled, each with all that their rights allow: the row `holder`. */
export const holders = sql`select id, name, kind, role, guest, true as personal, null::text[] as scopes, null::bigint[] as space_ids
  from principal where disabled_at is null`

/** Whether the row `holder` can read a space. */
function reads(spaceId: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`exists (select from space ${memberJoin(HOLDER)} where space.id = ${spaceId} and ${rankIn(HOLDER)} >= 1)`
}

/** People and agents who can read a space, and not another one. */
interface Outsiders {
  readonly spaceId: number
  readonly otherId: number
  readonly count: number
}

/** How many people and agents can read each of some spaces, and not each of some others; pairs without any are left out. */
export async function countOutsiders(
  db: Db,
  spaceIds: readonly number[],
  otherIds: readonly number[],
): Promise<Outsiders[]> {
  const { rows } = await sql<Outsiders>`
    with holder as (${holders})
    select given.id as "spaceId", other.id as "otherId", count(*)::int as count
    from unnest(${spaceIds}::bigint[]) as given (id) cross join unnest(${otherIds}::bigint[]) as other (id)
      cross join holder
    where ${reads(sql`given.id`)} and not ${reads(sql`other.id`)} group by given.id, other.id`.execute(db)
  return rows
}

/**
 * What a private space shows to those who cannot read it, once all can: its pages without the trash, with their
 * history.
 */
export async function countOpened(db: Db, spaceId: number): Promise<Opens | null> {
  const { rows } = await sql<Opens>`
    with holder as (${holders}), live as materialized (
      select id from page where space_id = ${spaceId} and deleted_at is null
    )
    select (select count(*)::int from holder where not ${reads(sql`${spaceId}::bigint`)}) as people,
      (select count(*)::int from live join revision on revision.space_id = ${spaceId}
        and revision.page_id = live.id) as revisions,
      (select count(*)::int from live join metadata_event change on change.space_id = ${spaceId}
        and change.page_id = live.id) as "metadataChanges"`.execute(db)
  return rows[0] && rows[0].people > 0 ? rows[0] : null
}

/** How many revisions and changes of metadata some pages have. */
export async function countHistory(db: Db, spaceId: number, pageIds: readonly number[]) {
  const { rows } = await sql<{ revisions: number; metadataChanges: number }>`
    select (select count(*)::int from revision where space_id = ${spaceId} and page_id = any(${pageIds}::bigint[])) as revisions,
      (select count(*)::int from metadata_event where space_id = ${spaceId} and page_id = any(${pageIds}::bigint[])) as "metadataChanges"`.execute(
    db,
  )
  return rows[0] ?? { revisions: 0, metadataChanges: 0 }
}
