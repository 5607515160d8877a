import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { CompiledQuery } from 'kysely'
import pg from 'pg'
import type { AccessSubject } from '../../packages/server/src/access/visibility.ts'
import {
  listChildren,
  listChildrenBefore,
  readNeighbours,
} from '../../packages/server/src/content/pages/tree/store-children.ts'
import { createPool } from '../../packages/server/src/platform/database/connections/pool.ts'
import { DatabaseServer } from '../../packages/server/src/platform/database/connections/server.ts'
import { createDb, type Db } from '../../packages/server/src/platform/database/database.ts'
import { migrate } from '../../packages/server/src/platform/database/migrate.ts'
import { anyText, fc } from '../support/property.ts'
import { createTestDatabase } from '../support/test-database.ts'

/** `RECTO_TREE_PAGES=100000` is the full size. */
const PAGES = Number(process.env.RECTO_TREE_PAGES ?? 4_000)
const BY = '00000000-0000-7000-8000-000000000001'
const SUBJECT: AccessSubject = {
  principalId: BY,
  ownerId: BY,
  agent: false,
  guest: false,
  orgAdmin: false,
  reviewBit: 1,
  maxRank: 3,
  spaceIds: null,
}

const closing = new AsyncDisposableStack()
let client: pg.Client
let db: Db
before(async () => {
  const database = closing.use(await createTestDatabase())
  client = new pg.Client(database.connection)
  await client.connect()
  closing.defer(() => client.end())
  const pool = createPool({
    server: new DatabaseServer(database.connection),
    size: 2,
    prepared: false,
    onError: () => {},
  })
  closing.defer(() => pool.end())
  await migrate(pool)
  db = createDb(pool)
  await client.query(
    `insert into principal (id, name, kind, role, created_at) values ('${BY}', 'a', 'human', 'admin', now())`,
  )
  await client.query(`insert into space (id, slug, kind, name, visibility, default_role, created_by, created_at, updated_at)
    select n, 's' || n, 'shared', 's', 'org', 'viewer', '${BY}', now(), now() from generate_series(1, 3) n`)
})
after(() => closing.disposeAsync())

/** Makes pages at the paths that a query returns. */
async function fill(spaceId: number, paths: string, values: readonly unknown[] = []): Promise<void> {
  await client.query(
    `with made as (
      insert into page (space_id, id, path, title, version, revision_id, keyframe, keyframe_id, created_at, created_by, updated_at, updated_by)
      select ${spaceId}, row_number() over (), path, 'Title of ' || path, 1, gen_random_uuid(), 1, gen_random_uuid(), now(), '${BY}', now(), '${BY}'
      from (${paths}) given (path) returning id, path
    ) insert into page_address (space_id, path, page_id, last_version) select ${spaceId}, path, id, 1 from made`,
    [...values],
  )
}

async function namesBefore(spaceId: number, folder: string, before: string, limit: number): Promise<string[]> {
  const rows = await listChildrenBefore.all(db, { ...SUBJECT, spaceId, folder, before, limit })
  return rows.map(({ name }) => name)
}

async function names(spaceId: number, folder: string, after = '', limit = 100): Promise<string[]> {
  const rows = await listChildren.all(db, { ...SUBJECT, spaceId, folders: [folder], afters: [after], limits: [limit] })
  return rows.map(({ name, title, has_children: folder }) => `${title === null ? '-' : ''}${name}${folder ? '/' : ''}`)
}

test('names are in natural order: numbers by value, letters without case and accents, each folder once', async () => {
  const paths = [
    'b',
    'B',
    'a/x',
    'page 10',
    'page 2',
    'page 02',
    'page 2/b',
    'é',
    'f',
    'guide/2/b',
    'guide/10',
    'guide',
  ]
  await fill(1, 'select unnest($1::text[])', [[...paths, 'guide/1 x', 'א', 'Z', 'a-b', '0', 'x/y/z/w', '한', '가']])
  const top = await names(1, '')
  const sorted = (...some: string[]) => [...some].sort((a, b) => top.indexOf(a) - top.indexOf(b))
  assert.deepEqual(top, [
    ...['0', '-a/', 'a-b', ...sorted('b', 'B'), 'é', 'f', 'guide/', ...sorted('page 02', 'page 2/'), 'page 10'],
    ...['-x/', 'Z', 'א', '가', '한'],
  ])
  assert.deepEqual(await names(1, 'guide'), ['1 x', '-2/', '10'])
  assert.deepEqual(await names(1, 'x/y/z'), ['w'])
  assert.deepEqual(await names(1, 'nothing'), [])
  assert.deepEqual(await names(1, '', 'guide', 2), top.slice(top.indexOf('guide/') + 1).slice(0, 2))
  assert.deepEqual(await namesBefore(1, '', 'guide', 3), ['f', 'é', top[top.indexOf('é') - 1]])
  assert.deepEqual(await namesBefore(1, 'guide', '10', 9), ['2', '1 x'])
  assert.deepEqual(await namesBefore(1, 'guide', '1 x', 9), [])
})

test('the length of a sort key is bounded by that of its path in any script, and paths below share it', async () => {
  const longest = ['1a'.repeat(127), 'ΐ'.repeat(127), '가'.repeat(85), '\ufdfa'.repeat(85), 'É1'.repeat(85)]
  for (const name of longest) {
    const path = Array.from({ length: 4 }, () => name).join('/')
    const { rows } = await client.query('select tree_key($1) as key, tree_key($2) as below', [path, `${path}/x`])
    assert.ok(Buffer.byteLength(rows[0].key.join('')) <= 1.5 * Buffer.byteLength(path) + 4 * 11, name)
    assert.deepEqual(rows[0].below.slice(0, 4), rows[0].key)
  }
})

/** The function by which releases before `0123_tree_key.sql` built the index page_address_tree. */
const FORMER_TREE_KEY = String.raw`
create function former_tree_key(path text) returns text[] language plpgsql immutable parallel safe strict as $$
declare
  keys text[] := '{}';
  name text;
  key text;
begin
  foreach name in array string_to_array(path, '/') loop
    key := lower(name collate "C");
    if octet_length(name) > char_length(name) then
      key := lower(regexp_replace(normalize(name, nfd), '[\u0300-\u036f]', '', 'g') collate "C");
      -- Where letters are made of parts, as in Korean, their code points are in order.
      if octet_length(key) > octet_length(name) then key := lower(name collate "C"); end if;
    end if;
    if key ~ '[0-9]' then
      select string_agg(case when part[2] is null then part[1] else chr(47 + length(part[2])) || part[2] end, '' order by at)
        into key from regexp_matches(key, '([^0-9]+)|0*([0-9]+)', 'g') with ordinality as found (part, at);
    end if;
    keys := keys || (key || chr(1) || left(md5(name), 10));
  end loop;
  return keys;
end $$`

test('the keys are those with which older releases built their index', async () => {
  await client.query(FORMER_TREE_KEY)
  const name = fc.string({
    unit: fc.constantFrom(...'0019ab-. /', 'É', 'é', 'e\u0301', '가', '한', 'ß', '½', '²', '٣', '\ufdfa', '😀'),
    maxLength: 20,
  })
  const paths = fc.sample(fc.oneof(name, anyText), 5_000).map((path) => path.replaceAll('\0', ''))
  const { rows } = await client.query(
    'select path, tree_key(path) as key, former_tree_key(path) as former from unnest($1::text[]) path where tree_key(path) is distinct from former_tree_key(path)',
    [paths],
  )
  assert.deepEqual(rows, [])
})

test('a level of any size is read with one index descent per name, also without statistics', async () => {
  await fill(2, `select 'page ' || n from generate_series(1, ${PAGES}) n`)
  // Statistics that know the table, but not the next space: the planner expects one row of it.
  await client.query('analyze page, page_address')
  await fill(3, `select 'part ' || n % 100 || '/page ' || n % 1000 || '/' || n from generate_series(1, ${PAGES}) n`)
  for (const [spaceId, folder, after] of [
    [2, '', ''],
    [2, '', 'page 1500'],
    [3, '', ''],
    [3, 'part 50', ''],
  ] as const) {
    const plan = await explained(listChildren, {
      ...SUBJECT,
      spaceId,
      folders: [folder],
      afters: [after],
      limits: [100],
    })
    assert.ok(rowsOf(plan) <= 1_000, `${folder}: ${rowsOf(plan)} rows`)
    if (process.env.RECTO_TREE_PAGES)
      process.stdout.write(`${spaceId} ${folder} ${after}: ${plan['Execution Time']} ms\n`)
    const before = { ...SUBJECT, spaceId, folder, before: after || 'zzz', limit: 100 }
    assert.ok(rowsOf(await explained(listChildrenBefore, before)) <= 1_000, `before ${after}`)
  }
  for (const [spaceId, path] of [
    [2, 'page 1500'],
    [3, 'part 50/page 150/150'],
  ] as const) {
    const plan = await explained(readNeighbours, { ...SUBJECT, spaceId, path })
    assert.ok(rowsOf(plan) <= 10, `neighbours of ${path}: ${rowsOf(plan)} rows`)
    if (process.env.RECTO_TREE_PAGES) process.stdout.write(`neighbours of ${path}: ${plan['Execution Time']} ms\n`)
  }
  assert.equal((await names(2, '', 'page 1500', 2)).join(), 'page 1501,page 1502')
})

interface Plan {
  readonly 'Node Type': string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

interface Explained {
  readonly Plan: Plan
  readonly 'Execution Time': number
}

async function explained<A extends object>(
  statement: { readonly text: string; all(db: Db, args: A): Promise<readonly unknown[]> },
  args: A,
): Promise<Explained> {
  const executeQuery = async ({ sql, parameters }: CompiledQuery) =>
    client.query(`explain (analyze, format json) ${sql}`, [...parameters])
  const [row] = await statement.all({ executeQuery } as unknown as Db, args) // all that a statement asks of a handle
  return (row as { 'QUERY PLAN': [Explained] })['QUERY PLAN'][0]
}

/** How many rows of tables and indexes a plan reads. */
function rowsOf({ Plan: root }: Explained): number {
  const sum = (plan: Plan): number => {
    const own = /Scan/.test(plan['Node Type'])
      ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
      : 0
    return own + (plan.Plans ?? []).reduce((total, child) => total + sum(child), 0)
  }
  return sum(root)
}
