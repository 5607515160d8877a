import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { deleteEndedDrafts } from '../../packages/server/src/content/change-requests/store.ts'
import { createPool } from '../../packages/server/src/platform/database/connections/pool.ts'
import { DatabaseServer } from '../../packages/server/src/platform/database/connections/server.ts'
import { autocommit, createDb } from '../../packages/server/src/platform/database/database.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson } from '../support/people.ts'
import { holdSweep } from '../support/sweeps.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
})
after(() => nodes[Symbol.asyncDispose]())

const markdown = { accept: 'text/markdown' }
const one = { 'if-match': '"1"' }

/** A space with pages, and a change request 1 of it. */
async function prepare(space: string, pages: Readonly<Record<string, string>>) {
  await admin.space(space)
  for (const [path, body] of Object.entries(pages)) assertStatus(await admin.put(`/pages/${space}/${path}`, body), 201)
  assertStatus(await admin.post(`/spaces/${space}/change-requests`, { title: 'Words' }), 201)
  const url = `/spaces/${space}/change-requests/1`
  const read = async () => assertStatus(await admin.get(url), 200).json
  const send = async (action: string, body: object, client = admin) =>
    client.post(`${url}/${action}`, body, { 'if-match': (await read()).etag })
  const at = (path: string) => `/pages/${space}/${path}?changeRequest=1`
  const propose = async (path: string, body: string, tag = '"1"') =>
    assertStatus(await admin.put(at(path), body, tag === '' ? {} : { 'if-match': tag }), 202)
  const write = async (path: string, body: string, tag = '"1"') =>
    assertStatus(await admin.put(`/pages/${space}/${path}`, body, { 'if-match': tag }), 200)
  const text = async (path: string) => (await admin.get(`/pages/${space}/${path}`, markdown)).text
  return { url, read, send, at, propose, write, text }
}

test('an update merges the present versions into the drafts, all or none', async () => {
  const { url, read, send, at, propose, write } = await prepare('u1', { a: 'one\n\ntwo\n', b: 'one\n' })
  await propose('a', 'ONE\n\ntwo\n')
  await propose('b', 'mine\n')
  await write('a', 'one\n\nTWO\n')
  await write('b', 'theirs\n')
  const conflicts = [
    { path: 'b', kind: 'text', hunks: [{ base: 'one\n', draft: 'mine\n', page: 'theirs\n' }], version: 2 },
  ]
  const refusal = assertProblem(await send('update', {}), 409, 'merge_conflict')
  assert.deepEqual(refusal.json.conflicts, conflicts)
  assert.equal((await admin.get(at('a'), markdown)).text, 'ONE\n\ntwo\n')
  assertProblem(await admin.post(`${url}/update`, {}), 428, 'precondition_required')
  assertProblem(await admin.post(`${url}/update`, {}, one), 412, 'precondition_failed')
  const updated = assertStatus(await send('update', { paths: ['a'] }), 200).json
  assert.deepEqual(updated.conflicts, conflicts)
  const draft = assertStatus(await admin.get(at('a'), { accept: 'application/json' }), 200)
  assert.equal(draft.json.version, 2)
  assert.equal(draft.json.etag, '"draft-1-2"')
  assert.equal((await admin.get(at('a'), markdown)).text, 'ONE\n\nTWO\n')
  const { etag } = await read()
  assert.equal(assertStatus(await send('update', { paths: ['a'] }), 200).json.etag, etag, 'nothing to update')
})

test('a text that was solved is based on the version that is named, by its write or by the update', async () => {
  const { read, send, propose, write, text } = await prepare('u2', { a: 'one\n', b: 'one\n' })
  for (const path of ['a', 'b']) {
    await propose(path, 'mine\n')
    await write(path, 'theirs\n')
  }
  assert.equal((await propose('a', 'mine, theirs\n', '"draft-1-1", "2"')).json.version, 2)
  await propose('b', 'theirs, mine\n', '"draft-1-1"')
  // Somebody writes again: what the update has not seen stays in conflict.
  await write('b', 'theirs again\n', '"2"')
  assertProblem(await send('update', { resolved: [{ path: 'b', version: 2 }] }), 409, 'merge_conflict')
  assertProblem(await send('update', { resolved: [{ path: 'b', version: 9 }] }), 400, 'invalid_request')
  assertStatus(await send('update', { resolved: [{ path: 'b', version: 3 }] }), 200)
  assert.deepEqual((await read()).conflicts, [])
  assertStatus(await send('merge', {}), 200)
  assert.equal(await text('a'), 'mine, theirs\n')
  assert.equal(await text('b'), 'theirs, mine\n')
})

test('a deletion, a move and metadata that conflict with later changes are kept by an update that has seen these', async () => {
  const { read, send, at, write } = await prepare('u3', { changed: 'c\n', metadata: 'm\n', moved: 'v\n' })
  assertStatus(await admin.delete(at('changed'), one), 202)
  assertStatus(await admin.patch(at('metadata').replace('?', '/metadata?'), { set: { state: 'mine' } }), 202)
  assertStatus(await admin.post(at('moved').replace('?', '/move?'), { to: { path: 'x' } }, one), 202)
  await write('changed', 'c\nmore\n')
  assertStatus(await admin.patch('/pages/u3/metadata/metadata', { set: { state: 'theirs' } }), 200)
  assertStatus(await admin.post('/pages/u3/moved/move', { to: { path: 'y' } }, one), 200)
  const { conflicts } = await read()
  assert.deepEqual(conflicts, [
    { path: 'changed', kind: 'changed', version: 2 },
    { path: 'metadata', kind: 'metadata', keys: ['state'], version: 1 },
    { path: 'x', kind: 'moved', version: 1 },
  ])
  const resolved = conflicts.map(({ path, version }: { path: string; version: number }) => ({ path, version }))
  assert.deepEqual(assertStatus(await send('update', { resolved }), 200).json.conflicts, [])
  assertStatus(await send('merge', {}), 200)
  const paths = (await admin.get('/spaces/u3/pages')).json.items.map(({ path }: { path: string }) => path)
  assert.deepEqual(paths, ['metadata', 'x'])
  assert.deepEqual((await admin.get('/pages/u3/metadata/metadata')).json.metadata, { state: 'mine' })
})

test('a page that is deleted, or made at the address of a change, since is in conflict', async () => {
  const { read, send, at, propose } = await prepare('u4', { deleted: 'd\n', m: 'm\n' })
  await propose('deleted', 'mine\n')
  await propose('new', 'mine\n', '')
  assertStatus(await admin.post(at('m').replace('?', '/move?'), { to: { path: 'n' } }, one), 202)
  assertStatus(await admin.delete('/pages/u4/deleted', one), 204)
  for (const path of ['n', 'new']) assertStatus(await admin.put(`/pages/u4/${path}`, 'theirs\n'), 201)
  const conflicts = [
    { path: 'deleted', kind: 'deleted' },
    { path: 'n', kind: 'exists', version: 1 },
    { path: 'new', kind: 'exists' },
  ]
  const request = await read()
  assert.deepEqual(request.conflicts, conflicts)
  assert.equal(request.mergeable, false)
  assert.deepEqual(assertProblem(await send('merge', {}), 409, 'merge_conflict').json.conflicts, conflicts)
  assert.deepEqual(assertProblem(await send('update', {}), 409, 'merge_conflict').json.conflicts, conflicts)
})

test('only the author and editors update drafts', async () => {
  const { send, propose } = await prepare('u5', { a: 'one\n' })
  await propose('a', 'two\n')
  const viewer = await newPerson(admin, 'u5-viewer')
  assertStatus(await admin.call('PUT', `/spaces/u5/members/${viewer.id}`, { json: { role: 'viewer' } }), 201)
  assertProblem(await send('update', {}, viewer.client), 403, 'forbidden')
  const editor = await newPerson(admin, 'u5-editor')
  assertStatus(await admin.call('PUT', `/spaces/u5/members/${editor.id}`, { json: { role: 'editor' } }), 201)
  assertStatus(await send('update', {}, editor.client), 200)
})

test('changes are merged with those that they depend on', async () => {
  const { read, send, at, propose, text } = await prepare('u6', { a: 'A', b: 'B', gone: 'G', dir: 'D', 'dir/x': 'X' })
  const move = async (path: string, to: string, tag = '"1"', more = {}) =>
    assertStatus(
      await admin.post(at(path).replace('?', '/move?'), { to: { path: to }, ...more }, { 'if-match': tag }),
      202,
    )
  await move('a', 'c')
  await move('b', 'a')
  await move('c', 'b')
  assertStatus(await admin.delete(at('gone'), one), 202)
  await propose('gone', 'new', '')
  await move('dir', 'docs', '"1"', { withChildren: true })
  await propose('dir', 'index', '')
  assert.deepEqual((await read()).conflicts, [])
  const requires = async (...paths: string[]) =>
    assertProblem(await send('merge', { paths }), 409, 'merge_incomplete').json.requires
  assert.deepEqual(await requires('a'), ['b'])
  assert.deepEqual(await requires('b'), ['a'])
  assert.deepEqual(await requires('docs'), ['docs/x'])
  assert.deepEqual(await requires('dir'), ['docs', 'docs/x'])
  assertStatus(await send('merge', { paths: ['gone'] }), 200)
  assert.equal(await text('gone'), 'new')
  assertStatus(await send('merge', { paths: ['docs/x'] }), 200)
  assert.equal(assertStatus(await send('merge', {}), 200).json.state, 'merged')
  for (const [path, body] of Object.entries({ a: 'B', b: 'A', dir: 'index', docs: 'D', 'docs/x': 'X' })) {
    assert.equal(await text(path), body)
  }
})

test('a page that was purged keeps no request open', async () => {
  const { send, at, propose } = await prepare('u7', { a: 'A', b: 'B' })
  await propose('a', 'AA')
  assertStatus(await admin.post(at('b').replace('?', '/move?'), { to: { path: 'c' } }, one), 202)
  for (const path of ['b']) {
    assertStatus(await admin.delete(`/pages/u7/${path}`, one), 204)
    assertStatus(await admin.delete(`/pages/u7/${path}?purge=true`), 204)
  }
  assert.equal(assertStatus(await send('merge', {}), 200).json.state, 'merged')
})

test('a merge makes one revision of each page, also of one that moves, is edited and has links to others that move', async () => {
  const { send, at, propose, text } = await prepare('u8', {
    'a/x': '[y](./y)\n',
    'a/y': '[x](./x)\n',
    in: '[x](./a/x) [y](./a/y)\n',
  })
  await propose('a/x', '[y](./y) and more\n')
  assertStatus(
    await admin.post(at('a/x').replace('?', '/move?'), { to: { path: 'b/x' } }, { 'if-match': '"draft-1-1"' }),
    202,
  )
  assertStatus(await admin.post(at('a/y').replace('?', '/move?'), { to: { path: 'c' } }, one), 202)
  await propose('in', 'both: [x](./a/x) [y](./a/y)\n')
  const { merged } = assertStatus(await send('merge', { note: 'Tidy' }), 200).json
  const pages: Record<string, string> = {
    'b/x': '[y](../c) and more\n',
    c: '[x](./b/x)\n',
    in: 'both: [x](./b/x) [y](./c)\n',
  }
  for (const [path, body] of Object.entries(pages)) {
    assert.equal(await text(path), body)
    const { items } = (await admin.get(`/pages/u8/${path}/versions`)).json
    assert.deepEqual(
      items.map(({ version }: { version: number }) => version),
      [2, 1],
      path,
    )
    if (path === 'c') continue
    assert.equal(merged.find((page: { path: string }) => page.path === path).version, 2)
    assert.deepEqual([items[0].note, items[0].changeRequest], ['Tidy', 1])
  }
})

test('what a reader cannot read changes neither the ETag nor the time of a request', async () => {
  const { url, propose } = await prepare('u9', { a: 'A', 'secret/x': 'X' })
  const rule = { read: [], write: 'inherit' }
  assertStatus(await admin.call('PUT', '/spaces/u9/rules/secret', { json: rule }), 201)
  const { client, id } = await newPerson(admin, 'u9-viewer')
  assertStatus(await admin.call('PUT', `/spaces/u9/members/${id}`, { json: { role: 'viewer' } }), 201)
  const before = assertStatus(await client.get(url), 200).json
  await propose('secret/x', 'XX')
  await propose('secret/new', 'new', '')
  assert.deepEqual(assertStatus(await client.get(url), 200).json, before)
  assert.deepEqual((await client.get('/spaces/u9/change-requests')).json.items[0].etag, before.etag)
  assert.notEqual((await admin.get(url)).json.etag, before.etag)
  await propose('a', 'AA')
  const after = assertStatus(await client.get(url), 200).json
  assert.notEqual(after.etag, before.etag)
  assert.equal(after.changes, 1)
  const comment = { verdict: 'comment', body: 'Good.' }
  assertStatus(await client.post(`${url}/reviews`, comment, { 'if-match': after.etag }), 200)
})

test('drafts are deleted 90 days after the end of their request, which stays', async () => {
  const { url, read, send, propose, at } = await prepare('u90', { a: 'one\n', b: 'one\n' })
  await propose('a', 'two\n')
  await propose('b', 'two\n')
  assertStatus(await send('merge', { paths: ['a'] }), 200)
  assertStatus(await send('close', {}), 200)
  await holdSweep(nodes, 'draft sweep')
  const pool = createPool({ server: new DatabaseServer(nodes.connection), prepared: false, onError: () => {}, size: 1 })
  try {
    const db = autocommit(createDb(pool))
    const sweep = async (days: number) => {
      const now = new Date(Date.now() + days * 24 * 3600_000)
      return (await deleteEndedDrafts.first(db, { now, limit: 10 }))?.requests
    }
    assert.equal(await sweep(89), 0)
    assertStatus(await admin.get(`${url}/changes`), 200)
    // Those of the other tests have ended by then, too.
    assert.ok(Number(await sweep(91)) >= 1)
    assert.equal(await sweep(91), 0)
  } finally {
    await pool.end()
  }
  for (const path of ['/changes', '/diff?path=a']) assertProblem(await admin.get(url + path), 410, 'drafts_deleted')
  for (const action of ['reopen', 'merge']) assertProblem(await send(action, {}), 410, 'drafts_deleted')
  assertProblem(await admin.delete(url), 409, 'change_request_closed')
  assertProblem(await admin.put(at('b'), 'x\n', one), 409, 'change_request_closed')
  assert.deepEqual([(await read()).state, (await read()).changes], ['closed', 0])
  const { items } = assertStatus(await admin.get('/pages/u90/a/versions'), 200).json
  const merged = items.find(({ version }: { version: number }) => version === 2)
  assert.equal(merged.changeRequest.number ?? merged.changeRequest, 1)
})
