import { sql } from 'kysely'
import { type Db, queryRows, type WriteDb } from '../../platform/database/database.ts'
import type { ThreadQuote } from './schema.ts'

interface PageVersion {
  readonly spaceId: number
  readonly pageId: number
  readonly version: number
}

/** A passage of the last version that has it. */
export interface OldPlace {
  readonly id: string
  readonly quote: Required<ThreadQuote>
  readonly version: number
  readonly start: number
  readonly end: number
}

/** The places of the threads of a page that were not looked for in this version or a later one. */
export async function listOldPlaces(db: Db, { spaceId, pageId, version }: PageVersion): Promise<OldPlace[]> {
  return queryRows<OldPlace>(db)`
    select id, quote, place_version as version, place_start as start, place_end as end from thread
    where space_id = ${spaceId} and page_id = ${pageId} and quote is not null and seen_version < ${version}`
}

export interface FollowedPlace {
  readonly id: string
  /** Null: the version does not have it. */
  readonly passage: {
    readonly start: number
    readonly end: number
    readonly startLine: number
    readonly endLine: number
  } | null
}

/** Stores where passages are in a version, unless they were looked for in a later one. */
export async function savePlaces(
  db: WriteDb,
  { spaceId, pageId, version }: PageVersion,
  places: readonly FollowedPlace[],
) {
  await sql`update thread set seen_version = ${version}, outdated = place.passage is null,
      place_version = case when place.passage is null then place_version else ${version} end,
      place_start = coalesce((place.passage ->> 'start')::int, place_start),
      place_end = coalesce((place.passage ->> 'end')::int, place_end),
      start_line = coalesce((place.passage ->> 'startLine')::int, start_line),
      end_line = coalesce((place.passage ->> 'endLine')::int, end_line)
    from jsonb_to_recordset(${JSON.stringify(places)}::jsonb) as place (id uuid, passage jsonb)
    where thread.space_id = ${spaceId} and thread.page_id = ${pageId} and thread.id = place.id
      and thread.seen_version < ${version}`.execute(db)
}
