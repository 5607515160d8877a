import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { assertNoOrphans, tablesOfPages } from '../support/rows-of-pages.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
  for (const slug of ['from', 'to']) await admin.space(slug)
})
after(() => nodes[Symbol.asyncDispose]())

const any = { 'if-match': '*' }
/** Has links to a page and a file, so that a page with it has rows of every kind. */
const BODY = '# Title\n\n[other](./other) ![image](./image.png)'

async function fill(path: string): Promise<void> {
  assertStatus(await admin.put(path, BODY), 201)
  assertStatus(await admin.patch(`${path}/metadata`, { set: { list: ['one', 'two'], text: 'three' } }), 200)
  assertStatus(await admin.call('PUT', path.replace('/pages', '/me/favourites')), 204)
  assertStatus(await admin.call('PUT', path.replace('/pages', '/me/unsaved'), { json: { body: 'typed' } }), 204)
  assertStatus(await admin.call('PUT', path.replace('/pages', '/me/watches')), 204)
  await nodes.query(
    `insert into notification (principal_id, space_id, page_id, reason, kind, actor_id, at, events, mentioned)
     select created_by, space_id, id, 6, 'page.updated', created_by, now(), 1, false from page where path = $1`,
    [path.split('/').at(-1)],
  )
  assertStatus(
    await admin.post(path.replace('/pages', '/threads'), { body: 'said', quote: { exact: BODY.slice(0, 5) } }),
    201,
  )
  // Only a session makes share links.
  await nodes.query(
    `insert into share_link (id, hash, space_id, page_id, with_children, created_by, created_at)
     select gen_random_uuid(), sha256(path::bytea), space_id, id, false, created_by, now() from page where path = $1`,
    [path.split('/').at(-1)],
  )
  await nodes.query(
    `insert into merged_revision (space_id, page_id, version, request_space_id, number, merged_by, authors)
     select space_id, id, version, space_id, 1, created_by, array[created_by] from page where path = $1`,
    [path.split('/').at(-1)],
  )
}

/** The number of rows of each table that belong to one page. */
async function rowsOf(space: string, id: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of await tablesOfPages(nodes)) {
    const { rows } = await nodes.query(
      `select count(*)::int as count from ${table} where space_id = (select id from space where slug = $1) and page_id = $2`,
      [space, id],
    )
    counts[table] = rows[0].count
  }
  return counts
}

async function idOf(title: string): Promise<number> {
  const { rows } = await nodes.query('select id from page where path = $1', [title])
  return rows[0].id
}

test('every table with rows of pages has a foreign key to them, or is named by both triggers', async () => {
  const { rows } = await nodes.query(
    `select proname as name, prosrc as source from pg_proc where proname in ('delete_rows_of_pages', 'move_rows_of_page')`,
  )
  const source = Object.fromEntries(rows.map(({ name, source }) => [name, source]))
  const keyed = await nodes.query(
    `select conrelid::regclass::text as name from pg_constraint where contype = 'f'
       and confrelid in ('page'::regclass, 'revision'::regclass)`,
  )
  const withKey = new Set(keyed.rows.map(({ name }) => name))
  for (const table of await tablesOfPages(nodes)) {
    if (withKey.has(table)) continue
    assert.match(source.delete_rows_of_pages, new RegExp(`delete from ${table} where`))
    assert.match(source.move_rows_of_page, new RegExp(`update ${table} set`))
  }
})

test('a page that moves to another space takes all of its rows along', async () => {
  await fill('/pages/from/moved')
  const id = await idOf('moved')
  const before = await rowsOf('from', id)
  for (const [table, count] of Object.entries(before)) {
    if (table !== 'search_pending') assert.ok(count > 0, `${table} has no row of the page`)
  }
  const to = { to: { space: 'to', path: 'moved' }, rewriteLinks: false }
  assertStatus(await admin.post('/pages/from/moved/move', to, any), 200)
  assert.deepEqual(Object.values(await rowsOf('from', id)).filter(Boolean), [])
  const { search_pending: _, ...moved } = await rowsOf('to', id)
  const { search_pending: __, ...expected } = before
  assert.deepEqual(moved, expected)
})

test('a page that is purged leaves no row', async () => {
  await fill('/pages/from/purged')
  const id = await idOf('purged')
  assertStatus(await admin.delete('/pages/from/purged?purge=true', any), 204)
  assert.deepEqual(Object.values(await rowsOf('from', id)).filter(Boolean), [])
  await assertNoOrphans(nodes)
})
