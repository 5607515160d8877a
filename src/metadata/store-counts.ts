import { type RawBuilder, sql } from 'kysely'

/** The number of rows over which the count of one key in one space is spread (sharded counter). */
export const SLOTS = 4

/** What to count: values, or bind parameters of a prepared statement. `counts` is JSON, a row per key. */
export interface KeyCounts {
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
    on conflict (space_id, key, slot) do update set
      strings = metadata_key.strings + excluded.strings,
      numbers = metadata_key.numbers + excluded.numbers,
      booleans = metadata_key.booleans + excluded.booleans,
      arrays = metadata_key.arrays + excluded.arrays,
      objects = metadata_key.objects + excluded.objects,
      updated_at = greatest(metadata_key.updated_at, excluded.updated_at)`
}
