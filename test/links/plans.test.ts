import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { CompiledQuery } from 'kysely'
import pg from 'pg'
import { compareLinks, replaceRows } from '../../packages/server/src/content/links/store.ts'
import { listBacklinks } from '../../packages/server/src/content/links/store-backlinks.ts'
import { replaceFileLinks } from '../../packages/server/src/content/links/store-files.ts'
import { listEdges } from '../../packages/server/src/content/links/store-neighbourhood.ts'
import { listBroken, listOrphans, listWanted } from '../../packages/server/src/content/links/store-reports.ts'
import {
  adoptAddresses,
  releaseAddresses,
  retargetSlug,
} from '../../packages/server/src/content/spaces/store-addresses.ts'
import { createPool } from '../../packages/server/src/platform/database/connections/pool.ts'
import { DatabaseServer } from '../../packages/server/src/platform/database/connections/server.ts'
import { autocommit, createDb, type Db } from '../../packages/server/src/platform/database/database.ts'
import { migrate } from '../../packages/server/src/platform/database/migrate.ts'
import { recordingDb } from '../support/recording-db.ts'
import { createTestDatabase } from '../support/test-database.ts'

const SPACES = 4
/** Of each space; each page links to the hub, the first page of the first space, and to a page that is missing. */
const PAGES = 1_500
const ADMIN = '00000000-0000-4000-8000-000000000001'

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Cond'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly Plans?: readonly Plan[]
}

const closing = new AsyncDisposableStack()
const executed: CompiledQuery[] = []
let client: pg.Client
let db: Db

before(async () => {
  const database = closing.use(await createTestDatabase())
  client = new pg.Client(database.connection)
  await client.connect()
  closing.defer(() => client.end())
  const server = new DatabaseServer(database.connection)
  const pool = createPool({ server, size: 2, prepared: false, onError: () => {} })
  closing.defer(() => pool.end())
  await migrate(pool)
  await fill()
  await client.query('set plan_cache_mode = force_generic_plan')
  db = recordingDb(createDb(pool), executed)
})
after(() => closing.disposeAsync())

async function fill(): Promise<void> {
  await client.query(
    `insert into principal (id, kind, name, role, created_at) values ('${ADMIN}', 'human', 'Ann', 'admin', now())`,
  )
  await client.query(`insert into space (id, slug, kind, name, visibility, default_role, created_at, created_by, updated_at)
    select n, 'space' || n, 'shared', 'Space', 'org', 'viewer', now(), '${ADMIN}', now() from generate_series(1, ${SPACES}) n`)
  const all = `generate_series(1, ${SPACES}) s, lateral (select s * 100000 + n as id from generate_series(1, ${PAGES}) n) p`
  await client.query(
    `insert into page_address (space_id, path, page_id, id, last_version) select s, 'p' || id, id, id, 1 from ${all}`,
  )
  await client.query(`insert into page (space_id, id, path, version, revision_id, title, keyframe, keyframe_id, created_at, created_by, updated_at, updated_by)
    select s, id, 'p' || id, 1, gen_random_uuid(), 'Page', 1, gen_random_uuid(), now(), '${ADMIN}', now(), '${ADMIN}' from ${all}`)
  await client.query(`insert into page_address (space_id, path, id) select s, 'missing' || id, -id from ${all}`)
  await client.query(
    `insert into link (space_id, page_id, target_space_id, target_id, ord, line, text)
      select s, id, 1, 100001, 0, 1, 'hub' from ${all} union all select s, id, s, -id, 1, 2, 'missing' from ${all}`,
  )
  await client.query(
    `insert into file_link (space_id, page_id, slug, path, ord, line, text, maybe_page, surely_file)
      select s, id, '', 'a.png', 2, 2, '', false, true from ${all}`,
  )
}

const subject = {
  principalId: ADMIN,
  ownerId: ADMIN,
  agent: false,
  guest: false,
  orgAdmin: true,
  reviewBit: 1,
  maxRank: 3,
  spaceIds: null,
}

const readable = { spaceIds: Array.from({ length: SPACES }, (_, n) => n + 1), hidden: null }
/** Tables of the access rule: with the rule at each of its places, a statement takes longer to plan than to run. */
const RULE_TABLES = /(space_member|space_group|group_member|folder_rule|folder_access)$/m

async function explainBacklinks(): Promise<Plan> {
  executed.length = 0
  const hub = { spaceId: 1, pageId: 100_001, path: 'p100001', afterSpace: '', afterPath: '', limit: 51 }
  const rows = await listBacklinks.all(db, { ...subject, ...hub })
  assert.equal(rows.length, 51)
  assert.ok(rows.every(({ space }) => space === 'space1'))
  const [plan] = await explainExecuted()
  assert.ok(plan)
  return plan
}

async function explainExecuted(): Promise<Plan[]> {
  const plans: Plan[] = []
  for (const { sql, parameters } of [...executed]) {
    const { rows } = await client.query(`explain (analyze, timing off, format json) ${sql}`, [...parameters])
    plans.push(rows[0]['QUERY PLAN'][0].Plan)
  }
  return plans
}

type WriterTx = Parameters<typeof releaseAddresses>[0]

/** A handle whose statements run on `client`, each of them explained. */
function explainingDb(plans: Plan[]): WriterTx['db'] {
  const executor = new Proxy(db.getExecutor(), {
    get(target, name) {
      if (name !== 'executeQuery') return Reflect.get(target, name).bind(target)
      return async ({ sql, parameters }: CompiledQuery) => {
        await client.query('savepoint explained')
        const { rows } = await client.query(sql, [...parameters])
        await client.query('rollback to explained')
        const explained = await client.query(`explain (analyze, timing off, format json) ${sql}`, [...parameters])
        plans.push(explained.rows[0]['QUERY PLAN'][0].Plan)
        return { rows }
      }
    },
  })
  return { getExecutor: () => executor } as unknown as WriterTx['db'] // all that raw SQL asks of a handle
}

function rowsOf(plan: Plan, relation: string): number {
  const own = plan['Relation Name'] === relation ? plan['Actual Rows'] * plan['Actual Loops'] : 0
  return (plan.Plans ?? []).reduce((sum, below) => sum + rowsOf(below, relation), own)
}

function rowsIn(plan: Plan, type: string): number {
  const own = plan['Node Type'] === type ? plan['Actual Rows'] * plan['Actual Loops'] : 0
  return (plan.Plans ?? []).reduce((sum, below) => sum + rowsIn(below, type), own)
}

function conditionsOf(plan: Plan): string[] {
  return [plan['Index Cond'] ?? '', ...(plan.Plans ?? []).flatMap(conditionsOf)]
}

function namesOf(plan: Plan): string[] {
  return [`${plan['Node Type']} ${plan['Relation Name'] ?? ''}`, ...(plan.Plans ?? []).flatMap(namesOf)]
}

for (const statistics of ['before', 'after']) {
  test(`the first backlinks of a hub read the links and pages of one space only, ${statistics} \`analyze\``, async () => {
    if (statistics === 'after') await client.query('analyze')
    const plan = await explainBacklinks()
    assert.ok(rowsOf(plan, 'link') < PAGES + 300, `${rowsOf(plan, 'link')} links`)
    assert.ok(rowsOf(plan, 'page') < 300, `${rowsOf(plan, 'page')} pages`)
    assert.ok(rowsOf(plan, 'page_address') < 300, `${rowsOf(plan, 'page_address')} addresses`)
    assert.doesNotMatch(namesOf(plan).join('\n'), /Seq Scan (link|page|page_address)$/m)
  })
  test(`a page of the report of broken links reads the links of about as many pages, ${statistics} \`analyze\``, async () => {
    executed.length = 0
    const scan = { ...readable, spaceId: 1, afterPath: 'p100200', afterOrd: 0, limit: 51 }
    const rows = await listBroken.all(db, scan)
    assert.deepEqual(
      rows.map(({ source_path, kind }) => [source_path, kind]),
      Array.from({ length: 51 }, (_, n) => [`p${100_200 + Math.floor(n / 2)}`, n % 2 === 0 ? 'page' : 'file']),
    )
    const [plan] = await explainExecuted()
    assert.ok(plan)
    // Incremental sorts read batches of pages.
    for (const [table, most] of [
      ['link', 500],
      ['page', 150],
      ['page_address', 400],
      ['file_link', 500],
    ] as const)
      assert.ok(rowsOf(plan, table) <= most, `${rowsOf(plan, table)} of ${table}`)
    assert.doesNotMatch(namesOf(plan).join('\n'), /Seq Scan (link|file_link|page|page_address)$/m)
    assert.doesNotMatch(namesOf(plan).join('\n'), RULE_TABLES)
  })
  test(`links of some pages are compared and replaced without reading those of other pages, ${statistics} \`analyze\``, async () => {
    executed.length = 0
    const written = Array.from({ length: 5 }, (_, n) => ({ page_id: 100_010 + n }))
    const target = { slug: '', path: 'p100002', ord: 0, line: 1, text: 'other', more: null }
    const file = { slug: '', path: 'b.png', ord: 1, line: 1, text: '', maybe_page: false, surely_file: true }
    const args = {
      spaceId: 1,
      pages: JSON.stringify(written.map((page) => ({ ...page, digest: null }))),
      versions: JSON.stringify(written.map((page) => ({ ...page, version: 1 }))),
      targets: JSON.stringify(written.map((page) => ({ ...page, ...target }))),
      files: JSON.stringify(written.map((page) => ({ ...page, ...file }))),
    }
    await compareLinks.all(db, args)
    await replaceRows.all(autocommit(db), args)
    await replaceFileLinks.all(autocommit(db), args)
    const plans = await explainExecuted()
    assert.equal(plans.length, 3)
    for (const plan of plans) {
      for (const table of ['link', 'file_link', 'page'])
        assert.ok(rowsOf(plan, table) <= 60, `${rowsOf(plan, table)} of ${table}`)
      assert.doesNotMatch(namesOf(plan).join('\n'), /Seq Scan (link|file_link|page|page_address)$/m)
    }
  })
}

test('the links between some pages are found without comparing each link with each page', async () => {
  executed.length = 0
  const nodes = Array.from({ length: 200 }, (_, n) => ({ id: 100_001 + n, space_id: 1, slug: '' }))
  assert.equal((await listEdges(db, readable, nodes, 500)).length, 200)
  const [plan] = await explainExecuted()
  assert.ok(plan)
  const nodesRead = rowsIn(plan, 'Function Scan')
  assert.ok(nodesRead >= 200 && nodesRead <= 1_000, `${nodesRead} nodes`)
  assert.doesNotMatch(namesOf(plan).join('\n'), RULE_TABLES)
})

test('reports of orphans and wanted pages never search an index with all visible spaces for each address', async () => {
  executed.length = 0
  const report = { ...readable, spaceId: 1, after: undefined, limit: 51 }
  assert.equal((await listWanted(db, report)).length, 51)
  await listOrphans(db, { ...report, templates: undefined })
  const plans = await explainExecuted()
  assert.equal(plans.length, 2)
  for (const plan of plans) {
    const conditions = conditionsOf(plan).join('\n')
    assert.match(conditions, /target_space_id = /)
    assert.doesNotMatch(conditions, /space_id = ANY/)
    assert.doesNotMatch(namesOf(plan).join('\n'), RULE_TABLES)
  }
})

test('a new space that is deleted, or that takes a slug, has each link to it looked up by keys', async () => {
  await client.query('begin')
  // The planner has no statistics of it.
  await client.query(`insert into space (id, slug, kind, name, visibility, default_role, created_at, created_by, updated_at)
    values (9, 'space9', 'shared', 'Space', 'org', 'viewer', now(), '${ADMIN}', now())`)
  await client.query(
    `insert into page_address (space_id, path, id) select 9, 'p' || n, -900000 - n from generate_series(1, ${PAGES}) n`,
  )
  await client.query(
    `insert into unknown_address (slug, path) select 'gone', 'p' || n from generate_series(1, ${PAGES}) n`,
  )
  await client.query(`insert into link (space_id, page_id, target_space_id, target_id, slug, ord, line, text)
    select 2, 200000 + n, 9, -900000 - n, 'space9', 5, 5, '' from generate_series(1, ${PAGES}) n
    union all select 2, 200000 + substr(path, 2)::int, null, id, 'gone', 6, 6, '' from unknown_address where slug = 'gone'`)
  const steps = {
    releaseAddresses: (tx: WriterTx) => releaseAddresses(tx, { id: 9, slug: 'space9', former: [] }),
    retargetSlug: (tx: WriterTx) => retargetSlug(tx, { id: 3, slug: 'space9', from: 9 }),
    adoptAddresses: (tx: WriterTx) => adoptAddresses(tx, { id: 9, slug: 'gone' }),
  }
  for (const [name, step] of Object.entries(steps)) {
    await client.query('savepoint step')
    const plans: Plan[] = []
    await step({ db: explainingDb(plans) })
    for (const table of ['link', 'page_address', 'unknown_address']) {
      const most = Math.max(...plans.map((plan) => rowsOf(plan, table)))
      assert.ok(most >= PAGES || table !== 'link', `${name} reads ${most} of ${table}`)
      // A comparison of each link with each address reads a million.
      assert.ok(most <= 20 * PAGES, `${name} reads ${most} of ${table}`)
    }
    await client.query('rollback to step')
  }
  await client.query('rollback')
})

test('backlinks are listed by space and path, each once, however many pages of a space link there and wherever they are', async () => {
  // Which pages of each space link: one in five, the last by path, a few, and all in space3 only.
  const linking = { 100002: 'n % 5 = 0', 100003: `n > ${PAGES - 300}`, 100004: 'n < 4', 100005: 's = 3' }
  const insert = (target: number, condition: string) =>
    client.query(`insert into link (space_id, page_id, target_space_id, target_id, ord, line, text)
      select s, s * 100000 + n, 1, ${target}, 3, 3, '' from generate_series(1, ${SPACES}) s, generate_series(1, ${PAGES}) n
      where ${condition} and s * 100000 + n <> ${target} on conflict do nothing`)
  for (const [target, condition] of Object.entries(linking)) await insert(Number(target), condition)
  // An address that redirects to the first of them, to which others link, and some of the same pages.
  await client.query(
    `insert into page_address (space_id, path, id, moved_space_id, moved_page_id) values (1, 'was', -1, 1, 100002)`,
  )
  await insert(-1, 'n % 3 = 0')
  for (const target of Object.keys(linking).map(Number)) {
    const { rows: expected } = await client.query(
      `select distinct space.slug as space, page.path collate "C" as path from link
       join page on page.space_id = link.space_id and page.id = link.page_id join space on space.id = page.space_id
       where link.target_space_id = 1 and link.target_id = any($1) order by 1, 2`,
      [target === 100_002 ? [target, -1] : [target]],
    )
    const found: { space: string; path: string }[] = []
    for (let last = { space: '', path: '' }, more = true; more; ) {
      const after = { afterSpace: last.space, afterPath: last.path, limit: 40 }
      const page = { spaceId: 1, pageId: target, path: `p${target}` }
      const rows = await listBacklinks.all(db, { ...subject, ...page, ...after })
      found.push(...rows.map(({ space, path }) => ({ space, path })))
      last = found.at(-1) ?? last
      more = rows.length > 0
    }
    assert.deepEqual(found, expected, `links to ${target}`)
  }
})

test('backlinks from the last of many spaces are found', async () => {
  await client.query(`insert into space (id, slug, kind, name, visibility, default_role, created_at, created_by, updated_at)
    select 10 + n, 'team' || lpad(n::text, 2, '0'), 'shared', 'Space', 'org', 'viewer', now(), '${ADMIN}', now() from generate_series(1, 30) n`)
  await client.query(`insert into page_address (space_id, path, page_id, id, last_version)
    select 10 + n, 'p', 900 + n, 900 + n, 1 from generate_series(1, 30) n`)
  await client.query(`insert into page (space_id, id, path, version, revision_id, title, keyframe, keyframe_id, created_at, created_by, updated_at, updated_by)
    select 10 + n, 900 + n, 'p', 1, gen_random_uuid(), 'Page', 1, gen_random_uuid(), now(), '${ADMIN}', now(), '${ADMIN}' from generate_series(1, 30) n`)
  await client.query(`insert into link (space_id, page_id, target_space_id, target_id, ord, line, text)
    select 10 + n, 900 + n, 1, 100009, 0, 1, '' from generate_series(1, 30) n where n in (2, 5, 9, 29, 30)`)
  const of = { ...subject, spaceId: 1, pageId: 100_009, path: 'p100009', afterPath: '' }
  const spacesAfter = async (afterSpace: string, limit: number, spaceIds: readonly number[] | null = null) =>
    (await listBacklinks.all(db, { ...of, afterSpace, limit, spaceIds })).map(({ space }) => space)
  assert.deepEqual(await spacesAfter('', 9), ['team02', 'team05', 'team09', 'team29', 'team30'])
  assert.deepEqual(await spacesAfter('', 4), ['team02', 'team05', 'team09', 'team29'])
  assert.deepEqual(await spacesAfter('team05x', 9), ['team09', 'team29', 'team30'])
  assert.deepEqual(await spacesAfter('', 9, [1, 12, 40]), ['team02', 'team30'])
  assert.deepEqual(await spacesAfter('', 9, [1, 13, 14]), [])
})
