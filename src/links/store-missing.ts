import { type RawBuilder, sql } from 'kysely'
import { type Sight, visibleSpaces } from '../access/visibility.ts'
import type { Db } from '../database/database.ts'
import type { PageAddress } from '../http/page-address.ts'
import { isMissing, seesAllSpaces } from './store-read.ts'

/**
 * The targets of the page `p` that are missing and of which the caller may know that, as an array of `space/path`, or
 * null where there are none. For a statement that reads the page anyway.
 */
export function missingTargets(sight: Sight): RawBuilder<readonly string[] | null> {
  return sql`(
    select array_agg(coalesce((select slug from space where id = l.target_space_id), u.slug, 'personal')
      || '/' || coalesce(a.path, u.path))
    from link l
    left join page_address a on a.space_id = l.target_space_id and a.id = l.target_id
    left join unknown_address u on l.target_space_id is null and u.id = l.target_id
    where l.space_id = p.space_id and l.page_id = p.id and case
      when l.target_space_id is null then u.id is not null and ${seesAllSpaces(sight)}
      when a.id is null or not ${isMissing(sight)} then false
      when l.target_space_id = p.space_id then true
      else l.target_space_id in ${visibleSpaces(sight)}
    end)`
}

/** The same of any addresses, as they are named in the pages of `spaceId`, whose own slug is `space`. */
export async function listMissing(
  db: Db,
  sight: Sight,
  from: { readonly spaceId: number; readonly space: string },
  addresses: readonly PageAddress[],
): Promise<string[]> {
  if (addresses.length === 0) return []
  const { rows } = await sql<{ target: string }>`
    select t.space || '/' || t.path as target
    from unnest(${addresses.map(({ space }) => space)}::text[], ${addresses.map(({ path }) => path)}::text[]) as t (space, path)
    left join space ts on case when t.space = ${from.space} then ts.id = ${from.spaceId} else ts.slug = t.space end
    left join page_address a on a.space_id = ts.id and a.path = t.path
    where case when ts.id is null then ${seesAllSpaces(sight)}
      else (a.space_id is null or ${isMissing(sight)}) and (ts.id = ${from.spaceId} or ts.id in ${visibleSpaces(sight)}) end`.execute(
    db,
  )
  return rows.map((row) => row.target)
}
