import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { removeExpired } from '../../packages/server/src/content/lifecycle/trash.ts'
import { createPool } from '../../packages/server/src/platform/database/connections/pool.ts'
import { DatabaseServer } from '../../packages/server/src/platform/database/connections/server.ts'
import { createDb } from '../../packages/server/src/platform/database/database.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { putBytes } from '../support/files.ts'
import { indexedInTrash } from '../support/indexed-in-trash.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newOwner, newPerson } from '../support/people.ts'
import { holdSweep } from '../support/sweeps.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
})
after(() => nodes[Symbol.asyncDispose]())

async function trash(space: string) {
  return admin.all(`/spaces/${space}/trash`)
}

test('deleting a page needs its current ETag, and readers then get 404', async () => {
  await admin.space('del')
  assertStatus(await admin.put('/pages/del/a', '# A'), 201)
  assertStatus(await admin.put('/pages/del/a', '# A2', { 'if-match': '"1"' }), 200)
  assertProblem(await admin.delete('/pages/del/a'), 428, 'precondition_required')
  assertProblem(await admin.delete('/pages/del/a', { 'if-none-match': '"7"' }), 428, 'precondition_required')
  const stale = assertProblem(await admin.delete('/pages/del/a', { 'if-match': '"1"' }), 412, 'precondition_failed')
  assert.equal(stale.json.current.version, 2)
  assertProblem(await admin.delete('/pages/del/b', { 'if-match': '*' }), 404, 'not_found')
  const gone = assertStatus(await admin.delete('/pages/del/a', { 'if-match': '"2-json"' }), 204)
  assert.equal(gone.text, '')

  const me = (await admin.get('/me')).json
  for (const path of ['a', 'a.md', 'a/versions', 'a/versions/1', 'a/metadata', 'a/links', 'a?version=1']) {
    const answer = assertProblem(await admin.get(`/pages/del/${path}`), 410, 'page_deleted')
    assert.deepEqual(answer.json.deletedBy, { id: me.id, name: me.name, kind: me.kind })
  }
  assertProblem(await admin.delete('/pages/del/a', { 'if-match': '"2"' }), 410, 'page_deleted')
  assertProblem(await admin.put('/pages/del/a', 'x', { 'if-match': '"2"' }), 412, 'precondition_failed')
  assertProblem(await admin.patch('/pages/del/a/metadata', { set: { k: 1 } }), 410, 'page_deleted')
  const [item, ...others] = await trash('del')
  assert.deepEqual(others, [])
  assert.deepEqual([item.space, item.path, item.title, item.version, item.deletedBy.id], ['del', 'a', 'A2', 2, me.id])
  assert.ok(Date.parse(item.expiresAt) - Date.parse(item.deletedAt) === 30 * 24 * 3600_000)
})

test('the trash marks the page that a restore of the address would restore', async () => {
  await admin.space('shadow')
  for (const body of ['# One', '# Two']) {
    assertStatus(await admin.put('/pages/shadow/a', body), 201)
    assertStatus(await admin.delete('/pages/shadow/a', { 'if-match': '*' }), 204)
  }
  const restorable = async () =>
    (await trash('shadow')).map((page: { title: string; restorable: boolean }) => [page.title, page.restorable])
  assert.deepEqual(await restorable(), [
    ['Two', true],
    ['One', false],
  ])
  assertStatus(await admin.put('/pages/shadow/a', '# Three'), 201)
  assert.deepEqual(await restorable(), [
    ['Two', false],
    ['One', false],
  ])
})

test('a deleted page is in no list, search, search index, key count or link, until it is restored', async () => {
  await admin.space('hidden')
  assertStatus(await admin.put('/pages/hidden/templates/t', '# T {{x}}'), 201)
  assertStatus(await admin.put('/pages/hidden/src', '[to](./a) and [t](./templates/t)'), 201)
  assertStatus(await admin.put('/pages/hidden/a', '[back](./src) [none](./none)'), 201)
  assertStatus(await admin.patch('/pages/hidden/a/metadata', { set: { colour: 'red', n: [1] } }), 200)
  assertStatus(await admin.patch('/pages/hidden/src/metadata', { set: { colour: 'blue' } }), 200)
  const keys = async () => (await admin.all('/search/metadata/keys?space=hidden')).map((k) => [k.key, k.pageCount])
  assert.deepEqual(await keys(), [
    ['colour', 2],
    ['n', 1],
  ])
  for (const page of ['a', 'templates/t']) {
    assertStatus(await admin.delete(`/pages/hidden/${page}`, { 'if-match': '"1"' }), 204)
  }
  assert.deepEqual(await keys(), [['colour', 1]])
  assert.deepEqual(await indexedInTrash(nodes), [])
  const paths = async (list: string) => (await admin.all(list)).map((item) => item.path)
  assert.deepEqual(await paths('/spaces/hidden/pages'), ['src'])
  assert.deepEqual(await paths('/pages/recent?space=hidden'), ['src'])
  assert.deepEqual(await paths('/templates?space=hidden'), [])
  assert.deepEqual(
    (await admin.all('/search?q=back&space=hidden')).map((item) => item.path),
    [],
  )
  const filters = encodeURIComponent(JSON.stringify([{ key: 'colour', op: 'exists' }]))
  const found = assertStatus(await admin.get(`/search/metadata?space=hidden&filters=${filters}`), 200)
  assert.deepEqual(
    found.json.items.map((item: { path: string }) => item.path),
    ['src'],
  )
  const links = assertStatus(await admin.get('/pages/hidden/src/links'), 200).json
  assert.deepEqual(
    links.outbound.map((link: { exists: boolean }) => link.exists),
    [false, false],
  )
  assert.deepEqual(links.backlinks, [])
  assert.equal((await admin.all('/spaces/hidden/links/broken')).length, 2)
  assert.match((await admin.get('/pages/hidden/src')).text, /class="missing"/)

  assertStatus(await admin.post('/pages/hidden/a/restore'), 200)
  assert.deepEqual(await keys(), [
    ['colour', 2],
    ['n', 1],
  ])
  assert.deepEqual(
    (await admin.all('/search?q=back&space=hidden')).map((item) => item.path),
    ['a'],
  )
  const healed = assertStatus(await admin.get('/pages/hidden/src/links'), 200).json
  assert.deepEqual(
    healed.outbound.map((link: { exists: boolean }) => link.exists),
    [true, false],
  )
  assert.deepEqual(
    healed.backlinks.map((link: { path: string }) => link.path),
    ['a'],
  )
  assert.deepEqual((await admin.get('/pages/hidden/a/metadata')).json.metadata, { colour: 'red', n: [1] })
  assert.equal((await admin.all('/spaces/hidden/links/broken')).length, 2)
})

test('a restored page keeps its history and gets the next version of the address, which never repeats', async () => {
  await admin.space('back')
  assertStatus(await admin.put('/pages/back/a', 'one'), 201)
  assertStatus(await admin.put('/pages/back/a', 'two', { 'if-match': '"1"' }), 200)
  assertProblem(await admin.post('/pages/back/a/restore'), 409, 'page_exists')
  assertProblem(await admin.post('/pages/back/b/restore'), 404, 'not_found')
  assertStatus(await admin.delete('/pages/back/a', { 'if-match': '*' }), 204)
  const restored = assertStatus(await admin.post('/pages/back/a/restore'), 200)
  assert.equal(restored.json.version, 3)
  assert.equal(restored.headers.get('etag'), '"3"')
  const page = (await admin.page('/pages/back/a')).json
  const { body, ...shown } = page
  assert.equal(body, 'two')
  assert.deepEqual(restored.json, shown)
  const history = await admin.all('/pages/back/a/versions')
  assert.deepEqual(
    history.map((r) => [r.version, r.restoredFrom]),
    [
      [3, 2],
      [2, null],
      [1, null],
    ],
  )
  assert.equal((await admin.get('/pages/back/a/versions/1', { accept: 'text/markdown' })).text, 'one')
  assert.equal((await admin.get('/pages/back/a/versions/2', { accept: 'text/markdown' })).text, 'two')

  assertStatus(await admin.delete('/pages/back/a', { 'if-match': '"3"' }), 204)
  assert.equal(assertStatus(await admin.put('/pages/back/a', 'other'), 201).json.version, 4)
  assertProblem(await admin.post('/pages/back/a/restore'), 409, 'page_exists')
  assertStatus(await admin.put('/pages/back/a', 'other 2', { 'if-match': '"4"' }), 200)
  assertStatus(await admin.delete('/pages/back/a', { 'if-match': '"5"' }), 204)
  assert.deepEqual(
    (await trash('back')).map((t) => t.version),
    [5, 3],
  )
  // The latest deleted one first; the other after it has gone.
  assert.equal(assertStatus(await admin.post('/pages/back/a/restore'), 200).json.version, 6)
  assert.equal((await admin.get('/pages/back/a.md')).text, 'other 2')
  assertStatus(await admin.delete('/pages/back/a?purge=true', { 'if-match': '"6"' }), 204)
  assert.equal(assertStatus(await admin.post('/pages/back/a/restore'), 200).json.version, 7)
  assert.equal((await admin.get('/pages/back/a.md')).text, 'two')
  assertStatus(await admin.put('/pages/back/a', 'after', { 'if-match': '"7"' }), 200)
})

test('a restored page has every version of a long history, and can be written', async () => {
  await admin.space('long')
  const text = (n: number) => `${'A line that stays the same. '.repeat(50)}\n${n}`
  for (let n = 1; n <= 14; n++) {
    assertStatus(
      await admin.put('/pages/long/a', text(n), n === 1 ? {} : { 'if-match': `"${n - 1}"` }),
      n === 1 ? 201 : 200,
    )
  }
  assertStatus(await admin.delete('/pages/long/a', { 'if-match': '"14"' }), 204)
  assertStatus(await nodes.admins[1].post('/pages/long/a/restore'), 200)
  for (let n = 16; n <= 27; n++) {
    assertStatus(await nodes.admins[1].put('/pages/long/a', text(n), { 'if-match': `"${n - 1}"` }), 200)
  }
  for (let n = 1; n <= 27; n++) {
    const read = assertStatus(await admin.get(`/pages/long/a/versions/${n}`, { accept: 'text/markdown' }), 200)
    assert.equal(read.text, text(n === 15 ? 14 : n))
  }
})

test('editors delete and restore, space admins purge, and others get the 404 of a missing page', async () => {
  const [ed, vi, out] = [await newPerson(admin, 'Ed'), await newPerson(admin, 'Vi'), await newPerson(admin, 'Out')]
  await admin.space('roles', { visibility: 'private' })
  assertStatus(await admin.call('PUT', `/spaces/roles/members/${ed.id}`, { json: { role: 'editor' } }), 201)
  assertStatus(await admin.call('PUT', `/spaces/roles/members/${vi.id}`, { json: { role: 'viewer' } }), 201)
  assertStatus(await admin.put('/pages/roles/a', 'a'), 201)
  const match = { 'if-match': '*' }
  assertProblem(await vi.client.delete('/pages/roles/a', match), 403, 'forbidden')
  assertProblem(await out.client.delete('/pages/roles/a', match), 404, 'not_found')
  assertProblem(await ed.client.delete('/pages/roles/a?purge=true', match), 403, 'forbidden')
  assertStatus(await ed.client.delete('/pages/roles/a', match), 204)
  assertProblem(await vi.client.get('/pages/roles/a'), 410, 'page_deleted')
  assertProblem(await out.client.get('/pages/roles/a'), 404, 'not_found')
  assertProblem(await out.client.get('/spaces/roles/trash'), 404, 'not_found')
  assert.equal((await vi.client.all('/spaces/roles/trash')).length, 1)
  assertProblem(await vi.client.post('/pages/roles/a/restore'), 403, 'forbidden')
  assertProblem(await out.client.post('/pages/roles/a/restore'), 404, 'not_found')
  assertProblem(await ed.client.delete('/pages/roles/a?purge=true'), 403, 'forbidden')
  assertStatus(await ed.client.post('/pages/roles/a/restore'), 200)
  assertStatus(await ed.client.delete('/pages/roles/a', match), 204)
  assertProblem(await out.client.delete('/pages/roles/a?purge=true'), 404, 'not_found')
  assertStatus(await admin.delete('/pages/roles/a?purge=true'), 204)
  assertProblem(await vi.client.get('/pages/roles/a'), 404, 'not_found')
  assertProblem(await admin.delete('/pages/roles/a?purge=true'), 404, 'not_found')
  assert.deepEqual(await trash('roles'), [])
  assert.equal(assertStatus(await admin.put('/pages/roles/a', 'new'), 201).json.version, 3)
})

test('a personal page is deleted and restored', async () => {
  const pat = await newOwner(admin, 'Pat')
  assertStatus(await pat.client.put('/pages/personal/a', 'mine'), 201)
  assertStatus(await pat.client.delete('/pages/personal/a', { 'if-match': '"1"' }), 204)
  assert.deepEqual(
    (await pat.client.all('/spaces/personal/trash')).map((t) => [t.space, t.path]),
    [['personal', 'a']],
  )
  assertProblem(await pat.client.get('/pages/personal/a'), 410, 'page_deleted')
  assertProblem(await admin.get('/pages/personal/a'), 404, 'not_found')
  assert.equal(assertStatus(await pat.client.post('/pages/personal/a/restore'), 200).json.version, 2)
})

test('the trash is listed latest deletion first, with cursors', async () => {
  await admin.space('many')
  for (let n = 0; n < 7; n++) {
    assertStatus(await admin.put(`/pages/many/p${n}`, 'x'), 201)
    assertStatus(await admin.delete(`/pages/many/p${n}`, { 'if-match': '"1"' }), 204)
  }
  const all = (await admin.all('/spaces/many/trash?limit=3')).map((item) => item.path)
  assert.deepEqual(all, ['p6', 'p5', 'p4', 'p3', 'p2', 'p1', 'p0'])
  assertProblem(await admin.get('/spaces/many/trash?cursor=x'), 400, 'invalid_cursor')
})

test('pages of one deletion are listed in the trash by path, not by creation', async () => {
  await admin.space('once')
  const paths = ['g/b', 'g/d', 'g/a', 'g/c', 'g/a/z']
  for (const path of paths) assertStatus(await admin.put(`/pages/once/${path}`, 'x'), 201)
  assertStatus(await admin.post('/spaces/once/delete-folder', { path: 'g' }), 200)
  for (const limit of [1, 2, 200]) {
    const items = await admin.all(`/spaces/once/trash?limit=${limit}`)
    assert.deepEqual(
      items.map(({ path }) => path),
      paths.toSorted(),
    )
    assert.equal(new Set(items.map(({ deletedAt }) => deletedAt)).size, 1)
  }
})

test('the sweep permanently removes pages and files whose retention has expired, and no others', async () => {
  await admin.space('swept')
  for (const file of ['old.bin', 'young.bin']) {
    assertStatus(await putBytes(admin, `/files/swept/${file}`, Buffer.from('bytes')), 201)
    assertStatus(await admin.delete(`/files/swept/${file}`, { 'if-match': '"1"' }), 204)
  }
  for (const page of ['old', 'young', 'stays']) assertStatus(await admin.put(`/pages/swept/${page}`, page), 201)
  assertStatus(await admin.patch('/pages/swept/old/metadata', { set: { k: 1 } }), 200)
  for (const page of ['old', 'young']) {
    assertStatus(await admin.delete(`/pages/swept/${page}`, { 'if-match': '"1"' }), 204)
  }
  await holdSweep(nodes, 'trash sweep')
  await nodes.query(
    `with page as (
      update page set deleted_at = now() - interval '31 days' where path = 'old' and deleted_at is not null
    )
    update file set deleted_at = now() - interval '31 days' where path = 'old.bin'`,
  )
  const settings = { server: new DatabaseServer(nodes.connection), prepared: false, onError: () => {} }
  const pool = createPool({ ...settings, size: 1 })
  try {
    const db = createDb(pool)
    const before = new Date(Date.now() - 30 * 24 * 3600_000)
    for (const resource of ['page', 'file'] as const) {
      assert.equal(await removeExpired({ db }, resource, before), 1)
      assert.equal(await removeExpired({ db }, resource, before), 0)
    }
  } finally {
    await pool.end()
  }
  assert.deepEqual(
    (await trash('swept')).map((item) => item.path),
    ['young'],
  )
  assert.deepEqual(
    (await admin.all('/spaces/swept/files/trash')).map(({ path }) => path),
    ['young.bin'],
  )
  assertProblem(await admin.get('/pages/swept/old'), 404, 'not_found')
  assertProblem(await admin.get('/files/swept/old.bin'), 404, 'not_found')
  assertStatus(await admin.get('/pages/swept/stays'), 200)
  const { rows } = await nodes.query(
    `select (select count(*) from revision r where not exists (select 1 from page p where p.space_id = r.space_id and p.id = r.page_id))::int as revisions,
      (select count(*) from page_metadata r where not exists (select 1 from page p where p.space_id = r.space_id and p.id = r.page_id))::int as documents`,
  )
  assert.deepEqual(rows[0], { revisions: 0, documents: 0 })
  assert.equal(assertStatus(await admin.put('/pages/swept/old', 'again'), 201).json.version, 2)
})

test('deleting and restoring record events', async () => {
  await admin.space('told')
  assertStatus(await admin.put('/pages/told/a', '# A'), 201)
  assertStatus(await admin.delete('/pages/told/a', { 'if-match': '"1"' }), 204)
  assertStatus(await admin.post('/pages/told/a/restore'), 200)
  assertStatus(await admin.delete('/pages/told/a?purge=true', { 'if-match': '"2"' }), 204)
  const { rows } = await nodes.query(
    `select kind, data from event where space_id = (select id from space where slug = 'told') and page_id is not null order by seq`,
  )
  assert.deepEqual(rows, [
    { kind: 'page.created', data: { path: 'a', title: 'A', version: 1 } },
    { kind: 'page.deleted', data: { path: 'a', title: 'A', version: 1 } },
    { kind: 'page.restored', data: { path: 'a', title: 'A', version: 2 } },
    { kind: 'page.deleted', data: { path: 'a', title: 'A', version: 2, purged: true } },
  ])
})

test('concurrent writes, deletions and restores of one page on two nodes end in one state, without a 5xx', async () => {
  await admin.space('race')
  const [one, two] = nodes.admins
  for (let round = 0; round < 15; round++) {
    const path = `/pages/race/p${round}`
    assertStatus(await one.put(path, 'first'), 201)
    const [put, gone] = await Promise.all([
      one.put(path, 'second', { 'if-match': '"1"' }),
      two.delete(path, { 'if-match': '"1"' }),
    ])
    assert.deepEqual([put.status, gone.status].filter((status) => status < 300).length, 1, `${put.text} ${gone.text}`)
    assert.ok([200, 412].includes(put.status) && [204, 412].includes(gone.status), `${put.status} ${gone.status}`)
    if (gone.status !== 204) assertStatus(await two.delete(path, { 'if-match': '*' }), 204)
    const [made, back] = await Promise.all([one.put(path, 'new'), two.post(`${path}/restore`)])
    const outcomes = `${made.status} ${back.status}`
    assert.ok(['201 409', '428 200', '412 200'].includes(outcomes), `${outcomes} ${made.text} ${back.text}`)
    const page = assertStatus(await two.page(path), 200).json
    assert.equal(page.body, made.status === 201 ? 'new' : put.status === 200 ? 'second' : 'first')
  }
})

test('a metadata patch during a deletion is either counted or rejected', async () => {
  await admin.space('count')
  const [one, two] = nodes.admins
  for (let round = 0; round < 12; round++) {
    const path = `/pages/count/p${round}`
    assertStatus(await one.put(path, 'x'), 201)
    if (round % 2) assertStatus(await one.patch(`${path}/metadata`, { set: { first: 1 } }), 200)
    const [patched, gone] = await Promise.all([
      one.patch(`${path}/metadata`, { set: { k: round } }),
      two.delete(path, { 'if-match': '*' }),
    ])
    assertStatus(gone, 204)
    assert.ok([200, 404, 410].includes(patched.status), patched.text)
  }
  assert.deepEqual(await admin.all('/search/metadata/keys?space=count'), [])
})
