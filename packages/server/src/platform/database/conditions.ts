import { type RawBuilder, sql } from 'kysely'

/** The conditions that are there, as one; true if there is none. */
export function joinConditions(conditions: readonly (RawBuilder<unknown> | false | undefined)[]): RawBuilder<unknown> {
  const presentConditions = conditions.filter((condition) => typeof condition === 'object')
  return presentConditions.length === 0 ? sql`true` : sql.join(presentConditions, sql` and `)
}

/** The rows that a statement reads by keyset pagination: those after a key, at most `limit`. */
export interface Keyset {
  readonly after: string | undefined
  readonly limit: number
}

/** The condition for the rows of a keyset, after other conditions; `key` is what the rows are ordered by. */
export function andAfter(key: RawBuilder<unknown>, { after }: Pick<Keyset, 'after'>): RawBuilder<unknown> {
  return after === undefined ? sql`` : sql`and ${key} > ${after}`
}
