import { type RawBuilder, sql } from 'kysely'
import type { ReadableSpace } from '../../access/space.ts'
import { type AccessSubject, hiddenJoin, isNotIn, memberJoin, rankIn } from '../../access/visibility.ts'
import { type Db, queryRows } from '../../platform/database/database.ts'
import { read } from '../../platform/database/statement.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { isGranted, restrictedCounts, visibleChanges } from './store-restricted-keys.ts'
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
      ${after === undefined ? sql`` : sql`and (pages < ${after.count} or (pages = ${after.count} and key > ${after.key}))`}
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

/**
 * Those of some keys that a page has that the caller can read. In spaces of which something is hidden, the entries of
 * pages decide, and not the counts.
 */
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
