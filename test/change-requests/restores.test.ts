import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson } from '../support/people.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
})
after(() => nodes[Symbol.asyncDispose]())

const markdown = { accept: 'text/markdown' }
const json = { accept: 'application/json' }
const opening = 'changeRequest=new&title=Back'
const cr = 'changeRequest=1'

/** A space with a page, a link to it and a file, of which page and file are in the trash. */
async function withTrash(space: string) {
  await admin.space(space)
  assertStatus(await admin.put(`/pages/${space}/a`, '# Lost\n\nwords here\n'), 201)
  assertStatus(await admin.patch(`/pages/${space}/a/metadata`, { set: { owner: 'ada', rank: 3 } }), 200)
  assertStatus(await admin.put(`/pages/${space}/b`, '[a](a.md)\n'), 201)
  assertStatus(await admin.put(`/files/${space}/f.txt`, 'bytes'), 201)
  assertStatus(await admin.delete(`/pages/${space}/a`, { 'if-match': '"1"' }), 204)
  assertStatus(await admin.delete(`/files/${space}/f.txt`, { 'if-match': '"1"' }), 204)
}

const restore = (client: Client, path: string, query = cr, headers = {}) =>
  client.post(`${path}/restore?${query}`, undefined, headers)

async function merge(space: string) {
  const { etag } = (await admin.get(`/spaces/${space}/change-requests/1`)).json
  return admin.post(`/spaces/${space}/change-requests/1/merge`, {}, { 'if-match': etag })
}

const conflicts = async (space: string) =>
  (await admin.get(`/spaces/${space}/change-requests/1`)).json.conflicts.map(
    ({ path, kind }: { path: string; kind: string }) => `${path} ${kind}`,
  )

test('a page and a file are restored in a request, read there, and restored by its merge', async () => {
  await withTrash('r1')
  const viewer = await newPerson(admin, 'r1-viewer')
  assertStatus(await admin.call('PUT', `/spaces/r1/members/${viewer.id}`, { json: { role: 'viewer' } }), 201)
  assertProblem(await restore(viewer.client, '/pages/r1/a', ''), 403, 'forbidden')
  const key = { 'idempotency-key': 'r1' }
  const proposed = assertStatus(await restore(viewer.client, '/pages/r1/a', opening, key), 202)
  assert.equal(proposed.headers.get('location'), `${admin.base}/pages/r1/a?changeRequest=1`)
  assert.deepEqual([proposed.json.title, proposed.json.version, proposed.json.etag], ['Lost', null, '"draft-1-1"'])
  assert.equal(proposed.json.changeRequest.number, 1)
  assert.deepEqual(assertStatus(await restore(viewer.client, '/pages/r1/a', opening, key), 202).json, proposed.json)
  assertProblem(await restore(viewer.client, '/pages/r1/a'), 409, 'page_exists')
  assertProblem(await restore(viewer.client, '/pages/r1/none'), 404, 'not_found')
  assertStatus(await restore(viewer.client, '/files/r1/f.txt'), 202)
  assertProblem(await restore(viewer.client, '/files/r1/f.txt'), 409, 'file_exists')
  assertProblem(await admin.get('/pages/r1/a'), 410, 'page_deleted')
  const reader = viewer.client
  assert.equal(assertStatus(await reader.get(`/pages/r1/a?${cr}`, markdown), 200).text, '# Lost\n\nwords here\n')
  assert.deepEqual((await reader.get(`/pages/r1/a/metadata?${cr}`)).json.metadata, { owner: 'ada', rank: 3 })
  const listed = (await reader.get(`/spaces/r1/pages?${cr}`)).json.items
  assert.deepEqual(
    listed.map(({ path }: { path: string }) => path),
    ['a', 'b'],
  )
  assert.equal((await reader.get(`/search?q=words&space=r1&${cr}`)).json.items[0].path, 'a')
  assert.match((await reader.get(`/spaces/r1/pages?format=md&${cr}`)).text, /words here/)
  assert.equal(assertStatus(await reader.get(`/files/r1/f.txt?${cr}`), 200).text, 'bytes')
  const { json: changes } = await reader.get('/spaces/r1/change-requests/1/changes')
  assert.deepEqual(
    changes.items.map(({ path, kind }: { path: string; kind: string }) => [path, kind]),
    [
      ['a', 'restored'],
      ['f.txt', 'restored'],
    ],
  )
  const { json: diff } = assertStatus(await reader.get('/spaces/r1/change-requests/1/diff?path=a'), 200)
  assert.match(diff.diff, /\+words here/)
  const tag = { 'if-match': '"draft-1-1"' }
  const move = await reader.post(`/pages/r1/a/move?${cr}`, { to: { path: 'c' } }, tag)
  assertProblem(move, 400, 'change_request_not_supported')
  assert.deepEqual(await conflicts('r1'), [])
  const { json: outcome } = assertStatus(await merge('r1'), 200)
  assert.deepEqual(
    outcome.merged.map(({ path, kind, version }: Record<string, unknown>) => [path, kind, version]),
    [
      ['a', 'restored', 2],
      ['f.txt', 'restored', 2],
    ],
  )
  const page = (await admin.get('/pages/r1/a', json)).json
  assert.deepEqual([page.version, page.createdBy.id === viewer.id, page.updatedBy.id], [2, false, viewer.id])
  assert.equal((await admin.get('/pages/r1/a', markdown)).text, '# Lost\n\nwords here\n')
  assert.deepEqual((await admin.get('/pages/r1/a/metadata')).json.metadata, { owner: 'ada', rank: 3 })
  assert.equal((await admin.get('/pages/r1/a/versions')).json.items.length, 2)
  assert.equal((await admin.get('/files/r1/f.txt')).text, 'bytes')
  assert.equal((await admin.get('/changes?space=r1&kinds=page.restored')).json.items.length, 1)
})

test('a restored draft is changed further, and withdrawn by its deletion', async () => {
  await withTrash('r2')
  assertStatus(await restore(admin, '/pages/r2/a', opening), 202)
  assertStatus(await admin.delete(`/pages/r2/a?${cr}`, { 'if-match': '"draft-1-1"' }), 202)
  assertProblem(await admin.get(`/pages/r2/a?${cr}`), 410, 'page_deleted')
  assertStatus(await restore(admin, '/pages/r2/a'), 202)
  const { etag } = (await admin.get(`/pages/r2/a?${cr}`, json)).json
  assertStatus(await admin.put(`/pages/r2/a?${cr}`, 'new words\n', { 'if-match': etag }), 202)
  assertStatus(await admin.patch(`/pages/r2/a/metadata?${cr}`, { set: { rank: 4 } }), 202)
  assertStatus(await merge('r2'), 200)
  assert.equal((await admin.get('/pages/r2/a', markdown)).text, 'new words\n')
  assert.deepEqual((await admin.get('/pages/r2/a/metadata')).json.metadata, { owner: 'ada', rank: 4 })
})

test('what stands at the address, or was purged, is a conflict; another page of the trash is not restored instead', async () => {
  await withTrash('r3')
  assertStatus(await restore(admin, '/pages/r3/a', opening), 202)
  assertStatus(await restore(admin, '/files/r3/f.txt'), 202)
  assertStatus(await admin.put('/pages/r3/a', 'other\n'), 201)
  assertStatus(await admin.put('/files/r3/f.txt', 'other'), 201)
  assert.deepEqual(await conflicts('r3'), ['a exists', 'f.txt exists'])
  assertProblem(await merge('r3'), 409, 'merge_conflict')
  const page = (await admin.get('/pages/r3/a', json)).json
  assertStatus(await admin.delete('/pages/r3/a', { 'if-match': page.etag }), 204)
  const file = (await admin.get('/files/r3/f.txt', json)).json
  assertStatus(await admin.delete('/files/r3/f.txt', { 'if-match': file.etag }), 204)
  assert.deepEqual(await conflicts('r3'), [])
  assertStatus(await merge('r3'), 200)
  assert.equal((await admin.get('/pages/r3/a', markdown)).text, '# Lost\n\nwords here\n')
  assert.equal((await admin.get('/files/r3/f.txt')).text, 'bytes')
})

test('the purge of a page or file takes the proposals to restore it with it', async () => {
  await withTrash('r4')
  assertStatus(await restore(admin, '/pages/r4/a', opening), 202)
  assertStatus(await restore(admin, '/files/r4/f.txt'), 202)
  const before = (await admin.get('/spaces/r4/change-requests/1')).json
  assert.equal(before.changes, 2)
  assertStatus(await admin.delete('/pages/r4/a?purge=true', { 'if-match': '*' }), 204)
  assertStatus(await admin.delete('/files/r4/f.txt?purge=true', { 'if-match': '*' }), 204)
  const { changes, etag } = (await admin.get('/spaces/r4/change-requests/1')).json
  assert.equal(changes, 0)
  for (const path of ['/pages/r4/a', '/files/r4/f.txt'])
    assertProblem(await admin.get(`${path}?${cr}`), 404, 'not_found')
  assertStatus(await restore(admin, '/pages/r4/a'), 404)
  assert.notEqual(etag, before.etag)
})

test('a restore in a request opens nothing that a rule hides', async () => {
  await withTrash('r5')
  assertStatus(await admin.put('/pages/r5/hr/pay', 'secret\n'), 201)
  assertStatus(await admin.delete('/pages/r5/hr/pay', { 'if-match': '"1"' }), 204)
  assertStatus(await admin.call('PUT', '/spaces/r5/rules/hr', { json: { read: [], write: 'inherit' } }), 201)
  const viewer = await newPerson(admin, 'r5-viewer')
  assertStatus(await admin.call('PUT', `/spaces/r5/members/${viewer.id}`, { json: { role: 'viewer' } }), 201)
  assertProblem(await restore(viewer.client, '/pages/r5/hr/pay', opening), 404, 'not_found')
  assertStatus(await restore(admin, '/pages/r5/hr/pay', opening), 202)
  assertProblem(await viewer.client.get(`/pages/r5/hr/pay?${cr}`), 404, 'not_found')
  assertProblem(await restore(viewer.client, '/pages/r5/hr/pay'), 404, 'not_found')
  assert.equal((await viewer.client.get('/spaces/r5/change-requests/1')).json.changes, 0)
})
