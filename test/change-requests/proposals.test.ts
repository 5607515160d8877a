import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
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

async function open(space: string, title = 'Better words'): Promise<string> {
  const { json: request } = assertStatus(await admin.post(`/spaces/${space}/change-requests`, { title }), 201)
  return `changeRequest=${request.number}`
}

test('a proposal changes nothing until it is merged, and a read with the parameter shows it', async () => {
  await admin.space('p1')
  assertStatus(await admin.put('/pages/p1/a', '# One\n\nfirst\n'), 201)
  const cr = await open('p1')
  assert.equal(cr, 'changeRequest=1')
  const proposed = assertStatus(await admin.put(`/pages/p1/a?${cr}`, '# Two\n\nfirst\n', { 'if-match': '"1"' }), 202)
  assert.equal(proposed.headers.get('etag'), '"draft-1-1"')
  assert.equal(proposed.headers.get('location'), `${admin.base}/pages/p1/a?changeRequest=1`)
  assert.equal(proposed.json.version, 1)
  assert.equal(proposed.json.title, 'Two')
  assert.equal(proposed.json.changeRequest.number, 1)
  const page = assertStatus(await admin.get('/pages/p1/a', json), 200)
  assert.equal(page.json.title, 'One')
  assert.equal(page.json.etag, '"1"')
  const draft = assertStatus(await admin.get(`/pages/p1/a?${cr}`, json), 200)
  assert.equal(draft.json.title, 'Two')
  assert.equal(draft.json.etag, '"draft-1-1"')
  assert.equal(draft.json.draft.number, 1)
  assert.equal(assertStatus(await admin.get(`/pages/p1/a?${cr}`, markdown), 200).text, '# Two\n\nfirst\n')
  assert.match(
    assertStatus(await admin.get(`/pages/p1/a?${cr}`, { accept: 'text/html' }), 200).text,
    /<h1[^>]*>Two|Two/,
  )
  // The tag of the draft is for the draft alone.
  assertProblem(await admin.put('/pages/p1/a', 'x', { 'if-match': '"draft-1-1"' }), 412, 'precondition_failed')
  assertProblem(await admin.put(`/pages/p1/a?${cr}`, 'x', { 'if-match': '"1"' }), 412, 'precondition_failed')
  assertProblem(await admin.put(`/pages/p1/a?${cr}`, 'x', { 'if-match': '*' }), 412, 'precondition_failed')
  assertProblem(await admin.put(`/pages/p1/a?${cr}`, 'x'), 428, 'precondition_required')
  assertStatus(await admin.put(`/pages/p1/a?${cr}`, '# Three\n', { 'if-match': '"draft-1-1"' }), 202)
  const { json: versions } = await admin.get('/pages/p1/a/versions')
  assert.equal(versions.items.length, 1)
  const { json: changes } = await admin.get('/spaces/p1/change-requests/1/changes')
  assert.deepEqual(
    changes.items.map((item: { path: string; kind: string }) => [item.path, item.kind]),
    [['a', 'edited']],
  )
  const { json: diff } = await admin.get('/spaces/p1/change-requests/1/diff?path=a')
  assert.match(diff.diff, /-# One[\s\S]*\+# Three/)
  // A value that is not there is absent.
  assertStatus(await admin.patch(`/pages/p1/a/metadata?${cr}`, { set: { owner: 'Ann' } }), 202)
  const { json: withKey } = assertStatus(await admin.get('/spaces/p1/change-requests/1/diff?path=a'), 200)
  assert.deepEqual(withKey.metadata, [{ key: 'owner', after: 'Ann' }])
})

test('edits of a drafted page are applied to the draft, and the version that it is based on can be its text', async () => {
  await admin.space('p1e')
  assertStatus(await admin.put('/pages/p1e/a', 'one\n'), 201)
  const cr = await open('p1e')
  const edit = (text: string, etag: string) =>
    admin.patch(`/pages/p1e/a?${cr}`, { edits: [{ op: 'append', text }] }, { 'if-match': etag })
  assertStatus(await edit('two\n', '"1"'), 202)
  assertStatus(await edit('three\n', '"draft-1-1"'), 202)
  assertProblem(await edit('four\n', '"draft-1-1"'), 412, 'precondition_failed')
  const read = async () => (await admin.get(`/pages/p1e/a?${cr}`, markdown)).text
  assert.equal(await read(), 'one\ntwo\nthree\n')
  const again = { 'if-match': '"draft-1-2"' }
  assertStatus(await admin.post(`/pages/p1e/a/versions/1/make-latest?${cr}`, {}, again), 202)
  assert.equal(await read(), 'one\n')
})

test('pages are created, edited, deleted and merged, all in one transaction', async () => {
  await admin.space('p2')
  for (const path of ['a', 'b', 'c', 'd'])
    assertStatus(await admin.put(`/pages/p2/${path}`, `# ${path}\n\none\n\ntwo\n`), 201)
  const cr = await open('p2')
  assertStatus(
    await admin.call('PUT', `/pages/p2/new?${cr}`, { json: { body: '# New\n', metadata: { state: 'draft' } } }),
    202,
  )
  assertStatus(
    await admin.patch(`/pages/p2/a?${cr}`, { edits: [{ op: 'append', text: 'three' }] }, { 'if-match': '"1"' }),
    202,
  )
  assertStatus(await admin.delete(`/pages/p2/b?${cr}`, { 'if-match': '"1"' }), 202)
  assertStatus(await admin.patch(`/pages/p2/c/metadata?${cr}`, { set: { owner: 'Ada' }, append: { tags: ['x'] } }), 202)
  const list = async (query: string) =>
    (await admin.get(`/spaces/p2/pages?${query}`)).json.items.map(({ path }: { path: string }) => path)
  assert.deepEqual(await list(cr), ['a', 'c', 'd', 'new'])
  assert.deepEqual(await list(`${cr}&limit=1`), ['a'])
  assert.deepEqual(await list(''), ['a', 'b', 'c', 'd'])
  assertProblem(await admin.get(`/pages/p2/b?${cr}`, json), 404, 'not_found')
  assertProblem(await admin.get('/pages/p2/new', json), 404, 'not_found')
  const created = assertStatus(await admin.get(`/pages/p2/new?${cr}`, json), 200).json
  assert.equal(created.version, null)
  assert.deepEqual((await admin.get(`/pages/p2/new/metadata?${cr}`)).json.metadata, { state: 'draft' })
  assert.deepEqual((await admin.get(`/pages/p2/c/metadata?${cr}`)).json.metadata, { owner: 'Ada', tags: ['x'] })
  assert.deepEqual((await admin.get('/pages/p2/c/metadata')).json.metadata, {})
  // The others go on meanwhile.
  assertStatus(await admin.put('/pages/p2/a', '# a\n\nONE\n\ntwo\n', { 'if-match': '"1"' }), 200)
  assertStatus(await admin.patch('/pages/p2/c/metadata', { append: { tags: ['y'] } }), 200)
  const request = assertStatus(await admin.get('/spaces/p2/change-requests/1'), 200).json
  assert.equal(request.mergeable, true)
  assert.equal(request.changes, 4)
  assertProblem(await admin.post('/spaces/p2/change-requests/1/merge', {}), 428, 'precondition_required')
  assertProblem(
    await admin.post('/spaces/p2/change-requests/1/merge', {}, { 'if-match': '"1"' }),
    412,
    'precondition_failed',
  )
  const merged = assertStatus(
    await admin.post('/spaces/p2/change-requests/1/merge', {}, { 'if-match': request.etag }),
    200,
  ).json
  assert.equal(merged.state, 'merged')
  assert.deepEqual(
    merged.merged.map(({ path, kind }: { path: string; kind: string }) => [path, kind]),
    [
      ['a', 'edited'],
      ['b', 'deleted'],
      ['c', 'metadata'],
      ['new', 'created'],
    ],
  )
  assert.deepEqual(await list(''), ['a', 'c', 'd', 'new'])
  assert.equal((await admin.get('/pages/p2/a', markdown)).text, '# a\n\nONE\n\ntwo\nthree')
  assert.deepEqual((await admin.get('/pages/p2/c/metadata')).json.metadata, { owner: 'Ada', tags: ['y', 'x'] })
  assert.deepEqual((await admin.get('/pages/p2/new/metadata')).json.metadata, { state: 'draft' })
  const again = assertStatus(
    await admin.post('/spaces/p2/change-requests/1/merge', {}, { 'if-match': request.etag }),
    200,
  ).json
  assert.deepEqual(again.merged, merged.merged)
  assertProblem(await admin.put(`/pages/p2/d?${cr}`, 'x', { 'if-match': '"1"' }), 409, 'change_request_closed')
})

test('a merge with a conflict changes nothing', async () => {
  await admin.space('p3')
  for (const path of ['a', 'b', 'c']) assertStatus(await admin.put(`/pages/p3/${path}`, 'one\n'), 201)
  const cr = await open('p3')
  assertStatus(await admin.put(`/pages/p3/a?${cr}`, 'mine\n', { 'if-match': '"1"' }), 202)
  assertStatus(await admin.put(`/pages/p3/b?${cr}`, 'fine\n', { 'if-match': '"1"' }), 202)
  assertStatus(await admin.delete(`/pages/p3/c?${cr}`, { 'if-match': '"1"' }), 202)
  assertStatus(await admin.put(`/pages/p3/x?${cr}`, 'new\n'), 202)
  assertStatus(await admin.patch(`/pages/p3/b/metadata?${cr}`, { set: { k: 1 } }), 202)
  assertStatus(await admin.put('/pages/p3/a', 'theirs\n', { 'if-match': '"1"' }), 200)
  assertStatus(await admin.put('/pages/p3/c', 'theirs\n', { 'if-match': '"1"' }), 200)
  assertStatus(await admin.put('/pages/p3/x', 'theirs\n'), 201)
  assertStatus(await admin.patch('/pages/p3/b/metadata', { set: { k: 2 } }), 200)
  const { etag, mergeable, conflicts } = (await admin.get('/spaces/p3/change-requests/1')).json
  assert.equal(mergeable, false)
  const problem = assertProblem(
    await admin.post('/spaces/p3/change-requests/1/merge', {}, { 'if-match': etag }),
    409,
    'merge_conflict',
  )
  assert.deepEqual(problem.json.conflicts, conflicts)
  assert.deepEqual(conflicts, [
    { path: 'a', kind: 'text', hunks: [{ base: 'one\n', draft: 'mine\n', page: 'theirs\n' }], version: 2 },
    { path: 'b', kind: 'metadata', keys: ['k'], version: 1 },
    { path: 'c', kind: 'changed', version: 2 },
    { path: 'x', kind: 'exists' },
  ])
  assert.equal((await admin.get('/pages/p3/b', markdown)).text, 'one\n')
})

test('every route without the parameter refuses it, and a misspelt one is no write', async () => {
  await admin.space('p4')
  assertStatus(await admin.put('/pages/p4/a', 'one\n'), 201)
  const one = { 'if-match': '"1"' }
  for (const name of ['changerequest', 'changeRequst', 'changeReqest', 'ChangeRequest']) {
    assertProblem(await admin.put(`/pages/p4/a?${name}=1`, 'x', one), 400, 'invalid_request')
    assertProblem(await admin.patch(`/pages/p4/a/metadata?${name}=1`, { set: { k: 1 } }), 400, 'invalid_request')
  }
  assertProblem(await admin.get('/changes?changeRequest=1'), 400, 'change_request_not_supported')
  assertProblem(
    await admin.call('PUT', '/spaces/p4/order?changeRequest=1', { json: { folder: '', names: [] } }),
    400,
    'change_request_not_supported',
  )
  assertProblem(
    await admin.delete('/pages/p4/a?purge=true&changeRequest=new&title=x', one),
    400,
    'change_request_not_supported',
  )
  assertProblem(await admin.put('/pages/p4/a?changeRequest=7', 'x', one), 404, 'not_found')
  assertProblem(await admin.put('/pages/p4/a?changeRequest=new', 'x', one), 400, 'invalid_request')
  const opened = assertStatus(await admin.put('/pages/p4/a?changeRequest=new&title=More%20words', 'x', one), 202)
  assert.equal(opened.json.changeRequest.number, 1)
  assert.equal((await admin.get('/pages/p4/a', markdown)).text, 'one\n')
})

test('a viewer proposes and does not merge; the author stays the author', async () => {
  await admin.space('p5', { visibility: 'private' })
  assertStatus(await admin.put('/pages/p5/a', 'one\n'), 201)
  const viewer = await newPerson(admin, 'p5-viewer')
  assertStatus(await admin.call('PUT', `/spaces/p5/members/${viewer.id}`, { json: { role: 'viewer' } }), 201)
  const stranger = await newPerson(admin, 'p5-stranger')
  const refusal = assertProblem(await viewer.client.put('/pages/p5/a', 'x', { 'if-match': '"1"' }), 403, 'forbidden')
  assert.match(refusal.json.nextSteps[0].url, /\/pages\/p5\/a\?changeRequest=new&title=/)
  assertStatus(await viewer.client.put('/pages/p5/a?changeRequest=new&title=Mine', 'two\n', { 'if-match': '"1"' }), 202)
  assertProblem(await stranger.client.get('/spaces/p5/change-requests/1'), 404, 'not_found')
  assertProblem(await stranger.client.get('/pages/p5/a?changeRequest=1', json), 404, 'not_found')
  const { etag } = (await viewer.client.get('/spaces/p5/change-requests/1')).json
  assertProblem(
    await viewer.client.post('/spaces/p5/change-requests/1/merge', {}, { 'if-match': etag }),
    403,
    'forbidden',
  )
  assertStatus(await admin.post('/spaces/p5/change-requests/1/merge', {}, { 'if-match': etag }), 200)
  const { json: page } = await admin.get('/pages/p5/a', json)
  assert.equal(page.updatedBy.id, viewer.id)
  const [revision] = (await admin.get('/pages/p5/a/versions')).json.items
  assert.equal(revision.createdBy.id, viewer.id)
  assert.equal(revision.changeRequest, 1)
})

test('moves, swaps and batches are proposed, and merged with the links', async () => {
  await admin.space('p6')
  for (const [path, body] of Object.entries({
    a: 'A',
    b: 'B',
    'dir/x': '[a](../a)\n',
    'dir/y': 'Y',
    left: '[x](./dir/x)\n',
  }))
    assertStatus(await admin.put(`/pages/p6/${path}`, body), 201)
  const any = { 'if-match': '"1"' }
  const move = (path: string, to: string, cr: string, more: object = {}) =>
    admin.post(`/pages/p6/${path}/move?${cr}`, { to: { path: to }, ...more }, any)
  const opening = 'changeRequest=new&title=None'
  const planned = assertStatus(await move('dir/x', 'dir/z', opening, { dryRun: true }), 200).json
  assert.deepEqual([planned.dryRun, planned.page, planned.moved[0].to.path], [true, null, 'dir/z'])
  assertProblem(await move('dir/x', 'dir/y', opening, { dryRun: true }), 409, 'page_exists')
  assert.deepEqual((await admin.get('/spaces/p6/change-requests')).json.items, [])
  const cr = await open('p6')
  assertProblem(await move('a', 'b', cr), 409, 'page_exists')
  assertStatus(await move('a', 'c', cr), 202)
  assertStatus(await move('b', 'a', cr), 202)
  assertStatus(await move('c', 'b', cr), 202)
  assert.equal((await admin.get(`/pages/p6/b?${cr}`, markdown)).text, 'A')
  assert.equal((await admin.get(`/pages/p6/a?${cr}`, markdown)).text, 'B')
  assertProblem(await admin.get(`/pages/p6/c?${cr}`, markdown), 404, 'not_found')
  assertStatus(await admin.put(`/pages/p6/dir?${cr}`, 'Dir\n'), 202)
  const batch = {
    operations: [
      { op: 'put', space: 'p6', path: 'n1', body: 'one' },
      { op: 'delete', space: 'p6', path: 'left', ifMatch: '"7"' },
      { op: 'patch', space: 'p6', path: 'dir/y', ifMatch: '"1"', edits: [{ op: 'append', text: 'more' }] },
    ],
  }
  const items = assertStatus(await admin.post(`/pages/batch?${cr}`, batch), 202).json
  assert.deepEqual(
    items.items.map(({ status }: { status: number }) => status),
    [202, 412, 202],
  )
  assert.equal(items.changeRequest.number, 1)
  assertStatus(
    await admin.post(`/metadata/batch?${cr}`, { pages: [{ space: 'p6', path: 'dir/x' }], set: { k: 1 } }),
    202,
  )
  const tag = (await admin.get(`/pages/p6/dir?${cr}`, json)).json.etag
  assertStatus(
    await admin.post(`/pages/p6/dir/move?${cr}`, { to: { path: 'docs' }, withChildren: true }, { 'if-match': tag }),
    202,
  )
  const paths = async (query: string) =>
    (await admin.get(`/spaces/p6/pages?${query}`)).json.items.map(({ path }: { path: string }) => path)
  assert.deepEqual(await paths(cr), ['a', 'b', 'docs', 'docs/x', 'docs/y', 'left', 'n1'])
  assert.deepEqual(await paths(''), ['a', 'b', 'dir/x', 'dir/y', 'left'])
  assert.deepEqual((await admin.get(`/pages/p6/docs/x/metadata?${cr}`)).json.metadata, { k: 1 })
  const { etag, conflicts } = (await admin.get('/spaces/p6/change-requests/1')).json
  assert.deepEqual(conflicts, [])
  const merged = assertStatus(
    await admin.post('/spaces/p6/change-requests/1/merge', {}, { 'if-match': etag }),
    200,
  ).json
  assert.equal(merged.state, 'merged')
  assert.deepEqual(await paths(''), ['a', 'b', 'docs', 'docs/x', 'docs/y', 'left', 'n1'])
  assert.equal((await admin.get('/pages/p6/b', markdown)).text, 'A')
  assert.equal((await admin.get('/pages/p6/a', markdown)).text, 'B')
  assert.equal((await admin.get('/pages/p6/left', markdown)).text, '[x](./docs/x)\n')
  assert.equal((await admin.get('/pages/p6/docs/x', markdown)).text, '[a](../b)\n')
  assert.equal((await admin.get('/pages/p6/docs/y', markdown)).text, 'Y\nmore')
})

test('an address of a request is free again after a move and a deletion, and one that is taken out of sight ends', async () => {
  await admin.space('p7')
  assertStatus(await admin.put('/pages/p7/a', 'A'), 201)
  assertStatus(await admin.put('/pages/p7/secret/x', 'X'), 201)
  const cr = await open('p7')
  const one = { 'if-match': '"1"' }
  assertStatus(await admin.post(`/pages/p7/a/move?${cr}`, { to: { path: 'c' } }, one), 202)
  assertStatus(await admin.delete(`/pages/p7/c?${cr}`, one), 202)
  assertStatus(await admin.put(`/pages/p7/c?${cr}`, 'C'), 202)
  assertProblem(await admin.get(`/pages/p7/a?${cr}`, json), 404, 'not_found')
  assert.equal((await admin.get(`/pages/p7/c?${cr}`, markdown)).text, 'C')
  const rule = { read: [], write: 'inherit' }
  assertStatus(await admin.call('PUT', '/spaces/p7/rules/secret', { json: rule }), 201)
  assertStatus(await admin.post(`/pages/p7/secret/x/move?${cr}`, { to: { path: 'y' } }, one), 202)
  const editor = await newPerson(admin, 'p7-editor')
  assertStatus(await admin.call('PUT', `/spaces/p7/members/${editor.id}`, { json: { role: 'editor' } }), 201)
  assertProblem(await editor.client.get(`/pages/p7/y?${cr}`, json), 404, 'not_found')
  assertProblem(await editor.client.put(`/pages/p7/y?${cr}`, 'Y'), 503, 'page_busy')
  assertStatus(await editor.client.put(`/pages/p7/b?${cr}`, 'B'), 202)
  assertProblem(
    await editor.client.post(`/pages/p7/b/move?${cr}`, { to: { path: 'y' } }, { 'if-match': '"draft-1-1"' }),
    503,
    'page_busy',
  )
})

test('a new request is opened by its first write: where all fail, it leaves no number, no event and no request', async () => {
  await admin.space('p10')
  assertStatus(await admin.put('/pages/p10/a', 'one\n'), 201)
  const opening = 'changeRequest=new&title=Many'
  const put = (path: string, ifMatch?: string) => ({
    op: 'put',
    space: 'p10',
    path,
    body: 'two',
    ...(ifMatch && { ifMatch }),
  })
  const batch = (...operations: object[]) => admin.post(`/pages/batch?${opening}`, { operations })
  const set = (...paths: string[]) =>
    admin.post(`/metadata/batch?${opening}`, { pages: paths.map((path) => ({ space: 'p10', path })), set: { k: 1 } })
  for (const response of [await batch(put('a', '"7"')), await set('none')]) {
    const { json: body } = assertStatus(response, 200)
    assert.ok(body.items.every(({ status, code }: { status: number; code: string }) => (status ?? 404) >= 400 || code))
    assert.equal(body.changeRequest, undefined)
  }
  const events = async () =>
    assertStatus(await admin.get('/changes?space=p10&kinds=changeRequest.opened,changeRequest.closed'), 200).json.items
  assert.deepEqual((await admin.get('/spaces/p10/change-requests')).json.items, [])
  assert.deepEqual(await events(), [])
  const { json: body } = assertStatus(await batch(put('a', '"7"'), put('b'), put('c')), 202)
  assert.deepEqual(
    body.items.map(({ status }: { status: number }) => status),
    [412, 202, 202],
  )
  assert.equal(body.changeRequest.number, 1)
  assert.equal(assertStatus(await set('none', 'a'), 202).json.changeRequest.number, 2)
  const changes = async (number: number) =>
    (await admin.get(`/spaces/p10/change-requests/${number}/changes`)).json.items.map(
      ({ path }: { path: string }) => path,
    )
  assert.deepEqual([await changes(1), await changes(2)], [['b', 'c'], ['a']])
  await until(async () => (await events()).length === 2)
})

test('whoever may propose makes a version the latest, also the present one', async () => {
  await admin.space('p11')
  const viewer = await newPerson(admin, 'p11-viewer')
  assertStatus(await admin.call('PUT', `/spaces/p11/members/${viewer.id}`, { json: { role: 'viewer' } }), 201)
  assertStatus(await admin.put('/pages/p11/a', 'one\n'), 201)
  assertStatus(await admin.put('/pages/p11/a', 'two\n', { 'if-match': '"1"' }), 200)
  const make = (version: number, query: string, headers = {}) =>
    viewer.client.post(`/pages/p11/a/versions/${version}/make-latest${query}`, {}, headers)
  assertProblem(await make(1, ''), 403, 'forbidden')
  const opened = assertStatus(await make(2, '?changeRequest=new&title=Same', { 'idempotency-key': 'p11' }), 202)
  assert.equal(opened.json.etag, '"draft-1-1"')
  assertStatus(await make(2, '?changeRequest=new&title=Same', { 'idempotency-key': 'p11' }), 202)
  assertStatus(await make(1, '?changeRequest=1', { 'if-match': '"draft-1-1"' }), 202)
  assert.equal((await viewer.client.get('/pages/p11/a?changeRequest=1', markdown)).text, 'one\n')
  assert.equal((await viewer.client.get('/pages/p11/a', markdown)).text, 'two\n')
})
