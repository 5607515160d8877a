import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inParallel } from '@recto/lib/concurrency/in-parallel.ts'
import { assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'

let nodes: Nodes
let admin: Client

before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
  // Autovacuum would count them as well, later.
  for (const table of ['page', 'link', 'metadata_entry'])
    await nodes.query(`alter table ${table} set (autovacuum_enabled = false)`)
})
after(() => nodes[Symbol.asyncDispose]())

function create(folder: string, count: number, from = 0): Promise<void> {
  const numbers = Array.from({ length: count }, (_, n) => from + n)
  return inParallel(numbers, 8, async (n) => {
    const body = `# Page ${n}\n\n[next](./page-${n + 1})\n`
    assertStatus(await admin.put(`/pages/${folder}/page-${n}`, body), 201)
  })
}

test('the planner knows of pages that were created one by one before autovacuum counts them', async () => {
  const known = async () => {
    const { rows } = await nodes.query(`select reltuples from pg_class where relname in ('page', 'link')`)
    return Math.min(...rows.map(({ reltuples }) => reltuples))
  }
  await admin.space('docs')
  await create('docs', 40)
  assert.equal(await known(), -1)
  await create('docs', 20, 40)
  await until(async () => (await known()) >= 50)
})

/** How many pages the planner expects in a space. */
async function expectedPages(space: string): Promise<number> {
  const { rows } = await nodes.query('select id from space where slug = $1', [space])
  const plan = await nodes.query(`explain (format json) select from page where space_id = ${rows[0].id}`)
  return plan.rows[0]['QUERY PLAN'][0].Plan['Plan Rows']
}

test('the planner knows of a space that has grown among others', async () => {
  await admin.space('next')
  await create('next', 40)
  assert.equal(await expectedPages('next'), 1)
  await create('next', 20, 40)
  await until(async () => (await expectedPages('next')) >= 40)
})

test('the planner knows of a space to which many pages were moved', async () => {
  await create('next/folder', 60)
  await admin.space('target')
  assert.equal(await expectedPages('target'), 1)
  const move = { path: 'folder', to: { space: 'target', path: 'folder' } }
  assertStatus(await admin.post('/spaces/next/move-folder', move), 200)
  await until(async () => (await expectedPages('target')) >= 40)
})

async function importMany(by: Client, space: string): Promise<void> {
  const pages = Array.from({ length: 1_000 }, (_, n) => ({
    path: `page-${n}`,
    body: 'A page.\n',
    metadata: { number: n },
  }))
  await by.space(space)
  const bundle = { format: 'page-bundle', formatVersion: 1, pages }
  assertStatus(await by.post(`/spaces/${space}/import`, bundle), 200)
}

test('the planner knows the values of many new pages before autovacuum analyses them', async () => {
  await importMany(admin, 'many')
  await until(async () => {
    const { rows } = await nodes.query(`select from pg_stats where tablename = 'metadata_entry' and attname = 'rank'`)
    return rows.length > 0
  })
})

test('a table whose analysis fails does not keep the others from theirs', async () => {
  const analyses = async () => {
    const { rows } = await nodes.query(`select analyze_count from pg_stat_user_tables where relname = 'metadata_entry'`)
    return Number(rows[0].analyze_count)
  }
  await nodes.query(`create function fails(title text) returns text language plpgsql immutable
    as $$ begin raise exception 'This cannot be analysed.'; end $$`)
  await nodes.query('create statistics failing on fails(title), path from page')
  const before = await analyses()
  // The other node has counted no pages yet.
  await importMany(nodes.admins[1], 'more')
  await until(async () => (await analyses()) > before)
})
