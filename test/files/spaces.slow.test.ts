import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client, redirectOf } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { getBytes, png, putBytes, sha256, someBytes } from '../support/files.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson } from '../support/people.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
  await admin.space('docs')
})
after(() => nodes[Symbol.asyncDispose]())

test('delete, restore and purge follow the rules of pages, and versions never restart', async () => {
  const [one, two] = [someBytes(20), someBytes(30)]
  assertStatus(await putBytes(admin, '/files/docs/life', one), 201)
  assertProblem(await admin.delete('/files/docs/life'), 428, 'precondition_required')
  assertStatus(await admin.delete('/files/docs/life', { 'if-match': '"1"' }), 204)
  const me = (await admin.get('/me')).json
  const gone = assertProblem(await admin.get('/files/docs/life'), 410, 'file_deleted')
  assert.equal(gone.json.deletedBy.id, me.id)
  const [item] = await admin.all('/spaces/docs/files/trash')
  assert.deepEqual([item.path, item.version, item.restorable], ['life', 1, true])
  const back = assertStatus(await admin.post('/files/docs/life/restore'), 200)
  assert.deepEqual([back.json.version, back.headers.get('etag')], [2, '"2"'])
  assert.ok((await getBytes(admin, '/files/docs/life')).bytes.equals(one))
  assertProblem(await admin.post('/files/docs/life/restore'), 409, 'file_exists')
  assertStatus(await admin.delete('/files/docs/life', { 'if-match': '*' }), 204)
  assert.equal(assertStatus(await putBytes(admin, '/files/docs/life', two), 201).json.version, 3)
  assertStatus(await admin.delete('/files/docs/life?purge=true', { 'if-match': '"3"' }), 204)
  assertProblem(await admin.get('/files/docs/life'), 410, 'file_deleted')
  assertStatus(await admin.delete('/files/docs/life?purge=true'), 204)
  assertProblem(await admin.get('/files/docs/life'), 404, 'not_found')
  assert.equal(assertStatus(await putBytes(admin, '/files/docs/life', one), 201).json.version, 4)
  const audit = await admin.all('/admin/audit?action=file.purged')
  assert.deepEqual(
    audit.map(({ details }) => details.path),
    ['life', 'life'],
  )
})

test('a move keeps versions and redirects, within a space and to another one', async () => {
  await admin.space('target')
  const bytes = someBytes(300_000)
  assertStatus(await putBytes(admin, '/files/docs/m/a', bytes), 201)
  const move = (path: string, to: object, headers = { 'if-match': '*' }) => admin.post(`${path}/move`, { to }, headers)
  assertProblem(await move('/files/docs/m/a', { path: 'm/a' }), 409, 'file_exists')
  assertProblem(await admin.post('/files/docs/m/a/move', { to: { path: 'b' } }), 428, 'precondition_required')
  const moved = assertStatus(await move('/files/docs/m/a', { path: 'm/versions' }), 200)
  assert.deepEqual([moved.json.path, moved.json.version], ['m/versions', 1])
  assert.equal(moved.json.url, `${admin.base}/files/docs/m%2Fversions`)
  const old = await admin.get('/files/docs/m/a?version=1')
  assertProblem(old, 308, 'file_moved')
  assert.equal(redirectOf(old), '/files/docs/m%2Fversions?version=1')
  const there = assertStatus(await move('/files/docs/m%2Fversions', { space: 'target', path: 'x' }), 200)
  assert.equal(there.json.space, 'target')
  assert.equal(redirectOf(await admin.get('/files/docs/m/a/versions')), '/files/target/x/versions')
  assert.ok((await getBytes(admin, '/files/target/x')).bytes.equals(bytes))
  assertStatus(await putBytes(admin, '/files/docs/m/a', someBytes(5)), 201)
  assertProblem(await move('/files/docs/m/a', { space: 'target', path: 'x' }), 409, 'file_exists')
  // Versions of a path never restart: x had version 1.
  assertStatus(await admin.delete('/files/target/x', { 'if-match': '*' }), 204)
  assert.equal(assertStatus(await move('/files/docs/m/a', { space: 'target', path: 'x' }), 200).json.version, 2)
  const { rows } = await nodes.query(
    `select count(*)::int as lost from space_blob b where not exists
       (select 1 from file_version v where v.space_id = b.space_id and v.digest = b.digest)`,
  )
  assert.equal(rows[0].lost, 0)
})

test('files of a space are listed by path, filtered by prefix, text and type', async () => {
  await admin.space('listed')
  for (const path of ['b/two.png', 'a', 'b/one.png', 'c/Note.txt']) {
    assertStatus(
      await putBytes(admin, `/files/listed/${path}`, path.endsWith('png') ? png(2, 2) : Buffer.from(path)),
      201,
    )
  }
  const paths = async (query: string) =>
    (await admin.all(`/spaces/listed/files?limit=1${query}`)).map(({ path }) => path)
  assert.deepEqual(await paths(''), ['a', 'b/one.png', 'b/two.png', 'c/Note.txt'])
  assert.deepEqual(await paths('&prefix=b/'), ['b/one.png', 'b/two.png'])
  assert.deepEqual(await paths('&q=note'), ['c/Note.txt'])
  assert.deepEqual(await paths('&type=image/'), ['b/one.png', 'b/two.png'])
  assert.deepEqual(await paths('&type=text/plain'), ['a', 'c/Note.txt'])
  const { nextCursor } = (await admin.get('/spaces/listed/files?limit=1')).json
  assertProblem(await admin.get(`/spaces/listed/files?q=x&cursor=${nextCursor}`), 400, 'invalid_cursor')
})

test('a file and a page can have the same path, and paths follow the rules of pages', async () => {
  assertStatus(await admin.put('/pages/docs/same', '# Page'), 201)
  assertStatus(await putBytes(admin, '/files/docs/same', someBytes(3)), 201)
  assertStatus(await putBytes(admin, '/files/docs/note.md', Buffer.from('# x')), 201)
  assert.equal((await admin.page('/files/docs/note.md')).json.path, 'note.md')
  for (const path of ['a//b', 'a%2F..%2Fb', 'a%00b', `${'x'.repeat(256)}`, 'a%5Cb', ' a'.replace(' ', '%20')]) {
    assertProblem(await putBytes(admin, `/files/docs/${path}`, someBytes(3)), 400, 'invalid_path')
  }
})

test('without access to a space its files look missing; viewers read, editors write', async () => {
  await admin.space('private', { visibility: 'private' })
  assertStatus(await putBytes(admin, '/files/private/x', someBytes(3)), 201)
  const { client, id } = await newPerson(admin, 'Viewer')
  const hidden = assertProblem(await client.get('/files/private/x'), 404, 'not_found')
  const absent = assertProblem(await client.get('/files/privata/x'), 404, 'not_found')
  assert.equal(hidden.json.detail.replace('private', 'privata'), absent.json.detail)
  assertProblem(await putBytes(client, '/files/private/y', someBytes(3)), 404, 'not_found')
  await admin.call('PUT', `/spaces/private/members/${id}`, { json: { role: 'viewer' } })
  assertStatus(await client.page('/files/private/x'), 200)
  assertProblem(await putBytes(client, '/files/private/y', someBytes(3)), 403, 'forbidden')
  assertProblem(await client.delete('/files/private/x', { 'if-match': '*' }), 403, 'forbidden')
  assertProblem(await nodes.as(0, undefined).get('/files/private/x'), 401, 'unauthorized')
})

test('a personal space and a renamed one have files, too', async () => {
  assertStatus(await putBytes(admin, '/files/personal/own', someBytes(3)), 201)
  assert.equal((await admin.page('/files/personal/own')).json.space, 'personal')
  await admin.space('before')
  assertStatus(await putBytes(admin, '/files/before/x', someBytes(3)), 201)
  assertStatus(await admin.patch('/spaces/before', { slug: 'renamed' }), 200)
  const moved = assertProblem(await admin.get('/files/before/x'), 308, 'file_moved')
  assert.equal(redirectOf(moved), '/files/renamed/x')
})

test('a space with files is not empty; when it is deleted, its bytes are unreferenced', async () => {
  await admin.space('ending')
  assertStatus(await putBytes(admin, '/files/ending/x', someBytes(1000)), 201)
  assertProblem(await admin.delete('/spaces/ending'), 409, 'space_not_empty')
  assertStatus(await admin.delete('/spaces/ending?force=true'), 204)
  const { rows } = await nodes.query(
    'select count(*)::int as free from blob b where not exists (select 1 from space_blob s where s.digest = b.digest)',
  )
  assert.ok(rows[0].free > 0)
})

test('creating, replacing, moving, deleting and restoring are events of the feed', async () => {
  await admin.space('told')
  const bytes = someBytes(12)
  assertStatus(await putBytes(admin, '/files/told/a', bytes), 201)
  assertStatus(await putBytes(admin, '/files/told/a', bytes, { 'if-match': '"1"' }), 200)
  assertStatus(await admin.post('/files/told/a/move', { to: { path: 'b' } }, { 'if-match': '*' }), 200)
  assertStatus(await admin.delete('/files/told/b', { 'if-match': '*' }), 204)
  assertStatus(await admin.post('/files/told/b/restore'), 200)
  const path = '/changes?space=told&kinds=file.created,file.updated,file.moved,file.deleted'
  await until(async () => (await admin.get(path)).json.items.length === 5)
  const { items } = (await admin.get(path)).json
  assert.deepEqual(
    items.map(({ event, file, from, restored }: never) => [event, file, from, restored].map((one) => one ?? null)),
    items.map(({ event, file }: { event: string; file: object }, n: number) => [
      ['file.created', 'file.updated', 'file.moved', 'file.deleted', 'file.created'][n] ?? event,
      file,
      n === 2 ? { space: 'told', path: 'a' } : null,
      n === 4 ? true : null,
    ]),
  )
  assert.deepEqual(items[0].file, {
    space: 'told',
    path: 'a',
    url: `${admin.base}/files/told/a`,
    size: 12,
    contentType: items[0].file.contentType,
    digest: sha256(bytes).toString('hex'),
    version: 1,
  })
  assert.deepEqual(
    items.map(({ file }: { file: { version: number } }) => file.version),
    [1, 2, 2, 2, 3],
  )
})
