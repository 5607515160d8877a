import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { FilterOp } from '@recto/contract/filter-ops.ts'
import type { CompiledQuery } from 'kysely'
import pg from 'pg'
import { fillMetadata } from '../../bench/metadata-data.ts'
import { type Condition, parseFilters } from '../../packages/server/src/content/metadata/filters.ts'
import { findMatches } from '../../packages/server/src/content/metadata/matches/matches.ts'
import type { MatchQuery } from '../../packages/server/src/content/metadata/matches/scan.ts'
import { scanByAddress, scanByValue } from '../../packages/server/src/content/metadata/matches/store-search.ts'
import { createPool } from '../../packages/server/src/platform/database/connections/pool.ts'
import { DatabaseServer } from '../../packages/server/src/platform/database/connections/server.ts'
import { createDb, type Db } from '../../packages/server/src/platform/database/database.ts'
import { migrate } from '../../packages/server/src/platform/database/migrate.ts'
import { recordingDb } from '../support/recording-db.ts'
import { createTestDatabase } from '../support/test-database.ts'

const PAGES = 20_000
/**
 * A tenth of what the service uses, a twentieth of the last one, as the data is smaller than that of large
 * installations.
 */
const BOUNDS = { sortLimit: 100, scanLimit: 800, estimateLimit: 200, selectiveLimit: 2_500, probeCost: 50 }
const LIMIT = 11
/**
 * What a statement may read of 20,000 pages with 160,000 entries. A sequential scan is right only where matches are so
 * many that it ends early; scanByValue skips at most ten times `scanLimit` entries of other spaces, and twice as many
 * with several filters.
 */
const MAX_ROWS = { sequentialScan: 1_000, sort: 3_000, skipped: 10 * BOUNDS.scanLimit, other: 1_000 }

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

interface ExplainedPlan {
  readonly sql: string
  readonly plan: Plan
}

const closing = new AsyncDisposableStack()
let client: pg.Client
let db: Db
let spaces: MatchQuery['spaces']
let isIndexed = true
const executed: CompiledQuery[] = []

before(async () => {
  const database = closing.use(await createTestDatabase())
  client = new pg.Client(database.connection)
  await client.connect()
  closing.defer(() => client.end())
  const server = new DatabaseServer(database.connection)
  const pool = createPool({ server, size: 2, prepared: false, onError: () => {} })
  closing.defer(() => pool.end())
  await migrate(pool)
  await client.query(`insert into principal (id, kind, name, role, created_at)
    values (gen_random_uuid(), 'human', 'Ann', 'admin', now())`)
  await fillMetadata(client, PAGES)
  db = recordingDb(createDb(pool), executed)
  const { rows } = await client.query('select id::int, slug from space order by slug collate "C"')
  spaces = rows
})
after(() => closing.disposeAsync())

/** With `element` in place of `contains`, as they are once the elements of all pages are indexed. */
function conditionsOf(filters: readonly Filter[]): readonly Condition[] {
  const parsed = parseFilters(JSON.stringify(filters.map(([key, op, value]) => ({ key, op, value }))))
  return parsed.map((condition) =>
    condition.kind === 'contains' && isIndexed ? { ...condition, kind: 'element' } : condition,
  )
}

/** Runs a query, and explains each statement that it executed and that reads rows. */
async function plansOf(filters: readonly Filter[], more: Partial<MatchQuery>): Promise<ExplainedPlan[]> {
  executed.length = 0
  const query = { db, ...BOUNDS, spaces, hidden: null, orderBy: undefined, descending: false, further: [], ...more }
  const conditions = conditionsOf(filters)
  await findMatches({ ...query, conditions, spaceIds: query.spaces.map(({ id }) => id) }, undefined, LIMIT)
  return explained()
}

/** Explains each statement that was executed and that reads rows. */
async function explained(): Promise<ExplainedPlan[]> {
  const plans: ExplainedPlan[] = []
  for (const { sql, parameters } of [...executed]) {
    if (isEstimate(sql)) continue
    const { rows } = await client.query(`explain (analyze, format json) ${sql}`, [...parameters])
    plans.push({ sql, plan: rows[0]['QUERY PLAN'][0].Plan })
  }
  return plans
}

function isEstimate(sql: string): boolean {
  return /^\s*explain /.test(sql)
}

function problemOf({ sql, plan }: ExplainedPlan, filters: number): { sql: string; problem: string | undefined } {
  const problem = nodesOf(plan).find((node) => {
    const rows = rowsOf(node)
    if (node['Node Type'] === 'Seq Scan') return rows > MAX_ROWS.sequentialScan
    if (/Sort/.test(node['Node Type'])) return (node.Plans ?? []).some((input) => rowsOf(input) > MAX_ROWS.sort)
    return rows > (filters > 1 ? 2 : 1) * MAX_ROWS.skipped + MAX_ROWS.other
  })
  return {
    sql,
    problem: problem && `${problem['Node Type']} ${problem['Relation Name'] ?? ''}: ${rowsOf(problem)} rows`,
  }
}

function nodesOf(plan: Plan | undefined): Plan[] {
  return plan ? [plan, ...(plan.Plans ?? []).flatMap(nodesOf)] : []
}

/** The rows that a node reads, those that its filter drops included. */
function rowsOf(node: Plan): number {
  return (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
}

type Filter = readonly [key: string, op: FilterOp, value?: unknown]
const cases: Readonly<Record<string, { filters: readonly Filter[]; orderBy?: string }>> = {
  'no filter': { filters: [] },
  'no filter, by value': { filters: [], orderBy: 'score' },
  'no filter, by a value of many pages': { filters: [], orderBy: 'status' },
  'no filter, by a rare key': { filters: [], orderBy: 'rare' },
  'eq one page': { filters: [['ticket', 'eq', 'T-17']] },
  'eq many': { filters: [['status', 'eq', 'active']] },
  'eq many, by value': { filters: [['status', 'eq', 'active']], orderBy: 'due' },
  'eq few, by value': { filters: [['owner', 'eq', 'owner-3']], orderBy: 'due' },
  'neq many': { filters: [['status', 'neq', 'draft']] },
  'in few': { filters: [['owner', 'in', ['owner-3', 'owner-5']]], orderBy: 'due' },
  'in many, by the same key': { filters: [['status', 'in', ['active', 'draft']]], orderBy: 'status' },
  'in, of switches': { filters: [['done', 'in', [true, 'x']]] },
  'notIn many': { filters: [['status', 'notIn', ['draft', 'review']]] },
  'startsWith few': { filters: [['ticket', 'startsWith', 'T-17']], orderBy: 'score' },
  'startsWith, of dates': { filters: [['due', 'startsWith', '2025-01-0']] },
  'contains few': { filters: [['tags', 'contains', 'tag-7']] },
  'contains many, by value': { filters: [['tags', 'contains', 'common']], orderBy: 'score' },
  'exists, rare': { filters: [['rare', 'exists']], orderBy: 'score' },
  'exists, everywhere': { filters: [['status', 'exists']] },
  'missing, many': { filters: [['rare', 'missing']], orderBy: 'score' },
  'gt, few': { filters: [['score', 'gt', 999_500]] },
  'lte, many, by the same key': { filters: [['score', 'lte', 900_000]], orderBy: 'score' },
  'range of dates': {
    filters: [
      ['due', 'gte', '2025-01-01'],
      ['due', 'lt', '2025-01-05'],
    ],
  },
  'missing and eq, by value': {
    filters: [
      ['due', 'missing'],
      ['status', 'eq', 'archived'],
    ],
    orderBy: 'score',
  },
  'three filters, by value': {
    filters: [
      ['status', 'eq', 'active'],
      ['priority', 'gte', 3],
      ['tags', 'contains', 'common'],
    ],
    orderBy: 'due',
  },
}

for (const [name, { filters, orderBy }] of Object.entries(cases)) {
  test(`${name}: every plan reads and sorts a small part of the data`, async () => {
    isIndexed = true
    for (const visible of [spaces, spaces.filter(({ slug }) => slug === 'space-1')]) {
      for (const descending of orderBy === undefined ? [false] : [false, true]) {
        const plans = await plansOf(filters, { orderBy, descending, spaces: visible })
        for (const plan of plans) {
          const { sql, problem } = problemOf(plan, filters.length)
          assert.equal(problem, undefined, sql)
        }
      }
    }
  })
}

test('while elements of arrays are indexed, every plan for contains reads and sorts a small part of the data', async () => {
  isIndexed = false
  for (const { filters, orderBy } of Object.values(cases)) {
    if (!filters.some(([, op]) => op === 'contains')) continue
    for (const plan of await plansOf(filters, { orderBy })) {
      const { sql, problem } = problemOf(plan, filters.length)
      assert.equal(problem, undefined, sql)
    }
  }
})

/** So expensive that all that can be scanned is scanned, and so cheap that an index finds all. */
const PROBE_COSTS = { scan: 1e6, index: 0 }
const BY_INDEX = { scanLimit: 0, probeCost: PROBE_COSTS.index }

test('an element that few pages have is found without a document: by probes of the pages that have it, or a scan for them', async () => {
  isIndexed = true
  for (const orderBy of [undefined, 'score']) {
    for (const [way, probeCost] of Object.entries(PROBE_COSTS)) {
      const more = { orderBy, sortLimit: 10, scanLimit: 0, selectiveLimit: PAGES, probeCost }
      const plans = await plansOf([['tags', 'contains', 'tag-7']], more)
      const isScan = plans.at(-1)?.sql.includes(') chosen on')
      assert.equal(isScan, way === 'scan')
      const read = plans.flatMap(({ plan }) => nodesOf(plan).filter((node) => node['Actual Loops'] > 0))
      assert.ok(!read.some((node) => node['Relation Name'] === 'page_metadata'), 'no document is read')
    }
  }
})

for (const orderBy of [undefined, 'score']) {
  test(`three filters that few pages meet together, ${orderBy ?? 'by address'}: only scanned pages of the most selective one are probed, by a hash join`, async () => {
    isIndexed = true
    const filters: readonly Filter[] = [
      ['status', 'eq', 'archived'],
      ['priority', 'gte', 5],
      ['tags', 'contains', 'common'],
    ]
    const more = { orderBy, scanLimit: 0, selectiveLimit: PAGES, probeCost: PROBE_COSTS.scan }
    const scans = (await plansOf(filters, more)).filter(({ sql }) => sql.includes('with candidate as'))
    const isJoin = ({ sql }: ExplainedPlan) => sql.includes(') chosen on')
    assert.ok(scans.every(isJoin), 'a short scan would find too little, as the estimate says')
    const nodes = nodesOf(scans[0]?.plan)
    const joined = nodesOf(nodes.find((node) => node['Node Type'] === 'Hash Join'))
    assert.ok(joined.some((node) => node['Index Name'] === 'metadata_entry_rank'))
    const probes = nodes.find((node) => node['Index Name'] === 'metadata_element_pkey')
    // A twentieth of the pages are archived.
    assert.ok(probes && probes['Actual Loops'] < PAGES / 10)
  })
}

test('where the planner expects a single row, scanned pages are still joined by a hash table', async (t) => {
  t.after(() => client.query('analyze metadata_entry, page_address'))
  for (const table of ['metadata_entry', 'page_address']) {
    const args = `'schemaname', 'public', 'relname', $1::text, 'relpages', 1000000, 'reltuples', 1::real`
    await client.query(`select pg_restore_relation_stats(${args})`, [table])
  }
  const [among] = conditionsOf([['status', 'eq', 'archived']])
  assert.ok(among)
  const query = { spaceIds: spaces.map(({ id }) => id), hidden: null, conditions: [among] }
  const scan = { after: undefined, limit: LIMIT, scanned: PAGES, among }
  executed.length = 0
  await scanByValue(db, { ...query, orderBy: 'score' }, { ...scan, descending: false })
  await scanByAddress(db, { ...query, orderBy: undefined }, { ...scan, group: 'all' })
  const plans = await explained()
  assert.equal(plans.length, 2)
  for (const { sql, plan } of plans) {
    const read = nodesOf(plan).filter((node) => node['Index Name'] === 'metadata_entry_rank')
    const found = `${sql}\n${JSON.stringify(plan)}`
    assert.ok(read.length > 0 && read.every((node) => node['Actual Loops'] === 1), found)
    const join = nodesOf(plan).find((node) => node['Node Type'] === 'Hash Join')
    assert.ok(join, found)
  }
})

test('an estimate reads nothing and does not decide: where it is wrong, the matches are the same', async () => {
  isIndexed = true
  for (const table of ['metadata_entry', 'metadata_element'])
    await client.query(`select pg_clear_attribute_stats('public', $1, 'rank', false)`, [table])
  const filters = [
    ['status', 'eq', 'archived'],
    ['tags', 'contains', 'tag-7'],
  ] as const
  const query = {
    db,
    ...BOUNDS,
    spaces,
    spaceIds: spaces.map(({ id }) => id),
    hidden: null,
    descending: false,
    further: [],
  }
  const conditions = conditionsOf(filters)
  const paths = async (probeCost: number) => {
    const matches = await findMatches({ ...query, conditions, orderBy: 'score', probeCost }, undefined, 100)
    return matches.map(({ path }) => path)
  }
  const { rows } = await client.query(`
    select page.path from page join page_metadata on page.id = page_id
    where doc @> '{"status": "archived", "tags": ["tag-7"]}' order by (doc ->> 'score')::numeric`)
  const expected = rows.map(({ path }) => path)
  for (const probeCost of [...Object.values(PROBE_COSTS), BOUNDS.probeCost])
    assert.deepEqual(await paths(probeCost), expected)
  await client.query('analyze metadata_entry, metadata_element')
})

test('filters that exclude each other, or the order, read nothing', async () => {
  const excluded: readonly (readonly [readonly Filter[], string | undefined])[] = [
    [
      [
        ['due', 'missing'],
        ['due', 'gt', '2025-01-01'],
      ],
      'score',
    ],
    [
      [
        ['due', 'missing'],
        ['due', 'exists'],
      ],
      undefined,
    ],
  ]
  for (const [filters, orderBy] of excluded) assert.deepEqual(await plansOf(filters, { orderBy }), [])
  const plans = await plansOf(
    [
      ['rare', 'missing'],
      ['status', 'eq', 'active'],
    ],
    { orderBy: 'rare' },
  )
  assert.ok(plans.length > 0 && plans.every(({ sql }) => sql.includes('page_address')), 'the order by value is skipped')
})

test('in one space no page of another is probed', async () => {
  isIndexed = true
  const filters: readonly Filter[] = [
    ['status', 'eq', 'active'],
    ['priority', 'lte', 3],
    ['tags', 'contains', 'tag-7'],
  ]
  const visible = spaces.filter(({ slug }) => slug === 'space-1')
  const { rows } = await client.query(
    `select count(*)::int as all, count(*) filter (where space_id = $1)::int as inside
    from page_metadata where doc @> '{"tags": ["tag-7"]}'`,
    [visible[0]?.id],
  )
  const { all, inside } = rows[0]
  assert.ok(inside < all / 2)
  const plans = await plansOf(filters, { orderBy: 'due', spaces: visible, ...BY_INDEX })
  const probes = nodesOf(plans.at(-1)?.plan).filter((node) => node['Index Name'] === 'metadata_entry_pkey')
  assert.ok(probes.length > 0)
  for (const probe of probes) assert.ok(probe['Actual Loops'] <= inside, `${probe['Actual Loops']} of ${inside}`)
})

test('where all matches are sorted, those with the last value are not read again', async () => {
  // About 200 pages, 40 with each value.
  const more = { orderBy: 'priority', sortLimit: 10, selectiveLimit: 0, ...BY_INDEX }
  const plans = await plansOf([['rare', 'exists']], more)
  assert.ok(plans.at(-1)?.sql.includes('found as materialized'))
})

test('of matches that are few the pages are read that are wanted', async () => {
  const more = { orderBy: 'score', sortLimit: 1_000, ...BY_INDEX }
  const plans = await plansOf([['owner', 'eq', 'owner-3']], more)
  const last = plans.at(-1)
  assert.ok(last)
  assert.ok(last.sql.includes('placed as'))
  const read = nodesOf(last.plan).find((node) => node['Relation Name'] === 'page' && node['Index Name'] === 'page_pkey')
  assert.equal(read?.['Actual Loops'], LIMIT + 1)
})

test('two comparisons of one key are one range of its index', async () => {
  const plans = await plansOf(
    [
      ['score', 'gt', 500_000],
      ['score', 'lt', 501_000],
      ['status', 'eq', 'draft'],
    ],
    { orderBy: 'due' },
  )
  const counts = plans.filter(({ sql }) => sql.includes('as rows, count'))
  assert.equal(counts.length, 1, 'the range is found to be selective')
})

test('several filters that no page meets among the first ones are answered by a longer scan in order', async () => {
  // Of 20,000 scores up to 1,000,000 the lowest 200 or so: more than the first scan reads, fewer than the second.
  await client.query(`update page_metadata set doc = doc || '{"late": true}' where (doc ->> 'score')::numeric > 10000`)
  const plans = await plansOf(
    [
      ['late', 'eq', true],
      ['done', 'eq', true],
    ],
    { orderBy: 'score' },
  )
  const scans = plans.map(({ sql }) => sql.includes('with candidate as'))
  assert.deepEqual(scans, [true, false, true], 'a short scan, a search of few matches, a longer scan')
})

for (const orderBy of [undefined, 'score']) {
  test(`a filter that many pages meet is answered by a scan in order, ${orderBy ?? 'by address'}`, async () => {
    const plans = await plansOf([['status', 'eq', 'draft']], { orderBy })
    const indexes = plans.flatMap(({ plan }) => nodesOf(plan).map((node) => node['Index Name']))
    assert.ok(!indexes.includes('page_metadata_doc'), 'the index reads all 3,000 matches before the first one')
  })
}
