import { type RawBuilder, sql } from 'kysely'
import type { ReadableSpace } from '../../access/space.ts'
import {
  type AccessSubject,
  allPlaces,
  hiddenJoin,
  isNotIn,
  memberJoin,
  pathRanges,
  rankIn,
} from '../../access/visibility.ts'
import { type Db, queryRows, read } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import type { ValueType } from './value.ts'

/** A key with the number of pages that have it, in all and by the type of the value. */
export interface KeyRow extends Readonly<Record<ValueType, number>> {
  readonly key: string
  readonly pages: number
  readonly updated_at: Date
}

/** The keys on pages of some spaces that the caller can read, most used first. */
export async function listKeys(
  db: Db,
  list: {
    readonly spaces: readonly ReadableSpace[]
    readonly prefix: string
    readonly after: { readonly count: number; readonly key: string } | undefined
    readonly limit: number
  },
): Promise<KeyRow[]> {
  const { spaces, prefix, after } = list
  const isRestricted = spaces.some(({ hidden }) => hidden !== null)
  const hasPrefix = prefix === '' ? sql`true` : sql`key >= ${prefix} and starts_with(key, ${prefix})`
  const ids = (some: readonly ReadableSpace[]) => sql`${some.map(({ id }) => id)}::bigint[]`
  // What a space tells of all its pages is none of the times of restricted ones.
  const ownTime = isRestricted
    ? sql`case when space_id = any(${ids(spaces.filter(({ hidden }) => hidden === null))}) then updated_at end`
    : sql`updated_at`
  const rows = await queryRows<KeyRow>(db)`
    select * from (
      select key, sum(strings + numbers + booleans + arrays + objects) as pages, sum(strings) as string,
        sum(numbers) as number, sum(booleans) as boolean, sum(arrays) as "array", sum(objects) as object,
        max(updated_at) as updated_at
      from (
        select key, strings, numbers, booleans, arrays, objects, ${ownTime} as updated_at
        from metadata_key where space_id = any(${ids(spaces.filter((space) => !isGranted(space)))}) and ${hasPrefix}
        ${isRestricted ? sql`union all ${restrictedCounts(spaces, hasPrefix)}` : sql``}
      ) counted
      group by key
    ) as counted
    where pages > 0
      ${
        after === undefined
          ? sql``
          : sql`and (pages < ${after.count} or (pages = ${after.count} and key > ${after.key}))`
      }
    order by pages desc, key limit ${list.limit}`
  if (!isRestricted || rows.length === 0) return rows
  const changes = await visibleChanges(
    db,
    spaces,
    rows.map(({ key }) => key),
  )
  return rows.map((row) => ({ ...row, updated_at: latest(row.updated_at, changes.get(row.key)) }))
}

function latest(a: Date | null, b: Date | undefined): Date {
  return new Date(Math.max(a?.getTime() ?? 0, b?.getTime() ?? 0))
}

/** The keys, of some, that pages have that the caller can read. Where something is hidden, entries decide. */
export const listKeysInUse = read(
  'metadata_keys_in_use',
  (a: KeysInUse) => sql<{ key: string }>`
    with readable as materialized (
      select space.id, hidden.places from space ${memberJoin(a)} ${hiddenJoin(a)} where ${rankIn(a)} >= 1
    )
    select given.key from unnest(${a.keys}::text[], ${a.from}::text[], ${a.to}::text[]) as given (key, low, high)
    where exists (
      select from metadata_key counted where counted.key = given.key
        and counted.space_id in (select id from readable where places is null)
      group by counted.space_id having sum(strings + numbers + booleans + arrays + objects) > 0)
    or case when exists (select from readable where places is not null) then exists (
      select from metadata_entry entry join readable on readable.id = entry.space_id
      cross join lateral (
        select page.space_id, page.path from page
        where page.space_id = entry.space_id and page.id = entry.page_id and page.deleted_at is null offset 0
      ) page
      where entry.rank >= decode(given.low, 'hex') and entry.rank < decode(given.high, 'hex')
        and readable.places is not null and ${isNotIn(sql`readable.places`, 'page.space_id', 'page.path')}
    ) end`,
)

interface KeysInUse extends AccessSubject {
  readonly keys: readonly string[]
  /** The ranges of the entries of the keys. */
  readonly from: readonly string[]
  readonly to: readonly string[]
}

/** Columns that count the values `value` of a group by type, `by` 1 or -1 each. */
function countsByType(by: RawBuilder<unknown>): RawBuilder<unknown> {
  const type = (name: ValueType) => sql`count(*) filter (where jsonb_typeof(value) = ${name}) * ${by}`
  return sql`${type('string')}, ${type('number')}, ${type('boolean')}, ${type('array')}, ${type('object')}`
}

/** Adds the counts of a row that is inserted to those that are stored. */
const addToStored = sql`on conflict (space_id, key, slot) do update set
      strings = metadata_key.strings + excluded.strings,
      numbers = metadata_key.numbers + excluded.numbers,
      booleans = metadata_key.booleans + excluded.booleans,
      arrays = metadata_key.arrays + excluded.arrays,
      objects = metadata_key.objects + excluded.objects`

/**
 * Subtracts the keys of pages from the counts of their space (`by` -1) when they go to the trash, or adds them (1)
 * when they are restored. Patches that wait for their documents find no page any more. `metadata_entry` and the
 * documents stay: searches read live pages only.
 */
export async function countPageKeys(
  tx: Pick<Tx, 'db'>,
  pages: { readonly spaceId: number; readonly pageIds: readonly number[] },
  by: 1 | -1,
): Promise<void> {
  await sql`
    with held as (
      update page_metadata set in_trash = ${by === -1}
      where space_id = ${pages.spaceId} and page_id = any(${pages.pageIds}::bigint[]) returning doc
    )
    insert into metadata_key (space_id, key, slot, strings, numbers, booleans, arrays, objects, updated_at)
    select ${pages.spaceId}, key, 0, ${countsByType(sql`${by}::int`)}, now()
    from held cross join lateral jsonb_each(doc) group by key order by key collate "C"
    ${addToStored}`.execute(tx.db)
}

/**
 * Subtracts the keys of pages that have moved between spaces from the counts of the one, and adds them to those of the
 * other: in one order for all moves, since two in opposite directions would wait for each other.
 */
export async function countMovedKeys(
  tx: Pick<Tx, 'db'>,
  spaces: { readonly from: number; readonly to: number },
  pageIds: readonly number[],
): Promise<void> {
  await sql`
    insert into metadata_key (space_id, key, slot, strings, numbers, booleans, arrays, objects, updated_at)
    select place.id, key, 0, ${countsByType(sql`place.by`)}, now()
    from page_metadata cross join lateral jsonb_each(doc)
    cross join (values (${spaces.from}::bigint, -1), (${spaces.to}::bigint, 1)) as place (id, by)
    where space_id = ${spaces.to} and page_id = any(${pageIds}::bigint[])
    group by place.id, place.by, key order by place.id, key collate "C"
    ${addToStored}`.execute(tx.db)
}

/** The number of rows over which the count of one key in one space is spread (sharded counter). */
export const SLOTS = 4

/** What to count: values, or bind parameters of a prepared statement. `counts` is JSON, a row per key. */
interface KeyCounts {
  readonly spaceId: number
  readonly slot: number
  readonly counts: string
  readonly now: Date
}

/** Adds to the counts of keys, in the order of the keys, against deadlocks. */
export function countKeys({ spaceId, slot, counts, now }: KeyCounts): RawBuilder<unknown> {
  return sql`
    insert into metadata_key (space_id, key, slot, strings, numbers, booleans, arrays, objects, updated_at)
    select ${spaceId}::bigint, key, ${slot}::smallint, string, number, boolean, "array", object, ${now}::timestamptz
    from jsonb_to_recordset(${counts}::jsonb)
      as count (key text, string int, number int, boolean int, "array" int, object int)
    order by key collate "C"
    ${addToStored},
      updated_at = greatest(metadata_key.updated_at, excluded.updated_at)`
}

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
    from unnest(${restrictedSpaces.map(({ id }) => id)}::bigint[],
      ${restrictedSpaces.map(({ hidden }) => hidden)}::place_multirange[])
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
function restrictedCounts(spaces: readonly ReadableSpace[], where: RawBuilder<unknown>): RawBuilder<unknown> {
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
function isGranted({ id, hidden }: ReadableSpace): boolean {
  return hidden?.startsWith(`{[${id}/,`) ?? false
}

/**
 * When keys were changed last on pages of these spaces that are not hidden. The time of a space tells that, unless a
 * hidden page was changed last: then the documents of the others do.
 */
async function visibleChanges(
  db: Db,
  spaces: readonly ReadableSpace[],
  keys: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  const hiddenPages = sql`(
    select address.space_id, address.page_id from restricted ${pagesAt(sql`restricted.hidden`)}
    where not restricted.granted
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
