import { type RawBuilder, sql } from 'kysely'
import { memberJoin, rankAt, rankIn, ruleJoin } from '../../access/visibility.ts'
import { HOLDER } from '../../identity/rights/store-rights.ts'
import { type Db, queryRows } from '../../platform/database/database.ts'
import type { Opens } from './schema.ts'

/** All principals who are not disabled, each with all that their rights allow: the row `holder`. */
export const holders = sql`select id, name, kind, role, guest, true as personal, null::text[] as scopes,
  null::bigint[] as space_ids
  from principal where disabled_at is null`

/** The row `holder` as a subject of the access rule, where all principals are compared with a place. */
export const READER = { ...HOLDER, isOneOfMany: true }

/** Whether the row `holder` can read a space. */
function reads(spaceId: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`exists (select from space ${memberJoin(READER)}
    where space.id = ${spaceId} and ${rankIn(READER)} >= 1)`
}

/** A place of a space: a folder that has a rule, or where no rule decides (`''`). */
export interface Place {
  readonly spaceId: number
  readonly path: string
}

/** People and agents who can read the first place of a pair, and not the second; `pair` is null for all pairs. */
interface Outsiders {
  readonly pair: number | null
  readonly people: number
}

/** How many people and agents can read the first place of each pair and not the second, and of any pair. */
export async function countOutsiders(
  db: Db,
  pairs: readonly (readonly [reading: Place, other: Place])[],
): Promise<Outsiders[]> {
  if (pairs.length === 0) return []
  const ids = (index: 0 | 1) => pairs.map((pair) => pair[index].spaceId)
  const paths = (index: 0 | 1) => pairs.map((pair) => pair[index].path)
  return queryRows<Outsiders>(db)`
    with holder as (${holders}), pair as (
      select * from unnest(${ids(0)}::bigint[], ${paths(0)}::text[], ${ids(1)}::bigint[], ${paths(1)}::text[])
        with ordinality as given (space_id, path, other_id, other_path, n)
    ), reader as materialized (
      select place.space_id, place.path, holder.id
      from (select space_id, path from pair union select other_id, other_path from pair) place cross join holder
      where (select ${rankAt(READER)} from space ${memberJoin(READER)} ${ruleJoin(READER, sql`place.path`)}
        where space.id = place.space_id) >= 1
    )
    select (pair.n - 1)::int as pair, count(distinct reader.id)::int as people
    from pair join reader on reader.space_id = pair.space_id and reader.path = pair.path
    where not exists (select from reader other
      where other.space_id = pair.other_id and other.path = pair.other_path and other.id = reader.id)
    group by grouping sets ((pair.n), ()) having count(*) > 0`
}

/** What a space shows to new readers once all principals, or everybody, can read it: its pages with their history. */
export async function countOpened(db: Db, spaceId: number, toEverybody: boolean): Promise<Opens | null> {
  const rows = await queryRows<Opens>(db)`
    with holder as (${holders}), live as materialized (
      select id from page where space_id = ${spaceId} and deleted_at is null
    )
    select (select count(*)::int from holder where not ${reads(sql`${spaceId}::bigint`)}) as people,
      (select count(*)::int from live join revision on revision.space_id = ${spaceId}
        and revision.page_id = live.id) as revisions,
      (select count(*)::int from live join metadata_event change on change.space_id = ${spaceId}
        and change.page_id = live.id) as "metadataChanges",
      (select count(*)::int from thread join comment on comment.space_id = ${spaceId} and comment.thread_id = thread.id
        left join page on page.space_id = ${spaceId} and page.id = thread.page_id
        left join file on file.space_id = ${spaceId} and file.id = thread.file_id
        where thread.space_id = ${spaceId} and coalesce(page.deleted_at, file.deleted_at) is null) as comments`
  return rows[0] && (toEverybody || rows[0].people > 0) ? rows[0] : null
}

/** What readers of some pages and files can read of them: revisions, changes of metadata, and comments. */
export async function countHistory(
  db: Db,
  spaceId: number,
  { pageIds, fileIds }: { readonly pageIds: readonly number[]; readonly fileIds: readonly number[] },
): Promise<Omit<Opens, 'people'>> {
  const rows = await queryRows<Omit<Opens, 'people'>>(db)`
    select (select count(*)::int from revision
      where space_id = ${spaceId} and page_id = any(${pageIds}::bigint[])) as revisions,
      (select count(*)::int from metadata_event
        where space_id = ${spaceId} and page_id = any(${pageIds}::bigint[])) as "metadataChanges",
      (select count(*)::int from thread join comment on comment.space_id = ${spaceId} and comment.thread_id = thread.id
        where thread.space_id = ${spaceId} and (thread.page_id = any(${pageIds}::bigint[])
          or thread.file_id = any(${fileIds}::bigint[]))) as comments`
  return rows[0] ?? { revisions: 0, metadataChanges: 0, comments: 0 }
}
