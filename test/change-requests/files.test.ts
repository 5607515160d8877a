import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { getBytes, png, putBytes } from '../support/files.ts'
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

const json = { accept: 'application/json' }
const one = { 'if-match': '"1"' }

async function open(space: string): Promise<string> {
  await admin.space(space)
  const { json: request } = assertStatus(await admin.post(`/spaces/${space}/change-requests`, { title: 'Files' }), 201)
  return `changeRequest=${request.number}`
}

const read = async (path: string) => (await getBytes(admin, path)).bytes.toString()
const merge = async (space: string) => {
  const { etag } = (await admin.get(`/spaces/${space}/change-requests/1`)).json
  return admin.post(`/spaces/${space}/change-requests/1/merge`, {}, { 'if-match': etag })
}
const listPaths = async (space: string, query: string) =>
  (await admin.get(`/spaces/${space}/files?${query}`)).json.items.map(({ path }: { path: string }) => path)

test('files are written, moved and deleted in a request, and merged with the pages that show them', async () => {
  const cr = await open('f1')
  for (const name of ['a', 'b', 'c']) assertStatus(await admin.put(`/files/f1/${name}.txt`, name), 201)
  assertStatus(await admin.put('/pages/f1/p', '![](b.txt) [c](c.txt)\n'), 201)
  const written = assertStatus(await admin.put(`/files/f1/a.txt?${cr}`, 'A2', one), 202)
  assert.equal(written.headers.get('etag'), '"draft-1-1"')
  assert.equal(written.headers.get('location'), `${admin.base}/files/f1/a.txt?changeRequest=1`)
  assert.equal(written.json.version, 1)
  assert.equal(written.json.size, 2)
  assert.equal(written.json.changeRequest.number, 1)
  assertProblem(await admin.put(`/files/f1/a.txt?${cr}`, 'x', one), 412, 'precondition_failed')
  assertProblem(await admin.put('/files/f1/a.txt', 'x', { 'if-match': '"draft-1-1"' }), 412, 'precondition_failed')
  assertProblem(await admin.put(`/files/f1/a.txt?${cr}`, 'x'), 428, 'precondition_required')
  assertStatus(await admin.put(`/files/f1/a.txt?${cr}`, 'A33', { 'if-match': '"draft-1-1"' }), 202)
  assertStatus(await admin.put(`/files/f1/new/n.txt?${cr}`, 'N'), 202)
  assertStatus(await admin.post(`/files/f1/b.txt/move?${cr}`, { to: { path: 'new/b.txt' } }, one), 202)
  assertStatus(await admin.delete(`/files/f1/c.txt?${cr}`, one), 202)
  assertProblem(await admin.delete(`/files/f1/a.txt?purge=true&${cr}`, one), 400, 'change_request_not_supported')
  assert.equal(await read('/files/f1/a.txt'), 'a')
  assert.equal(await read(`/files/f1/a.txt?${cr}`), 'A33')
  assert.equal(await read(`/files/f1/new/b.txt?${cr}`), 'b')
  assertProblem(await admin.get(`/files/f1/c.txt?${cr}`), 404, 'not_found')
  assertProblem(await admin.get(`/files/f1/b.txt?${cr}`), 404, 'not_found')
  assertProblem(await admin.get('/files/f1/new/n.txt'), 404, 'not_found')
  const created = assertStatus(await admin.get(`/files/f1/new/n.txt?${cr}`, json), 200).json
  assert.deepEqual([created.version, created.draft.number, created.size], [null, 1, 1])
  const again = { 'if-none-match': '"draft-1-2"' }
  assert.equal((await admin.get(`/files/f1/a.txt?${cr}`, again)).status, 304)
  assert.deepEqual(await listPaths('f1', cr), ['a.txt', 'new/b.txt', 'new/n.txt'])
  assert.deepEqual(await listPaths('f1', `${cr}&prefix=new/&q=N.&type=text/plain`), ['new/n.txt'])
  assert.deepEqual(await listPaths('f1', `${cr}&limit=1`), ['a.txt'])
  const { files } = assertStatus(await admin.get(`/spaces/f1/export?${cr}`), 200).json
  const contents = files.map((file: { path: string; data: string }) => [file.path, atob(file.data)])
  assert.deepEqual(contents, [
    ['a.txt', 'A33'],
    ['new/b.txt', 'b'],
    ['new/n.txt', 'N'],
  ])
  assert.deepEqual(await listPaths('f1', ''), ['a.txt', 'b.txt', 'c.txt'])
  const html = (await admin.get(`/pages/f1/p?${cr}`, { accept: 'text/html' })).text
  assert.match(html, /href="\/files\/f1\/new\/b\.txt\?changeRequest=1"/)
  const { items } = (await admin.get('/spaces/f1/change-requests/1/changes')).json
  const told = items.map((item: Record<string, unknown>) => [item.path, item.resource, item.kind, item.movedFrom])
  assert.deepEqual(told, [
    ['a.txt', 'file', 'edited', null],
    ['c.txt', 'file', 'deleted', null],
    ['new/b.txt', 'file', 'moved', 'b.txt'],
    ['new/n.txt', 'file', 'created', null],
  ])
  const [size, type] = (await admin.get('/spaces/f1/change-requests/1/diff?path=a.txt')).json.metadata
  assert.deepEqual(size, { key: 'size', before: 1, after: 3 })
  assert.equal(type.after, 'text/plain; charset=utf-8')
  for (const path of ['c.txt', 'new/n.txt']) {
    const { json } = assertStatus(await admin.get(`/spaces/f1/change-requests/1/diff?path=${path}`), 200)
    const isNew = path !== 'c.txt'
    for (const entry of json.metadata) assert.deepEqual(['before' in entry, 'after' in entry], [!isNew, isNew])
  }
  const merged = assertStatus(await merge('f1'), 200).json
  assert.equal(merged.state, 'merged')
  assert.deepEqual(merged.merged[0], { path: 'a.txt', resource: 'file', kind: 'edited', version: 2 })
  assert.equal(await read('/files/f1/a.txt'), 'A33')
  assert.deepEqual(await listPaths('f1', ''), ['a.txt', 'new/b.txt', 'new/n.txt'])
  assert.equal((await admin.page('/pages/f1/p')).json.body, '![](new/b.txt) [c](c.txt)\n')
  assert.deepEqual(assertStatus(await merge('f1'), 200).json.merged, merged.merged)
  const { items: versions } = (await admin.get('/files/f1/a.txt/versions')).json
  assert.deepEqual(
    versions.map(({ version }: { version: number }) => version),
    [2, 1],
  )
})

test('a file that both changed is a conflict, and what is moved meanwhile keeps its draft', async () => {
  const cr = await open('f2')
  for (const name of ['a', 'b', 'c', 'd', 'e']) assertStatus(await admin.put(`/files/f2/${name}`, name), 201)
  for (const name of ['a', 'b', 'e']) assertStatus(await admin.put(`/files/f2/${name}?${cr}`, 'mine', one), 202)
  for (const name of ['c', 'd']) assertStatus(await admin.delete(`/files/f2/${name}?${cr}`, one), 202)
  assertStatus(await admin.put(`/files/f2/x?${cr}`, 'mine'), 202)
  for (const name of ['a', 'c']) assertStatus(await admin.put(`/files/f2/${name}`, 'theirs', one), 200)
  assertStatus(await admin.delete('/files/f2/b', one), 204)
  assertStatus(await admin.put('/files/f2/x', 'theirs'), 201)
  assertStatus(await admin.post('/files/f2/e/move', { to: { path: 'moved/e' } }, one), 200)
  assert.equal(await read(`/files/f2/moved/e?${cr}`), 'mine')
  const { conflicts } = assertProblem(await merge('f2'), 409, 'merge_conflict').json
  assert.deepEqual(conflicts, [
    { path: 'a', kind: 'changed', resource: 'file', version: 2 },
    { path: 'b', kind: 'deleted', resource: 'file' },
    { path: 'c', kind: 'changed', resource: 'file', version: 2 },
    { path: 'x', kind: 'exists', resource: 'file' },
  ])
  const paths = ['d', 'moved/e']
  const { etag } = (await admin.get('/spaces/f2/change-requests/1')).json
  assertStatus(await admin.post('/spaces/f2/change-requests/1/merge', { paths }, { 'if-match': etag }), 200)
  assert.equal(await read('/files/f2/moved/e'), 'mine')
  assertProblem(await admin.get('/files/f2/d'), 410, 'file_deleted')
})

test('files change places, a new one takes the address of one that goes, and each page gets one revision', async () => {
  const cr = await open('f3')
  for (const name of ['a', 'b', 'c']) assertStatus(await admin.put(`/files/f3/${name}`, name), 201)
  const links = '[a](/files/f3/a) [b](/files/f3/b) [c](/files/f3/c)\n'
  for (const name of ['p', 'q']) assertStatus(await admin.put(`/pages/f3/${name}`, links), 201)
  assertStatus(await admin.put(`/pages/f3/q?${cr}`, `edited ${links}`, one), 202)
  const move = (from: string, to: string) => admin.post(`/files/f3/${from}/move?${cr}`, { to: { path: to } }, one)
  assertProblem(await move('a', 'b'), 409, 'file_exists')
  for (const [from, to] of [
    ['a', 't'],
    ['b', 'a'],
    ['t', 'b'],
    ['c', 'd'],
  ] as const)
    assertStatus(await move(from, to), 202)
  assertStatus(await admin.put(`/files/f3/c?${cr}`, 'C'), 202)
  assertStatus(await admin.put(`/pages/f3/c?${cr}`, 'a page'), 202)
  assertStatus(await merge('f3'), 200)
  const contents = await Promise.all(['a', 'b', 'c', 'd'].map((name) => read(`/files/f3/${name}`)))
  assert.deepEqual(contents, ['b', 'a', 'C', 'c'])
  const pages = await Promise.all(['p', 'q'].map(async (name) => (await admin.page(`/pages/f3/${name}`)).json))
  assert.deepEqual(
    pages.map(({ version, body }) => [version, body]),
    [
      [2, '[a](/files/f3/b) [b](/files/f3/a) [c](/files/f3/d)\n'],
      [2, 'edited [a](/files/f3/b) [b](/files/f3/a) [c](/files/f3/d)\n'],
    ],
  )
})

test('a viewer proposes a file, whose version has them as its author; others learn nothing', async () => {
  await admin.space('f4', { visibility: 'private' })
  assertStatus(await admin.put('/files/f4/secret/s', 's'), 201)
  assertStatus(await admin.call('PUT', '/spaces/f4/rules/secret', { json: { read: [], write: 'inherit' } }), 201)
  const [viewer, stranger] = [await newPerson(admin, 'f4-viewer'), await newPerson(admin, 'f4-stranger')]
  assertStatus(await admin.call('PUT', `/spaces/f4/members/${viewer.id}`, { json: { role: 'viewer' } }), 201)
  const cr = 'changeRequest=1'
  assertStatus(await viewer.client.put('/files/f4/v?changeRequest=new&title=Mine', 'v'), 202)
  assertProblem(await viewer.client.put('/files/f4/v', 'v'), 403, 'forbidden')
  assertProblem(await stranger.client.put(`/files/f4/v?${cr}`, 'v'), 404, 'not_found')
  assertProblem(await stranger.client.get(`/files/f4/v?${cr}`), 404, 'not_found')
  assertStatus(await admin.put(`/files/f4/secret/s?${cr}`, 'S', one), 202)
  assertStatus(await admin.put(`/files/f4/secret/t?${cr}`, 'T'), 202)
  const to = { to: { path: 'open' } }
  assertStatus(await admin.post(`/files/f4/secret/s/move?${cr}`, to, { 'if-match': '"draft-1-1"' }), 202)
  for (const path of ['secret/s', 'secret/t', 'open'])
    assertProblem(await viewer.client.get(`/files/f4/${path}?${cr}`), 404, 'not_found')
  assertProblem(await viewer.client.put(`/files/f4/secret/t?${cr}`, 'x'), 404, 'not_found')
  assert.deepEqual((await viewer.client.get(`/spaces/f4/files?${cr}`)).json.items.length, 1)
  const request = (await viewer.client.get('/spaces/f4/change-requests/1')).json
  assert.equal(request.changes, 1)
  assertProblem(await viewer.client.get('/spaces/f4/change-requests/1/diff?path=open'), 404, 'not_found')
  assertStatus(await merge('f4'), 200)
  assert.equal((await admin.get('/files/f4/v', json)).json.createdBy.id, viewer.id)
  assert.equal((await admin.get('/files/f4/open', json)).json.updatedBy.id !== viewer.id, true)
})

test('the bytes of drafts stay, count in the quota, and go with the last draft', async () => {
  const cr = await open('f5')
  await holdSweep(nodes, 'files')
  const usage = async () =>
    Number(
      (
        await nodes.query(`select coalesce(sum(blob.size), 0) as bytes from space_blob blob
    join space on space.id = blob.space_id where slug = 'f5'`)
      ).rows[0].bytes,
    )
  assertStatus(await admin.put('/files/f5/a', 'a'), 201)
  assertStatus(await admin.put(`/files/f5/a?${cr}`, 'first', one), 202)
  assert.equal(await usage(), 6)
  assertStatus(await admin.put(`/files/f5/a?${cr}`, 'second', { 'if-match': '"draft-1-1"' }), 202)
  assert.equal(await usage(), 7)
  assertStatus(await admin.put(`/files/f5/b?${cr}`, 'second'), 202)
  assertStatus(await admin.delete(`/files/f5/a?${cr}`, { 'if-match': '"draft-1-2"' }), 202)
  assert.equal(await usage(), 7)
  assertStatus(await admin.delete('/spaces/f5/change-requests/1'), 204)
  assert.equal(await usage(), 1)
})

test('a page moves with the pages and files below it', async () => {
  const cr = await open('f6')
  assertStatus(await admin.put('/pages/f6/dir', '![](dir/a.txt)\n'), 201)
  assertStatus(await admin.put('/pages/f6/dir/p', '![](./a.txt)\n'), 201)
  for (const name of ['a.txt', 'b.txt']) assertStatus(await admin.put(`/files/f6/dir/${name}`, name), 201)
  assertStatus(await admin.put(`/files/f6/dir/n.txt?${cr}`, 'new'), 202)
  assertStatus(await admin.delete(`/files/f6/dir/b.txt?${cr}`, one), 202)
  const order = { to: { path: 'docs' }, withChildren: true }
  const moved = assertStatus(await admin.post(`/pages/f6/dir/move?${cr}`, order, one), 202).json
  assert.deepEqual(
    moved.files.map(({ to }: { to: { path: string } }) => to.path),
    ['docs/a.txt', 'docs/n.txt'],
  )
  assertStatus(await admin.put('/files/f6/dir/later.txt', 'stays'), 201)
  assert.deepEqual(await listPaths('f6', cr), ['dir/later.txt', 'docs/a.txt', 'docs/n.txt'])
  const html = (await admin.get(`/pages/f6/docs/p?${cr}`, { accept: 'text/html' })).text
  assert.match(html, /\/files\/f6\/docs\/a\.txt\?changeRequest=1/)
  assertStatus(await merge('f6'), 200)
  assert.deepEqual(await listPaths('f6', ''), ['dir/later.txt', 'docs/a.txt', 'docs/n.txt'])
  assert.equal((await admin.page('/pages/f6/docs/p')).json.body, '![](./a.txt)\n')
  assert.equal((await admin.page('/pages/f6/docs')).json.body, '![](docs/a.txt)\n')
})

test('an image of a request is shown in its pages, also smaller', async () => {
  const cr = await open('f7')
  const [old, image] = [png(20, 10), png(700, 400)]
  assertStatus(await putBytes(admin, '/files/f7/i.png', old), 201)
  assertStatus(await admin.put('/pages/f7/p', '![here](i.png) ![new](n.png)\n'), 201)
  assertStatus(await putBytes(admin, `/files/f7/i.png?${cr}`, image, one), 202)
  assertStatus(await putBytes(admin, `/files/f7/n.png?${cr}`, image), 202)
  const html = (await admin.get(`/pages/f7/p?${cr}`, { accept: 'text/html' })).text
  assert.match(html, /src="\/files\/f7\/i\.png\?changeRequest=1"[^>]* width="700" height="400"/)
  assert.match(html, /src="\/files\/f7\/n\.png\?changeRequest=1"/)
  assert.match(html, /\/files\/f7\/i\.png\?changeRequest=1&amp;width=320 320w/)
  assert.deepEqual((await getBytes(admin, `/files/f7/n.png?${cr}`)).bytes, image)
  const smaller = await getBytes(admin, `/files/f7/i.png?${cr}&width=320`)
  assert.deepEqual([smaller.status, smaller.headers.get('content-type')], [200, 'image/webp'])
  assert.match(String(smaller.headers.get('etag')), /^"draft-1-1/)
  assert.match((await admin.get('/pages/f7/p', { accept: 'text/html' })).text, /missing-file/)
})

test('links to files through a request are those after the merge', async () => {
  const cr = await open('f9')
  for (const name of ['a.png', 'b.png', 'gone.png', 'old.png']) {
    assertStatus(await putBytes(admin, `/files/f9/${name}`, await png(2, 2)), 201)
  }
  const body =
    '![](a.png) ![](b.png)\n\n![](gone.png)\n\n[n](new.txt)\n\n[bare](bare)\n\n[old](/files/f9/old.png) [no](no.txt)\n'
  for (const path of ['p', 'q']) assertStatus(await admin.put(`/pages/f9/${path}`, body), 201)
  assertStatus(await admin.put('/pages/f9/waits', '[bare](bare)\n\n[no](none.txt) [new](new.txt)\n'), 201)
  const move = (from: string, to: string) => admin.post(`/files/f9/${from}/move?${cr}`, { to: { path: to } }, one)
  for (const [from, to] of [
    ['a.png', 't.png'],
    ['b.png', 'a.png'],
    ['t.png', 'b.png'],
    ['old.png', 'sub/old.png'],
  ] as const)
    assertStatus(await move(from, to), 202)
  assertStatus(await admin.delete(`/files/f9/gone.png?${cr}`, one), 202)
  for (const path of ['new.txt', 'bare']) assertStatus(await admin.put(`/files/f9/${path}?${cr}`, path), 202)
  assertStatus(await admin.put(`/pages/f9/q?${cr}`, `edited\n\n${body}`, one), 202)
  assertStatus(await admin.put(`/pages/f9/r?${cr}`, '![](a.png) ![](gone.png) [n](new.txt)\n'), 202)
  const shown = async (query: string) => {
    const pages = ['p', 'q', 'r', 'waits'].map(async (path) => {
      const { files } = (await admin.get(`/pages/f9/${path}/links?${query}`)).json
      const { text } = await admin.get(`/pages/f9/${path}?${query}`, { accept: 'text/html' })
      const images = Array.from(text.matchAll(/<img [^>]*src="(\/files\/[^"?]*)/g), ([, src]) => src)
      return { path, files: files.map((file: { line: number; url: string }) => [file.line, bare(file.url)]), images }
    })
    const items: unknown[] = []
    for (let cursor = ''; ; ) {
      const page = (await admin.get(`/spaces/f9/links/broken?limit=2&${query}${cursor}`)).json
      items.push(...page.items)
      if (page.nextCursor === null) return { pages: await Promise.all(pages), items }
      cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`
    }
  }
  const through = await shown(cr)
  assertStatus(await merge('f9'), 200)
  assert.deepEqual(through, await shown(''))
  assert.equal(through.items.length, 6)
})

const bare = (url: string) => url.replace('?changeRequest=1', '')
