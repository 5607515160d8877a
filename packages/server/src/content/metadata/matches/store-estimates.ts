import { sql } from 'kysely'
import { type Db, queryRows, queryValue } from '../../../platform/database/database.ts'
import type { Condition } from '../filters.ts'
import { findBounds, type IndexRows, isDecidedByRows, selectRows } from './store-condition-kinds.ts'
import { inSpaces, MAX_INDEXED_SPACES, type Query } from './store-conditions.ts'

/** How many pages meet the conditions of a query: a guess by statistics, which may be old. */
export interface Estimates {
  /** The condition that fewest pages meet, of those that entries or elements decide. */
  readonly condition: Condition
  /** The rows of it in its index, of all spaces. */
  readonly rows: number
  /** Those in the spaces of the query. */
  readonly pages: number
  /** The share of the pages that meet it. */
  readonly selectivity: number
  /** The share of the pages that meet all others, as if these were independent of each other; of documents, all. */
  readonly others: number
  /** The share of all pages that are in the spaces of the query. */
  readonly share: number
}

/** The statistics know little of values that are not common: up to so many rows are counted. */
const MAX_COUNTED = 10_000

/** Estimates by EXPLAIN alone, which reads no rows. */
export interface Guess extends Omit<Estimates, 'pages'> {
  /** All pages. */
  readonly all: number
}

/**
 * What EXPLAIN says of the conditions. Undefined: documents decide one, or no entry or element does but those of
 * `orderBy`, or the spaces have at most `few` pages in all, which are probed as fast. Of spaces that are not looked up
 * in an index neither is known: they have many pages.
 */
export async function guessPages(db: Db, query: Query, few: number): Promise<Guess | undefined> {
  const isOrdered = (condition: Condition) => condition.key === query.orderBy && isDecidedByRows(condition)
  const conditions = query.conditions.filter((condition) => !isOrdered(condition))
  const bounds = conditions.flatMap((condition) => findBounds(condition) ?? [])
  if (!conditions.some(selectRows) || bounds.length < conditions.length) return undefined
  if (await haveFewPages(db, query.spaceIds, few)) return undefined
  const isInSpaces: IndexRows['is'] = (row) => inSpaces(query.spaceIds, row)
  const [all = 0, inside = 0, ...found] = await estimatedRows(db, [
    { table: sql.table('page'), is: () => sql<boolean>`true` },
    query.spaceIds.length <= MAX_INDEXED_SPACES ? { table: sql.table('page'), is: isInSpaces } : undefined,
    ...bounds.flatMap(({ most, without }) => [most, without]),
  ])
  const guesses = conditions.map((condition, index) => {
    const [rows = all, without = 0] = found.slice(2 * index, 2 * index + 2)
    return {
      condition,
      rows,
      selectivity: without ? Math.max(computeShare(rows - without, all), MIN_SHARE) : computeShare(rows, all),
    }
  })
  const least = guesses.filter(({ condition }) => selectRows(condition)).sort((a, b) => a.rows - b.rows)[0]
  if (!least) return undefined
  const others = guesses.reduce((product, { selectivity }) => product * selectivity, 1) / least.selectivity
  return {
    all,
    condition: least.condition,
    rows: least.rows,
    selectivity: computeShare(least.rows, all),
    others,
    share: query.spaceIds.length <= MAX_INDEXED_SPACES ? computeShare(inside, all) : 1,
  }
}

/** The guess with the rows of the condition, which are counted where they are few. */
export async function estimatePages(db: Db, query: Query, guess: Guess): Promise<Estimates> {
  const { condition, all, rows, share } = guess
  const rowCount = rows > MAX_COUNTED ? { rows } : await countRows(db, query, condition)
  return { ...guess, pages: rowCount.rows * share, ...rowCount, selectivity: computeShare(rowCount.rows, all) }
}

/** The share of rows among all, of which none is taken for one. */
function computeShare(rows: number, all: number): number {
  return Math.min(1, Math.max(rows, 1) / Math.max(all, 1))
}

/** A guess that all pages have a value may be wrong. */
const MIN_SHARE = 1e-4

/** How many rows the planner expects of each; 0 where it knows that there are none. */
async function estimatedRows(
  db: Db,
  rowCounts: readonly (IndexRows | undefined)[],
): Promise<readonly (number | undefined)[]> {
  const selects = rowCounts.flatMap((rows, index) => {
    const row = sql.ref(`row_${index}`)
    return rows ? [sql`select 1 from ${rows.tableAs?.(row) ?? rows.table} ${row} where ${rows.is(row)}`] : []
  })
  const rows = await queryRows<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(db)`
    explain (format json) ${sql.join(selects, sql` union all `)}`
  const nodes = (rows[0]?.['QUERY PLAN'] ?? []).flatMap(({ Plan }) => listNodes(Plan))
  const rowsOfNode = (alias: string) => nodes.find(({ Alias }) => Alias === alias)?.['Plan Rows'] ?? 0
  return rowCounts.map((rows, index) => rows && rowsOfNode(`row_${index}`))
}

/** Of a node of a plan, as EXPLAIN writes it. */
interface PlanNode {
  readonly Alias?: string
  readonly 'Plan Rows': number
  readonly Plans?: readonly PlanNode[]
}

function listNodes(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(listNodes)]
}

async function haveFewPages(db: Db, spaceIds: readonly number[], few: number): Promise<boolean> {
  if (spaceIds.length > MAX_INDEXED_SPACES) return false
  return queryValue<boolean>(db, true)`
    select count(*) <= ${few} as few from (
      select from page_address where space_id = any(${spaceIds}::bigint[]) and page_id is not null
        limit ${few + 1}) page`
}

/** The rows of a condition by its index alone, and those of the spaces; of more than can be counted, the maximum. */
async function countRows(
  db: Db,
  { spaceIds }: Query,
  condition: Condition,
): Promise<{ readonly rows: number; readonly pages?: number }> {
  const conditionRows = selectRows(condition)
  const row = sql.ref('row')
  const rows = await queryRows<{ rows: number; pages: number }>(db)`
    select count(*)::int as rows, count(*) filter (where ${inSpaces(spaceIds, row)})::int as pages
    from (select row.space_id from ${conditionRows?.table} row where ${conditionRows?.is(row)}
      limit ${2 * MAX_COUNTED}) row`
  const rowCount = rows[0] ?? { rows: 0, pages: 0 }
  return rowCount.rows < 2 * MAX_COUNTED ? rowCount : { rows: rowCount.rows }
}
