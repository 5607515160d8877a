import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newOwner, newPerson } from '../support/people.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
})
after(() => nodes[Symbol.asyncDispose]())

/** The links as they are stored, by the names of both ends. */
async function stored(): Promise<unknown[]> {
  const { rows } = await nodes.query(`
    select p.space_id, p.path, p.links_digest, coalesce(a.path, u.path) as target, l.target_space_id, l.ord, l.line, l.text, l.more
    from page p left join link l on l.space_id = p.space_id and l.page_id = p.id
    left join page_address a on a.space_id = l.target_space_id and a.id = coalesce(l.address_id, l.target_id)
    left join unknown_address u on l.target_space_id is null and u.id = coalesce(l.address_id, l.target_id)
    order by 1, 2, l.ord`)
  return rows
}

async function fill(space: string, pages: number): Promise<void> {
  await admin.space(space)
  for (let n = 0; n < pages; n++) {
    const body = `# ${n}\n\n[next](./p${n + 1}) [same](./p${n + 1}) [other](/pages/elsewhere-${n % 3}/x)\n\n[hub](hub.md)`
    assertStatus(await admin.put(`/pages/${space}/p${n}`, body), 201)
  }
}

test('a rebuild restores deleted or damaged links to those that the writes stored', async () => {
  await fill('ruins', 120)
  await fill('other', 30)
  const expected = await stored()
  await nodes.query('delete from link where page_id % 3 = 0')
  await nodes.query(`update link set text = 'wrong', more = '[]', ord = 7 where page_id % 3 = 1`)
  await nodes.query('update page set links_digest = null where id % 2 = 0')
  await nodes.query(`insert into link (space_id, page_id, target_space_id, target_id, ord, line, text)
    select space_id, id, space_id, (select max(id) from page_address), 99, 1, 'stray' from page where id % 5 = 0
    on conflict do nothing`)
  const one = assertStatus(await admin.post('/links/rebuild?space=other'), 200).json
  assert.deepEqual([one.status, one.space, one.pagesScanned], ['done', 'other', 30])
  const all = assertStatus(await admin.post('/links/rebuild'), 200).json
  assert.deepEqual([all.status, all.space, all.pagesScanned, all.linksIndexed], ['done', null, 150, 450])
  assert.deepEqual(await stored(), expected)
  assert.deepEqual(assertStatus(await nodes.admins[1].get(`/links/rebuild/${all.id}`), 200).json, all)
})

test('a rebuild whose process died is resumed at its position by any node', async () => {
  const { rows } = await nodes.query(`select space_id, id from page order by space_id, id offset 99 limit 1`)
  await nodes.query('delete from link')
  const id = '0198c0de-0000-7000-8000-000000000001'
  await nodes.query(
    `insert into link_rebuild (id, status, at_space_id, at_page_id, pages_scanned, created_at, created_by, lease_until, fence)
     select $1, 'running', $2, $3, 100, now(), id, now() - interval '1 second', 4 from principal limit 1`,
    [id, rows[0].space_id, rows[0].id],
  )
  let rebuild = assertStatus(await admin.get(`/links/rebuild/${id}`), 200).json
  await until(async () => {
    rebuild = assertStatus(await admin.get(`/links/rebuild/${id}`), 200).json
    return rebuild.status === 'done'
  }, 15_000)
  assert.equal(rebuild.pagesScanned, 150)
  const { rows: linking } = await nodes.query('select count(distinct page_id)::int as pages from link')
  assert.equal(linking[0].pages, 50, 'only those behind the place where it was')
  const { rows: held } = await nodes.query('select fence from link_rebuild where id = $1', [id])
  assert.equal(Number(held[0].fence), 5)
})

test('a rebuild that another process has taken over stops writing', async () => {
  await nodes.query('delete from link')
  const before = await stored()
  // The thief is faster than the first batch: whatever the first holder does then must not be kept.
  // The sequence counts the thefts, also those that are rolled back.
  await nodes.query('create sequence thefts')
  await nodes.query(`create function thief() returns trigger language plpgsql as $$
    begin perform nextval('thefts'); update link_rebuild set fence = 2, lease_until = now() + interval '1 hour' where status = 'running' and fence = 1; return null; end $$`)
  await nodes.query('create trigger thief after insert on link for each statement execute function thief()')
  const answering = admin.post('/links/rebuild')
  await until(async () => (await nodes.query('select from thefts where is_called')).rowCount === 1)
  const writing = `select from pg_locks where relation = 'link'::regclass and mode = 'RowExclusiveLock'`
  await until(async () => (await nodes.query(writing)).rowCount === 0)
  assert.deepEqual(await stored(), before)
  await nodes.query('drop trigger thief on link; drop sequence thefts')
  await nodes.query(`update link_rebuild set lease_until = now() where status = 'running'`)
  await until(
    async () => (await nodes.query(`select 1 from link_rebuild where status = 'running'`)).rows.length === 0,
    15_000,
  )
  assertStatus(await answering, 200)
})

test('writes during a rebuild end with the same links as the rebuild', async () => {
  await nodes.query('delete from link')
  await nodes.query('update page set links_digest = null')
  const rebuilding = [nodes.admins[0].post('/links/rebuild'), nodes.admins[1].post('/links/rebuild')]
  for (let n = 0; n < 60; n++) {
    assertStatus(await admin.put(`/pages/ruins/p${n}`, `[to ${n}](./new${n}) [p](./p1)`, { 'if-match': '*' }), 200)
  }
  const [a, b] = await Promise.all(rebuilding)
  assert.equal(a?.json.id, b?.json.id, 'who asks while the same is under way joins it')
  const got = await stored()
  assertStatus(await admin.post('/links/rebuild'), 200)
  assert.deepEqual(await stored(), got)
  const links = assertStatus(await admin.get('/pages/ruins/p7/links'), 200).json.outbound
  assert.deepEqual(
    links.map((link: { path: string }) => link.path),
    ['new7', 'p1'],
  )
})

test('only organisation admins start a rebuild or see its progress', async () => {
  const { client } = await newPerson(admin, 'Member')
  assertProblem(await client.post('/links/rebuild'), 403, 'forbidden')
  assertProblem(await client.get('/links/rebuild/0198c0de-0000-7000-8000-000000000001'), 403, 'forbidden')
  assertProblem(await admin.get('/links/rebuild/0198c0de-0000-7000-8000-0000000000ff'), 404, 'not_found')
  assertProblem(await admin.get('/links/rebuild/x'), 404, 'not_found')
  assertProblem(await admin.post('/links/rebuild?space=none'), 404, 'not_found')
})

test('a rebuild does not count pages in personal spaces of others', async () => {
  const { client } = await newOwner(admin, 'Diarist')
  const { client: other } = await newOwner(admin, 'Second admin', { role: 'admin' })
  const count = async (by: Client, query = '') => {
    const { pagesScanned, linksIndexed, id } = assertStatus(await by.post(`/links/rebuild${query}`), 200).json
    return { pagesScanned, linksIndexed, id }
  }
  const { id: _, ...before } = await count(admin)
  assertStatus(await client.put('/pages/personal/diary', '[a](./a) [b](./b)'), 201)
  assertStatus(await admin.put('/pages/personal/mine', '[a](./a)'), 201)
  const { id: __, ...after } = await count(admin)
  assert.deepEqual(after, before)
  // That of one's own space counts it, and is one's own.
  const own = await count(admin, '?space=personal')
  assert.deepEqual([own.pagesScanned, own.linksIndexed], [1, 1])
  assertStatus(await admin.get(`/links/rebuild/${own.id}`), 200)
  assertProblem(await other.get(`/links/rebuild/${own.id}`), 404, 'not_found')
  assert.ok(!(await other.get('/manage/links')).text.includes(own.id))
})

test('a rebuild that fills an empty index tells the planner how large it is by now', async () => {
  await fill('large', 220)
  await nodes.query('delete from link')
  await nodes.query('update page set links_digest = null')
  await nodes.query('analyze link')
  const rowsAsPlanned = async () =>
    (await nodes.query(`select reltuples::int as rows from pg_class where oid = 'link'::regclass`)).rows[0].rows
  assert.equal(await rowsAsPlanned(), 0)
  assertStatus(await admin.post('/links/rebuild'), 200)
  assert.ok((await rowsAsPlanned()) >= 600)
})
