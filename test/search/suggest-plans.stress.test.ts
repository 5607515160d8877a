import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { CompiledQuery } from 'kysely'
import pg from 'pg'
import { titlesIn } from '../../packages/server/src/content/pages/titles/titles.ts'
import { newestMatches } from '../../packages/server/src/content/search/newest-matches.ts'
import { scoreMatches } from '../../packages/server/src/content/search/store.ts'
import { createPool } from '../../packages/server/src/platform/database/connections/pool.ts'
import { DatabaseServer } from '../../packages/server/src/platform/database/connections/server.ts'
import { createDb, type Db } from '../../packages/server/src/platform/database/database.ts'
import { migrate } from '../../packages/server/src/platform/database/migrate.ts'
import { recordingDb } from '../support/recording-db.ts'
import { createTestDatabase } from '../support/test-database.ts'

/** Of each of three spaces. */
const PAGES = 14_000
const [LARGE, SMALL, HIDDEN] = [1_001, 1_002, 1_003]
const PAGES_OF_SMALL = 9_000
/**
 * The rows that all statements for one suggestion may visit: fewer than the pages of a large space, and in a small one
 * each page once.
 */
const MAX_VISITED = 10_000

const ADMIN = '00000000-0000-4000-8000-000000000001'
const closing = new AsyncDisposableStack()
const executed: CompiledQuery[] = []
let client: pg.Client
let db: Db

before(async () => {
  const database = closing.use(await createTestDatabase())
  client = new pg.Client(database.connection)
  await client.connect()
  closing.defer(() => client.end())
  // Rows of an asynchronous commit are not visible to all until it is flushed, and a count of them reads more than the
  // index until then.
  await client.query('set synchronous_commit to on')
  const server = new DatabaseServer(database.connection)
  const pool = createPool({ server, size: 2, prepared: false, onError: () => {} })
  closing.defer(() => pool.end())
  await migrate(pool)
  await client.query(`insert into principal (id, kind, name, role, created_at)
    values ('${ADMIN}', 'human', 'Ann', 'admin', now())`)
  await client.query(`insert into space (id, slug, kind, name, visibility, default_role, created_at, created_by, updated_at)
    select ${LARGE - 1} + n, 'space' || n, 'shared', 'Space', 'org', 'viewer', now(), (select id from principal), now()
    from generate_series(1, 2) n`)
  await insertPages(LARGE, 1)
  await insertPages(SMALL, PAGES + 1, PAGES_OF_SMALL)
  await client.query('vacuum analyze page, page_address, page_search')
  db = recordingDb(createDb(pool), executed)
})
after(() => closing.disposeAsync())

/**
 * Pages `Note <n>`: every second one has the word `common`, one of 100 the word `some`, and every one of the words
 * `rare<n>`. The first page is called `Common`, and the second `Common some`.
 */
async function insertPages(spaceId: number, first: number, pages = PAGES): Promise<void> {
  const title = `case n when 0 then 'Common' when 1 then 'Common some' else 'Note ' || n || case when n % 2 = 0 then ' common' else '' end
    || case when n % 100 = 1 then ' common some' else '' end || ' rare' || n end`
  await client.query(`insert into page (space_id, id, path, version, revision_id, title, keyframe, keyframe_id, created_at, created_by, updated_at, updated_by)
    select ${spaceId}, ${first} + n, 'p' || n, 1, gen_random_uuid(), ${title}, 1, gen_random_uuid(), now(), p.id, now(), p.id
    from generate_series(0, ${pages - 1}) n, (select id from principal) p`)
  await client.query(
    `insert into page_address (space_id, path, page_id) select space_id, path, id from page where space_id = ${spaceId}`,
  )
  await client.query(`insert into page_search (space_id, page_id, title, words)
    select space_id, id, x.words, x.words from page
    cross join lateral (select to_tsvector('simple', title || ' ' || path) as words) x where space_id = ${spaceId}`)
  await client.query(`select setval('page_id', ${first + pages})`)
}

/** The titles that are found, and the number of rows that the statements visited. */
async function found(q: string, spaceIds: readonly number[], limit = 8) {
  executed.length = 0
  const titles = (await titlesIn(db, { spaceIds, hidden: null }, { q, limit })).map(({ title }) => title)
  let visited = 0
  for (const { sql, parameters } of executed.splice(0)) {
    const { rows } = await client.query(`explain (analyze, format json) ${sql}`, [...parameters])
    visited += rowsOf(rows[0]['QUERY PLAN'][0].Plan)
  }
  return { titles, visited }
}

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly Plan[]
}

/** The rows that are read from tables, without those of which only a key is counted. */
function rowsOf(plan: Plan): number {
  const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  const isRead = plan['Relation Name'] !== undefined && plan['Node Type'] !== 'Index Only Scan'
  const own = !isRead ? 0 : (plan['Actual Rows'] + removed) * plan['Actual Loops']
  return (plan.Plans ?? []).reduce((sum, inner) => sum + rowsOf(inner), own)
}

test('suggestions visit a bounded number of pages, and find old pages by rare words', async () => {
  for (const spaceIds of [[LARGE], [SMALL], [LARGE, SMALL]]) {
    for (const [q, first] of [
      ['common', undefined],
      ['common some', 'Common some'],
      ['co', undefined],
      ['co so', undefined],
      ['note 77', 'Note 77 rare77'],
      ['rare77', 'Note 77 rare77'],
      ['rare7', 'Note 7 rare7'],
      ['n', 'none'],
      ['zebra', 'none'],
    ] as const) {
      const { titles, visited } = await found(q, spaceIds)
      const name = `${q} in ${spaceIds}: ${visited} rows, ${titles}`
      if (first === 'none') assert.deepEqual(titles, [], name)
      else assert.equal(titles.length, 8, name)
      if (first !== undefined && first !== 'none') assert.equal(titles[0], first, name)
      assert.ok(visited < MAX_VISITED + (spaceIds[0] === SMALL ? PAGES_OF_SMALL / 2 : 0), name)
    }
  }
})

test('newer and better matches in spaces that are not readable change no suggestion', async () => {
  const queries = ['common', 'common some', 'co', 'rare7', 'note 77', 'zebra']
  const before: string[][] = []
  for (const q of queries) before.push((await found(q, [LARGE])).titles)
  await client.query(`insert into space (id, slug, kind, name, visibility, default_role, created_at, created_by, updated_at)
    select ${HIDDEN}, 'hidden', 'shared', 'Hidden', 'private', 'viewer', now(), id, now() from principal`)
  await insertPages(HIDDEN, 3 * PAGES)
  for (const [index, q] of queries.entries()) assert.deepEqual((await found(q, [LARGE])).titles, before[index], q)
})

test('rare matches are scored where they were found; of too many any are found, and none is scored', async () => {
  const visitedFor = async (word: string, limit: number) => {
    const query = `'${word}':*`
    const scoring = { query, exact: `'${word}'`, terms: [], neighbours: [{ text: query, heading: query }] }
    const matching = {
      spaceIds: [LARGE],
      query,
      prefilter: undefined,
      hidden: null,
      negative: false,
      condition: undefined,
      small: false,
    }
    executed.length = 0
    const scored = { scoring, matches: 'rare' as const }
    const found = await newestMatches({ db, matching, tier: undefined, end: PAGES + 1, limit, scored })
    return { found, byKey: await scoreMatches(db, scoring, found), statements: executed.length - 1 }
  }
  // Three pages `rare77`, `rare770` to `rare779`, and so on.
  const rare = await visitedFor('rare77', 1000)
  const expected = new Map(rare.byKey.map((row) => [row.page_id, row]))
  assert.deepEqual(
    rare.found,
    rare.found.map((match) => ({ ...match, ...expected.get(match.page_id) })),
  )
  assert.equal(rare.found.length, 111)
  assert.equal(rare.statements, 2, 'of a sample, and of all other pages')
  const many = await visitedFor('rare1', 1000)
  assert.equal(many.found.length, 1000)
  const unscored = many.found.filter(({ density }) => density == null)
  assert.equal(unscored.length, 1000)
})
