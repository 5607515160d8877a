import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client, redirectOf } from '../support/client.ts'
import { indexedInTrash } from '../support/indexed-in-trash.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson } from '../support/people.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
})
after(() => nodes[Symbol.asyncDispose]())

async function make(space: string, pages: Readonly<Record<string, string>>): Promise<void> {
  await admin.space(space)
  for (const [path, body] of Object.entries(pages)) {
    assertStatus(await admin.put(`/pages/${space}/${path}`, body), 201)
  }
}

const moveFolder = (space: string, path: string, to: object, more: object = {}, client = admin) =>
  client.post(`/spaces/${space}/move-folder`, { path, to, ...more })
const deleteFolder = (space: string, path: string, more: object = {}, client = admin) =>
  client.post(`/spaces/${space}/delete-folder`, { path, ...more })

async function paths(space: string): Promise<string[]> {
  return (await admin.all(`/spaces/${space}/pages`)).map(({ path }) => path)
}

async function body(path: string): Promise<string> {
  return assertStatus(await admin.get(`/pages/${path}`, { accept: 'text/markdown' }), 200).text
}

const form = (client: Client, target: string, fields: Readonly<Record<string, string>>) =>
  client.call('POST', target, {
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })

test('moving a folder without a page at its path moves all pages below it and rewrites links', async () => {
  await make('fa', {
    'guide/a': '# A [b](./b) [in](/pages/fa/in)',
    'guide/b/c': '# C',
    'guide-x': 'not in it',
    in: '[a](./guide/a) [c](./guide/b/c)',
  })
  assertStatus(await admin.patch('/pages/fa/guide/a/metadata', { set: { k: 1 } }), 200)
  const dry = assertStatus(await moveFolder('fa', 'guide', { path: 'handbook' }, { dryRun: true }), 200).json
  assert.deepEqual([dry.dryRun, dry.page, dry.left, dry.refusals], [true, null, [], []])
  assert.deepEqual(
    dry.moved.map(({ from, to }: { from: { path: string }; to: { path: string } }) => [from.path, to.path]),
    [
      ['guide/a', 'handbook/a'],
      ['guide/b/c', 'handbook/b/c'],
    ],
  )
  assert.deepEqual(await paths('fa'), ['guide-x', 'guide/a', 'guide/b/c', 'in'])
  const done = assertStatus(await moveFolder('fa', 'guide', { path: 'handbook' }), 200).json
  assert.deepEqual(done, { ...dry, dryRun: false })
  assert.deepEqual(await paths('fa'), ['guide-x', 'handbook/a', 'handbook/b/c', 'in'])
  assert.equal(await body('fa/in'), '[a](./handbook/a) [c](./handbook/b/c)')
  assert.equal(redirectOf(await admin.get('/pages/fa/guide/a')), '/pages/fa/handbook/a')
  assert.deepEqual((await admin.get('/pages/fa/handbook/a/metadata')).json.metadata, { k: 1 })
  assertProblem(await moveFolder('fa', 'guide', { path: 'x' }), 404, 'not_found')
  // Without rewriting, links keep what they say and redirect.
  assertStatus(await moveFolder('fa', 'handbook', { path: 'guide' }, { rewriteLinks: false }), 200)
  assert.equal(await body('fa/in'), '[a](./handbook/a) [c](./handbook/b/c)')
  // Into itself, and then with a page of its own, which goes along.
  assertStatus(await moveFolder('fa', 'guide', { path: 'guide/b' }), 200)
  assert.deepEqual(await paths('fa'), ['guide-x', 'guide/b/a', 'guide/b/b/c', 'in'])
  assertStatus(await admin.put('/pages/fa/guide', '# Own'), 201)
  assert.equal(assertStatus(await moveFolder('fa', 'guide', { path: 'g' }), 200).json.page.path, 'g')
  assert.deepEqual(await paths('fa'), ['g', 'g/b/a', 'g/b/b/c', 'guide-x', 'in'])
})

test('moving a folder to another space is all or nothing', async () => {
  await make('fb', { 'p/a': '# A', 'p/b/c': '# C', l: '[a](./p/a)' })
  await make('fc', { 'q/b/c': 'in the way', 'q/z': 'z' })
  const rejected = assertProblem(await moveFolder('fb', 'p', { space: 'fc', path: 'q' }), 409, 'page_exists').json
  assert.deepEqual(
    rejected.refusals.map(({ path }: { path: string }) => path),
    ['q/b/c'],
  )
  const dry = assertStatus(await moveFolder('fb', 'p', { space: 'fc', path: 'q' }, { dryRun: true }), 200).json
  assert.deepEqual(dry.refusals[0].code, 'page_exists')
  assert.deepEqual(await paths('fb'), ['l', 'p/a', 'p/b/c'])
  assertProblem(await moveFolder('fb', 'p', { path: 'p' }), 409, 'page_exists')
  assertProblem(await moveFolder('fb', 'none', { path: 'x' }), 404, 'not_found')
  assertProblem(await moveFolder('fb', 'l', { path: 'l' }), 409, 'page_exists')
  assertProblem(await moveFolder('fb', 'p', { path: '../x' }), 400, 'invalid_path')
  assertProblem(await moveFolder('fb', 'p/', { path: 'x' }), 400, 'invalid_path')
  assertProblem(await moveFolder('fb', 'p\u0000', { path: 'x' }), 400, 'invalid_request')
  assertProblem(await moveFolder('fb', 'p', { path: 'x', spce: 'fc' }), 400, 'invalid_request')
  assertProblem(await moveFolder('fb', 'p', { path: 'x' }, { withChildren: true }), 400, 'invalid_request')
  assertProblem(await moveFolder('fb', 'p', { space: 'NO', path: 'x' }), 400, 'invalid_slug')
  assertProblem(
    await moveFolder('fb', 'p', { path: Array.from({ length: 31 }, () => 's').join('/') }),
    400,
    'invalid_path',
  )
  assert.deepEqual(await paths('fb'), ['l', 'p/a', 'p/b/c'])
  // Where no address is taken, it is merged with what is there.
  assertStatus(await moveFolder('fb', 'p', { space: 'fc', path: 'q/b' }, {}), 200)
  assert.deepEqual(await paths('fc'), ['q/b/a', 'q/b/b/c', 'q/b/c', 'q/z'])
  assert.equal(await body('fb/l'), '[a](/pages/fc/q/b/a)')
  assertStatus(await moveFolder('fc', 'q', { space: 'personal', path: 'mine' }), 200)
  assert.deepEqual(await paths('fc'), [])
  assert.deepEqual(await paths('personal'), ['mine/b/a', 'mine/b/b/c', 'mine/b/c', 'mine/z'])
})

test('deleting a folder deletes all pages below it, also from the search index; each can be restored', async () => {
  await make('fd', { 'g/a': '# A\n\n[b](./b/c)', 'g/b/c': '# C', 'g-x': 'x', l: '[a](./g/a)' })
  assertStatus(await admin.patch('/pages/fd/g/a/metadata', { set: { colour: 'red' } }), 200)
  const dry = assertStatus(await deleteFolder('fd', 'g', { dryRun: true }), 200).json
  assert.deepEqual(dry, {
    dryRun: true,
    deleted: [
      { space: 'fd', path: 'g/a', title: 'A', version: 1 },
      { space: 'fd', path: 'g/b/c', title: 'C', version: 1 },
    ],
    files: [],
  })
  assert.equal((await paths('fd')).length, 4)
  const headers = { 'idempotency-key': '"folder-delete-1"' }
  const done = assertStatus(await admin.post('/spaces/fd/delete-folder', { path: 'g' }, headers), 200)
  assert.deepEqual(done.json, { ...dry, dryRun: false })
  const again = await admin.post('/spaces/fd/delete-folder', { path: 'g' }, headers)
  assert.deepEqual([again.status, again.json], [200, done.json])
  assert.deepEqual(await paths('fd'), ['g-x', 'l'])
  assertProblem(await admin.get('/pages/fd/g/a'), 410, 'page_deleted')
  assertProblem(await deleteFolder('fd', 'g'), 404, 'not_found')
  assertProblem(await deleteFolder('fd', 'g//b'), 400, 'invalid_path')
  assertProblem(await deleteFolder('fd', 'g', { force: true }), 400, 'invalid_request')
  assert.deepEqual((await admin.all('/spaces/fd/trash')).map(({ path }) => path).sort(), ['g/a', 'g/b/c'])
  assert.deepEqual(await admin.all('/search/metadata/keys?space=fd'), [])
  assert.deepEqual(
    (await admin.all('/spaces/fd/links/broken')).map(({ target }) => target.path),
    ['g/a'],
  )
  assert.deepEqual(await admin.all('/search?q=C&space=fd'), [])
  assert.deepEqual(await indexedInTrash(nodes), [])
  for (const path of ['g/a', 'g/b/c']) assertStatus(await admin.post(`/pages/fd/${path}/restore`), 200)
  assert.deepEqual((await admin.get('/pages/fd/g/a/metadata')).json.metadata, { colour: 'red' })
  assert.deepEqual(await admin.all('/spaces/fd/links/broken'), [])
  const { rows } = await nodes.query(
    `select kind, data->>'path' as path from event where space_id = (select id from space where slug = 'fd') and kind = 'page.deleted' order by seq`,
  )
  assert.deepEqual(
    rows.map(({ path }) => path),
    ['g/a', 'g/b/c'],
  )
})

test('only editors of both spaces move and delete folders; others get 403 or 404', async () => {
  await make('fe', { 'g/a': '# A' })
  await admin.space('ff', { visibility: 'private' })
  assertStatus(await admin.put('/pages/ff/g/secret', '[a](/pages/fe/g/a)'), 201)
  const { id, client } = await newPerson(admin, 'Folder viewer')
  assertProblem(await moveFolder('fe', 'g', { path: 'h' }, {}, client), 403, 'forbidden')
  assertProblem(await deleteFolder('fe', 'none', {}, client), 403, 'forbidden')
  assertProblem(await client.get('/move-folder/fe/g', { accept: 'text/html' }), 403, 'forbidden')
  const listing = assertStatus(await client.get('/browse/fe?prefix=g/', { accept: 'text/html' }), 200).text
  assert.ok(!listing.includes('/move-folder/') && !listing.includes('/delete-folder/'))
  for (const slug of ['ff', 'no']) {
    assertProblem(await moveFolder(slug, 'g', { path: 'h' }, {}, client), 404, 'not_found')
    assertProblem(await deleteFolder(slug, 'g', {}, client), 404, 'not_found')
  }
  assertStatus(await admin.call('PUT', `/spaces/fe/members/${id}`, { json: { role: 'editor' } }), 201)
  const hidden = assertProblem(await moveFolder('fe', 'g', { space: 'ff', path: 'h' }, {}, client), 404, 'not_found')
  const absent = assertProblem(await moveFolder('fe', 'g', { space: 'no', path: 'h' }, {}, client), 404, 'not_found')
  assert.equal(hidden.json.detail.replace('ff', 'no'), absent.json.detail)
  const { rewritten, left } = assertStatus(await moveFolder('fe', 'g', { path: 'h' }, {}, client), 200).json
  assert.deepEqual([rewritten, left], [[], []])
})

test('an editor moves and deletes a folder with the forms of the browser', async () => {
  await make('fw', { 'g/a': '# A', 'g/b c/d': '# D', 'taken/a': 'x', l: '[a](./g/a)' })
  const html = { accept: 'text/html' }
  const listing = assertStatus(await admin.get('/browse/fw?prefix=g/', html), 200).text
  assert.match(listing, /href="\/move-folder\/fw\/g"/)
  assert.match(listing, /href="\/delete-folder\/fw\/g"/)
  assert.doesNotMatch(assertStatus(await admin.get('/browse/fw?prefix=l', html), 200).text, /-folder\//)
  assert.match(assertStatus(await admin.get('/move-folder/fw/g', html), 200).text, /name="path"[^>]*value="g"/)
  assertProblem(await admin.get('/move-folder/fw/none', html), 404, 'not_found')
  const checked = await form(admin, '/move-folder/fw/g', { path: 'h', rewriteLinks: '1', action: 'check' })
  assert.match(assertStatus(checked, 200).text, /2 pages move; 1 page gets a new version/)
  assert.match(assertStatus(await form(admin, '/move-folder/fw/g', { path: 'taken' }), 409).text, /taken\/a/)
  const moved = assertStatus(await form(admin, '/move-folder/fw/g', { path: '/h/', rewriteLinks: '1' }), 303)
  assert.equal(moved.headers.get('location'), '/browse/fw?prefix=h%2F')
  assert.equal(await body('fw/l'), '[a](./h/a)')
  assert.match(assertStatus(await admin.get('/delete-folder/fw/h', html), 200).text, /2 pages go to the trash/)
  const deleted = assertStatus(await form(admin, '/delete-folder/fw/h', {}), 303)
  assert.equal(deleted.headers.get('location'), '/browse/fw')
  assert.deepEqual(await paths('fw'), ['l', 'taken/a'])
  assertProblem(await form(admin, '/delete-folder/fw/h', {}), 404, 'not_found')
})

test('a folder of 1,000 pages is moved and deleted', async () => {
  await admin.space('many')
  const pages = Array.from({ length: 1000 }, (_, n) => ({
    path: `big/${n % 10}/p${n}`,
    body: `# P${n} [next](/pages/many/big/${(n + 1) % 10}/p${(n + 1) % 1000})`,
  }))
  const space = { slug: 'many', name: 'many', description: '' }
  const bundle = { format: 'page-bundle', formatVersion: 1, space, pages }
  assertStatus(await admin.post('/spaces/many/import', bundle), 200)
  const moved = assertStatus(await moveFolder('many', 'big', { path: 'large' }), 200).json
  assert.deepEqual([moved.moved.length, moved.rewritten.length, moved.left], [1000, 1000, []])
  assert.equal(await body('many/large/9/p999'), '# P999 [next](/pages/many/large/0/p0)')
  assert.deepEqual(await admin.all('/spaces/many/links/broken'), [])
  assert.equal(assertStatus(await deleteFolder('many', 'large'), 200).json.deleted.length, 1000)
  assert.deepEqual(await paths('many'), [])
  assert.equal((await admin.all('/spaces/many/trash?limit=200')).length, 1000)
})

test('concurrent moves, deletions and writes of one folder lose and duplicate no page', async () => {
  await admin.space('frace')
  const [one, two] = nodes.admins
  for (let round = 0; round < 6; round++) {
    for (const name of ['a', 'b', 'c']) assertStatus(await one.put(`/pages/frace/${round}/x/${name}`, name), 201)
    const answers = await Promise.all([
      moveFolder('frace', `${round}/x`, { path: `${round}/y` }, {}, one),
      deleteFolder('frace', `${round}/x`, {}, two),
      two.put(`/pages/frace/${round}/x/b`, 'new', { 'if-match': '"1"' }),
      moveFolder('frace', `${round}/x`, { path: `${round}/z` }, {}, two),
    ])
    for (const { status, text } of answers) assert.ok([200, 404, 409, 410, 412].includes(status), text)
    const live = (await admin.all(`/spaces/frace/pages?prefix=${round}/`)).length
    const trashed = (await admin.all('/spaces/frace/trash?limit=200')).filter(({ path }) =>
      path.startsWith(`${round}/`),
    )
    assert.ok(['3 0', '0 3'].includes(`${live} ${trashed.length}`), `${live} ${trashed.length}`)
  }
})
