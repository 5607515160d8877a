import { sql } from 'kysely'
import type { Db } from '../../database/database.ts'
import type { Condition } from '../filters.ts'
import { inSpaces, needsDocument, type Query, rowsOf } from './store-conditions.ts'

/** A condition that few pages meet. */
export interface Selective {
  /** Undefined: each condition is met by many. */
  readonly condition: Condition | undefined
  /** The pages that meet it, in the spaces of the query; those in the trash count as well. */
  readonly pages: number
}

/** More spaces are not counted: they have many pages. */
const MAX_SPACES = 30
/** The conditions are compared up to this share of the maximum. */
const FIRST_SHARE = 1 / 8

/**
 * A condition that at most `most` pages of all spaces meet, of those that an index decides: the one that fewest meet, or, where many
 * meet each, the first one. Undefined: one of many pages is the only condition, documents decide, or the spaces have at most `few` pages in all, which are probed as
 * fast. Plan: scans of an index alone, which end at the limit.
 */
export async function findSelective(
  db: Db,
  query: Query,
  { most, few }: { readonly most: number; readonly few: number },
): Promise<Selective | undefined> {
  const candidates = query.conditions.filter(
    (condition) => rowsOf(condition) && (condition.key !== query.orderBy || condition.kind === 'element'),
  )
  if (candidates.length === 0 || (await haveFewPages(db, query.spaceIds, few))) return undefined
  const least = await leastOf(db, query, candidates, Math.ceil(most * FIRST_SHARE))
  if (least) return least
  for (const condition of candidates) {
    const found = await leastOf(db, query, [condition], most)
    if (found) return found
  }
  const isScanned = query.conditions.length > 1 && !query.conditions.some(needsDocument)
  return isScanned ? { condition: undefined, pages: Number.POSITIVE_INFINITY } : undefined
}

async function haveFewPages(db: Db, spaceIds: readonly number[], few: number): Promise<boolean> {
  if (spaceIds.length > MAX_SPACES) return false
  const { rows } = await sql<{ few: boolean }>`
    select count(*) <= ${few} as few from (
      select from page_address where space_id = any(${spaceIds}::bigint[]) and page_id is not null limit ${few + 1}) page`.execute(
    db,
  )
  return rows[0]?.few ?? true
}

/** The condition that fewest pages meet; undefined: more than `most` meet each. */
async function leastOf(
  db: Db,
  { spaceIds }: Query,
  conditions: readonly Condition[],
  most: number,
): Promise<Selective | undefined> {
  const row = sql.ref('row')
  const counts = conditions.map((condition) => {
    const found = rowsOf(condition)
    return sql`(select case when count(*) <= ${most} then count(*) filter (where ${inSpaces(spaceIds, row)}) end::int
      from (select row.space_id from ${found?.table} row where ${found?.is(row)} limit ${most + 1}) row)`
  })
  const { rows } = await sql<{
    counts: (number | null)[]
  }>`select array[${sql.join(counts)}] as counts`.execute(db)
  const counted = conditions.flatMap((condition, index) => {
    const pages = rows[0]?.counts[index]
    return pages === null || pages === undefined ? [] : [{ condition, pages }]
  })
  return counted.sort((a, b) => a.pages - b.pages)[0]
}
