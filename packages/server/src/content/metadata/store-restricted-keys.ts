import { type RawBuilder, sql } from 'kysely'
import type { ReadableSpace } from '../../access/space.ts'
import { allPlaces, isNotIn, pathRanges } from '../../access/visibility.ts'
import { type Db, queryRows } from '../../platform/database/database.ts'

/*
 * The use of keys in spaces of which folder rules hide something from the caller. The counts of a space are those of
 * all its pages: the documents of hidden pages are subtracted. For a guest, to whom a space is hidden but for some
 * folders, those of these folders are counted instead.
 */

/** The rows `restricted`: such spaces. `granted`: hidden but for some folders. */
function restrictedSpaces(spaces: readonly ReadableSpace[]): RawBuilder<unknown> {
  const restrictedSpaces = spaces.filter(({ hidden }) => hidden !== null)
  return sql`restricted as materialized (
    select id, hidden, lower(hidden) = id || '/' as granted, ${allPlaces(sql`id`)} - hidden as visible
    from unnest(${restrictedSpaces.map(({ id }) => id)}::bigint[], ${restrictedSpaces.map(({ hidden }) => hidden)}::place_multirange[])
      as space (id, hidden))`
}

/** Joins `address` to the row `restricted`: the pages there at some of its places. */
function pagesAt(places: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`cross join lateral ${pathRanges(places, sql`restricted.id`)} range
    cross join lateral (
      select address.space_id, address.page_id, address.path from page_address address
      where address.space_id = restricted.id and address.page_id is not null
        and address.path >= range.first and address.path <= range.last
        and not ${isNotIn(places, 'address.space_id', 'address.path')} offset 0
    ) address`
}

/** A column of the document of the row `address`, by its key. */
function ofDocument(column: 'doc' | 'stamps'): RawBuilder<unknown> {
  return sql`(select metadata.${sql.ref(column)} from page_metadata metadata
    where metadata.space_id = address.space_id and metadata.page_id = address.page_id)`
}

/** What is added to the counts of the spaces that are not `granted`, as rows of metadata_key; `where` selects keys. */
export function restrictedCounts(spaces: readonly ReadableSpace[], where: RawBuilder<unknown>): RawBuilder<unknown> {
  const places = sql`(case when restricted.granted then restricted.visible else restricted.hidden end)`
  const count = (type: string) => sql`sum(sign) filter (where jsonb_typeof(value) = ${type})::int`
  return sql`(
    with ${restrictedSpaces(spaces)}
    select key, coalesce(${count('string')}, 0), coalesce(${count('number')}, 0), coalesce(${count('boolean')}, 0),
      coalesce(${count('array')}, 0), coalesce(${count('object')}, 0), null::timestamptz
    from (
      select (entry).key collate "C" as key, (entry).value, sign from (
        select jsonb_each(${ofDocument('doc')}) as entry, case when restricted.granted then 1 else -1 end as sign
        from restricted ${pagesAt(places)} offset 0
      ) document
    ) entry
    where ${where} group by key)`
}

/** Whether the space is hidden from the caller but for some folders. */
export function isGranted({ id, hidden }: ReadableSpace): boolean {
  return hidden?.startsWith(`{[${id}/,`) ?? false
}

/**
 * When keys were changed last on pages of these spaces that are not hidden. The time of a space tells that, unless a
 * hidden page was changed last: then the documents of the others do.
 */
export async function visibleChanges(
  db: Db,
  spaces: readonly ReadableSpace[],
  keys: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  const hiddenPages = sql`(
    select address.space_id, address.page_id from restricted ${pagesAt(sql`restricted.hidden`)} where not restricted.granted
    union all
    select page.space_id, page.id from restricted
    join page on page.space_id = restricted.id and page.deleted_at is not null
    where not restricted.granted and not ${isNotIn(sql`restricted.hidden`, 'page.space_id', 'page.path')}
  ) hidden_page`
  const rows = await queryRows<{ key: string; at: Date }>(db)`
    with ${restrictedSpaces(spaces)}, given as (
      select key collate "C" as key from unnest(${keys}::text[]) as given (key)
    ), hidden_change as (
      select event.space_id, event.key, max(event.created_at) as at from ${hiddenPages}
      join metadata_event event on event.space_id = hidden_page.space_id and event.page_id = hidden_page.page_id
      where event.key in (select key from given) group by event.space_id, event.key
    ), change as materialized (
      select restricted.id as space_id, given.key, counted.at,
        restricted.granted or coalesce(hidden_change.at >= counted.at, false) as doubtful
      from restricted cross join given
      left join lateral (
        select max(updated_at) as at from metadata_key counted
        where not restricted.granted and counted.space_id = restricted.id and counted.key = given.key
      ) counted on true
      left join hidden_change on hidden_change.space_id = restricted.id and hidden_change.key = given.key
    )
    select key, max(at) as at from (
      select key, at from change where not doubtful
      union all
      select change.key, (document.stamps -> change.key ->> 0)::timestamptz from (
        select restricted.id, ${ofDocument('stamps')} as stamps from restricted ${pagesAt(sql`restricted.visible`)}
        where restricted.id in (select space_id from change where doubtful) offset 0
      ) document
      join change on change.space_id = document.id and change.doubtful and document.stamps ? change.key
    ) visible where at is not null group by key`
  return new Map(rows.map(({ key, at }) => [key, at]))
}
