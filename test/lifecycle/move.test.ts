import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client, redirectOf } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newOwner, newPerson } from '../support/people.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
})
after(() => nodes[Symbol.asyncDispose]())

const any = { 'if-match': '*' }

async function make(space: string, pages: Readonly<Record<string, string>>) {
  await admin.space(space)
  for (const [path, body] of Object.entries(pages)) {
    assertStatus(await admin.put(`/pages/${space}/${path}`, body), 201)
  }
}

async function move(path: string, to: object, more: object = {}, client = admin) {
  // Most tests look at what links by the old address are then.
  return client.post(`/pages/${path}/move`, { to, rewriteLinks: false, ...more }, any)
}

async function body(path: string): Promise<string> {
  return assertStatus(await admin.get(`/pages/${path}`, { accept: 'text/markdown' }), 200).text
}

/** The links as they are stored, by the names of both ends. */
async function stored(): Promise<unknown[]> {
  const { rows } = await nodes.query(`
    select p.space_id, p.path, p.links_digest, coalesce(a.path, u.path) as target, l.target_space_id, l.ord, l.line, l.text, l.more
    from page p left join link l on l.space_id = p.space_id and l.page_id = p.id
    left join page_address a on a.space_id = l.target_space_id and a.id = l.target_id
    left join unknown_address u on l.target_space_id is null and u.id = l.target_id
    where p.deleted_at is null order by 1, 2, l.ord`)
  return rows
}

test('a moved page keeps id, history and metadata, and its old address redirects', async () => {
  await make('m1', { 'a/b': '# One' })
  assertStatus(await admin.put('/pages/m1/a/b', '# Two', { 'if-match': '"1"' }), 200)
  assertStatus(await admin.patch('/pages/m1/a/b/metadata', { set: { k: 1 } }), 200)
  assertProblem(await admin.post('/pages/m1/a/b/move', { to: { path: 'c' } }), 428, 'precondition_required')
  assertProblem(
    await admin.post('/pages/m1/a/b/move', { to: { path: 'c' } }, { 'if-match': '"1"' }),
    412,
    'precondition_failed',
  )
  assertProblem(await admin.post('/pages/m1/a/b/move', { to: { path: '../c' } }, any), 400, 'invalid_path')
  assertProblem(await admin.post('/pages/m1/a/b/move', { to: { path: 'c', spce: 'x' } }, any), 400, 'invalid_request')
  assertProblem(await move('m1/nothing', { path: 'c' }), 404, 'not_found')
  assertProblem(await move('m1/a/b', { path: 'a/b' }), 409, 'page_exists')
  const { rows: before } = await nodes.query(`select id from page where path = 'a/b' and title = 'Two'`)
  const moved = assertStatus(
    await admin.post('/pages/m1/a/b/move', { to: { path: 'c/d.md' } }, { 'if-match': '"2"' }),
    200,
  )
  assert.equal(moved.headers.get('etag'), '"2"')
  assert.equal(moved.json.page.path, 'c/d')
  assert.deepEqual(moved.json.moved, [
    { from: { space: 'm1', path: 'a/b' }, to: { space: 'm1', path: 'c/d' }, title: 'Two', version: 2 },
  ])
  const { rows: after } = await nodes.query(`select id from page where path = 'c/d' and title = 'Two'`)
  assert.deepEqual(after, before)
  assert.deepEqual(
    (await admin.all('/pages/m1/c/d/versions')).map((r) => r.version),
    [2, 1],
  )
  assert.deepEqual((await admin.get('/pages/m1/c/d/metadata')).json.metadata, { k: 1 })
  for (const [from, to] of [
    ['a/b', 'c/d'],
    ['a/b.md', 'c/d.md'],
    ['a/b?version=1', 'c/d?version=1'],
    ['a/b/versions?limit=1', 'c/d/versions?limit=1'],
    ['a/b/versions/1', 'c/d/versions/1'],
    ['a%2Fb/metadata', 'c/d/metadata'],
    ['a/b/links', 'c/d/links'],
  ]) {
    const answer = assertProblem(await admin.get(`/pages/m1/${from}`), 308, 'page_moved')
    assert.equal(redirectOf(answer), `/pages/m1/${to}`)
    assert.match(answer.headers.get('cache-control') ?? '', /no-store/)
  }
  for (const screen of ['history', 'edit', 'fragments/panel', 'fragments/neighbours', 'fragments/star']) {
    assert.equal(redirectOf(await admin.get(`/${screen}/m1/a/b`)), `/${screen}/m1/c/d`, screen)
  }
  assertProblem(await admin.delete('/pages/m1/a/b', any), 404, 'not_found')
  // Once more: the oldest address leads to where it stands, and not to where it stood.
  assertStatus(await move('m1/c/d', { path: 'links' }), 200)
  assert.equal(redirectOf(await admin.get('/pages/m1/a/b')), '/pages/m1/links')
  assert.equal(redirectOf(await admin.get('/pages/m1/c/d')), '/pages/m1/links')
  // Back again: as the next version, for versions never repeat at an address.
  assert.equal(assertStatus(await move('m1/links', { path: 'a/b' }), 200).json.page.version, 3)
  assert.equal(await body('m1/a/b'), '# Two')
  assert.equal(redirectOf(await admin.get('/pages/m1/c/d')), '/pages/m1/a/b')
  // A new page ends the redirect.
  assert.equal(assertStatus(await admin.put('/pages/m1/c/d', 'new'), 201).json.version, 3)
  assert.equal(await body('m1/c/d'), 'new')
  assertStatus(await admin.delete('/pages/m1/a/b', any), 204)
  assertProblem(await admin.get('/pages/m1/links'), 410, 'page_deleted')
  assertStatus(await admin.post('/pages/m1/a/b/restore'), 200)
  assertProblem(await admin.get('/pages/m1/links'), 308, 'page_moved')
  assertStatus(await admin.delete('/pages/m1/a/b?purge=true', any), 204)
  assertProblem(await admin.get('/pages/m1/links'), 404, 'not_found')
})

test('moving a subtree is all or nothing, also into itself', async () => {
  await make('tree', {
    t: 'root [x](./t/x)',
    't/x': '[up](../t) [y](./y)',
    't/x/z': 'z',
    't/y': 'y',
    t2: 'no child',
    'u/x': 'in the way',
  })
  const rejected = assertProblem(await move('tree/t', { path: 'u' }, { withChildren: true }), 409, 'page_exists')
  assert.deepEqual(
    rejected.json.refusals.map((r: { path: string }) => r.path),
    ['u/x'],
  )
  const dry = assertStatus(await move('tree/t', { path: 'u' }, { withChildren: true, dryRun: true }), 200).json
  assert.deepEqual([dry.dryRun, dry.page, dry.refusals.length], [true, null, 1])
  const long = 'x'.repeat(250)
  const deep = `${long}/${long}/${long}/${long}/${'y'.repeat(17)}`
  const order = { withChildren: true, dryRun: true }
  const tooLong = assertStatus(await move('tree/t', { path: deep }, order), 200).json
  assert.deepEqual(
    tooLong.refusals.map((r: { code: string; path: string }) => [r.code, r.path]),
    [['invalid_path', `${deep}/x/z`]],
  )
  assertStatus(await move('tree/t', { path: 't/x' }, { withChildren: true }), 200)
  assert.deepEqual(
    (await admin.all('/spaces/tree/pages')).map((page) => page.path),
    ['t/x', 't/x/x', 't/x/x/z', 't/x/y', 't2', 'u/x'],
  )
  assert.equal(await body('tree/t/x'), 'root [x](./t/x)')
  assert.equal((await admin.page('/pages/tree/t/x')).json.version, 2)
  assert.equal(redirectOf(await admin.get('/pages/tree/t')), '/pages/tree/t/x')
  assert.equal(redirectOf(await admin.get('/pages/tree/t/y')), '/pages/tree/t/x/y')
  const { outbound } = (await admin.get('/pages/tree/t/x/x/links')).json
  assert.deepEqual(
    outbound.map((link: { path: string; exists: boolean }) => [link.path, link.exists]),
    [
      ['t/t', false],
      ['t/x/y', true],
    ],
  )
})

test('links by an old address are marked as redirects; a move with rewriting changes nothing but their targets', async () => {
  await make('rw', {
    'old/a': '---\nx: 1\n---\n# A\n\n[sib](./b) [self](a.md) [out](/pages/rw/hub "T")\n',
    'old/b': '# B\n\n[to a](./a#part)\n',
    hub: '# Hub\r\n\r\n[a](/pages/rw/old/a "Title") `[a](/pages/rw/old/a)` [r]\r\n\r\n[r]: ./old/a#frag\r\n',
  })
  const dry = assertStatus(
    await move('rw/old/a', { path: 'new/deep/a2' }, { rewriteLinks: true, dryRun: true }),
    200,
  ).json
  assert.equal(await body('rw/old/a').then((text) => text.length > 0), true)
  assertStatus(await move('rw/old/a', { path: 'new/deep/a2' }), 200)
  const [direct, viaReference] = (await admin.get('/pages/rw/hub/links')).json.outbound
  assert.deepEqual([direct.path, direct.exists, direct.redirected, direct.title], ['old/a', true, true, 'A'])
  assert.deepEqual([viaReference.path, viaReference.redirected], ['old/a', true])
  assert.deepEqual(
    (await admin.all('/spaces/rw/links/broken')).map((l) => l.target.path),
    ['new/deep/b', 'new/deep/a'],
  )
  assert.doesNotMatch((await admin.get('/pages/rw/hub')).text, /class="missing"/)
  assertStatus(await move('rw/new/deep/a2', { path: 'old/a' }), 200)

  // The default.
  const done = assertStatus(await move('rw/old/a', { path: 'new/deep/a2' }, { rewriteLinks: undefined }), 200).json
  assert.deepEqual(done.rewritten, dry.rewritten)
  assert.deepEqual(done.left, [])
  assert.deepEqual(
    done.rewritten.map((r: { path: string }) => r.path),
    ['new/deep/a2', 'hub', 'old/b'],
  )
  assert.equal(
    await body('rw/new/deep/a2'),
    '---\nx: 1\n---\n# A\n\n[sib](../../old/b) [self](a2.md) [out](/pages/rw/hub "T")\n',
  )
  assert.equal(await body('rw/old/b'), '# B\n\n[to a](../new/deep/a2#part)\n')
  assert.equal(
    await body('rw/hub'),
    '# Hub\r\n\r\n[a](/pages/rw/new/deep/a2 "Title") `[a](/pages/rw/old/a)` [r]\r\n\r\n[r]: ./new/deep/a2#frag\r\n',
  )
  const [latest] = await admin.all('/pages/rw/hub/versions')
  assert.equal(latest.note, 'Links follow a move')
  assert.equal(latest.version, 2)
  assert.deepEqual(
    (await admin.get('/pages/rw/new/deep/a2/links')).json.backlinks.map((l: { path: string }) => l.path).sort(),
    ['hub', 'new/deep/a2', 'old/b'],
  )
  assert.deepEqual(await admin.all('/spaces/rw/links/broken'), [])
  const before = await stored()
  assertStatus(await admin.post('/links/rebuild'), 200)
  assert.deepEqual(await stored(), before)
})

test('links to an address that the page had before, and by a slug that its space had, are rewritten as well', async () => {
  await make('rf', { 'top/page': '# P', 'top/page/child': '# C', 'old/stays': '# S' })
  await make('rg', { notes: '# N' })
  const hub =
    '[1](/pages/rf/top/page) [2](/pages/rf/top/page/child#f "T") [3](/pages/rf/old/stays) `/pages/rf/top/page`\n'
  assertStatus(await admin.put('/pages/rg/hub', hub), 201)
  assertStatus(await admin.put('/pages/rf/near', '[1](./top/page) [2](top/page/child.md)'), 201)
  assertStatus(await admin.patch('/spaces/rf', { slug: 'rf-now' }), 200)
  // Twice away without rewriting: links go on by the first address, and by the slug of then.
  assertStatus(await move('rf-now/top/page', { path: 'second' }, { withChildren: true }), 200)
  assertStatus(await move('rf-now/second', { path: 'third' }, { withChildren: true }), 200)
  const more = { withChildren: true, rewriteLinks: true }
  const to = { space: 'rg', path: 'end' }
  const dry = assertStatus(await move('rf-now/third', to, { ...more, dryRun: true }), 200).json
  const done = assertStatus(await move('rf-now/third', to, more), 200).json
  assert.deepEqual(done.rewritten, dry.rewritten)
  assert.deepEqual(done.left, [])
  assert.deepEqual(done.rewritten.map((page: { space: string; path: string }) => `${page.space}/${page.path}`).sort(), [
    'rf-now/near',
    'rg/hub',
  ])
  assert.equal(
    await body('rg/hub'),
    '[1](/pages/rg/end) [2](/pages/rg/end/child#f "T") [3](/pages/rf/old/stays) `/pages/rf/top/page`\n',
  )
  assert.equal(await body('rf-now/near'), '[1](/pages/rg/end) [2](/pages/rg/end/child.md)')
  const { outbound } = (await admin.get('/pages/rg/hub/links')).json
  assert.deepEqual(
    outbound.map((link: { redirected?: boolean }) => link.redirected ?? false),
    // The third page has not moved: its space has another slug.
    [false, false, true],
  )
  const before = await stored()
  assertStatus(await admin.post('/links/rebuild'), 200)
  assert.deepEqual(await stored(), before)
})

test('a move to another space keeps all data of a page and moves the key counts', async () => {
  await make('from', { 'p/a': '# A [b](./b) [far](/pages/to/x)', 'p/b': '# Find me', src: '[a](./p/a)' })
  await admin.space('to')
  assertStatus(await admin.patch('/pages/from/p/a/metadata', { set: { colour: 'red' } }), 200)
  assertStatus(await admin.patch('/pages/from/p/a/metadata', { append: { tags: 'x' } }), 200)
  assertStatus(await admin.put('/pages/from/p', 'parent'), 201)
  assertStatus(await move('from/p', { space: 'to', path: 'q' }, { withChildren: true, rewriteLinks: true }), 200)
  assert.deepEqual(
    (await admin.all('/spaces/to/pages')).map((p) => p.path),
    ['q', 'q/a', 'q/b'],
  )
  assert.deepEqual(
    (await admin.all('/spaces/from/pages')).map((p) => p.path),
    ['src'],
  )
  assert.equal(await body('from/src'), '[a](/pages/to/q/a)')
  assert.equal(await body('to/q/a'), '# A [b](./b) [far](/pages/to/x)')
  assert.equal(redirectOf(await admin.get('/pages/from/p/a')), '/pages/to/q/a')
  assert.deepEqual((await admin.get('/pages/to/q/a/metadata')).json.metadata, { colour: 'red', tags: ['x'] })
  assert.equal((await admin.all('/pages/to/q/a/metadata/history')).length, 2)
  assert.deepEqual(await admin.all('/search/metadata/keys?space=from'), [])
  assert.deepEqual(
    (await admin.all('/search/metadata/keys?space=to')).map((k) => k.key),
    ['colour', 'tags'],
  )
  assert.deepEqual(
    (await admin.all('/search?q=find&space=to')).map((h) => h.path),
    ['q/b'],
  )
  assert.deepEqual(
    (await admin.all('/spaces/to/links/broken')).map((l) => l.target.path),
    ['x'],
  )
  assertStatus(await admin.patch('/pages/to/q/a/metadata', { set: { colour: 'blue' } }), 200)
  const before = await stored()
  assertStatus(await admin.post('/links/rebuild'), 200)
  assert.deepEqual(await stored(), before)
  // Redirects of another space end with the space that they lead to.
  assertStatus(await admin.delete('/spaces/to?force=true'), 204)
  assertProblem(await admin.get('/pages/from/p/a'), 404, 'not_found')
  const { rows } = await nodes.query(`select count(*)::int as n from page_address a where moved_page_id is not null
    and not exists (select 1 from page p where p.space_id = a.moved_space_id and p.id = a.moved_page_id)`)
  assert.equal(rows[0].n, 0)
})

test('a move needs the editor role in both spaces and reveals no page that the caller cannot read', async () => {
  const ed = await newOwner(admin, 'Mover')
  const vi = await newPerson(admin, 'Looker')
  await make('ra', { a: 'a', l: '[a](./a)' })
  await make('rb', { x: '[a](/pages/ra/a)' })
  await admin.space('rc', { visibility: 'private' })
  assertStatus(await admin.put('/pages/rc/secret', '[a](/pages/ra/a)'), 201)
  assertStatus(await admin.call('PUT', `/spaces/ra/members/${ed.id}`, { json: { role: 'editor' } }), 201)
  assertProblem(await move('ra/a', { path: 'b' }, {}, vi.client), 403, 'forbidden')
  assertProblem(await move('ra/a', { space: 'rb', path: 'b' }, {}, ed.client), 403, 'forbidden')
  assertProblem(await move('ra/a', { space: 'rc', path: 'b' }, {}, ed.client), 404, 'not_found')
  const done = assertStatus(await move('ra/a', { path: 'b' }, { rewriteLinks: true }, ed.client), 200).json
  assert.deepEqual(
    done.rewritten.map((r: { path: string }) => r.path),
    ['l'],
  )
  assert.deepEqual(done.left, [{ space: 'rb', path: 'x', line: null, href: null, reason: 'forbidden' }])
  assertStatus(
    await admin.post('/pages/ra/b/move', { to: { space: 'rc', path: 'hidden' }, rewriteLinks: false }, any),
    200,
  )
  assertProblem(await ed.client.get('/pages/ra/a'), 404, 'not_found')
  assertProblem(await ed.client.get('/pages/ra/b'), 404, 'not_found')
  assertProblem(await admin.get('/pages/ra/a'), 308, 'page_moved')
  const [link] = (await ed.client.get('/pages/ra/l/links')).json.outbound
  assert.deepEqual([link.exists, link.title, link.redirected], [false, null, false])
  // A personal page goes to a space and back.
  assertStatus(await ed.client.put('/pages/personal/mine', '[o](./other) [p](/pages/personal/other)'), 201)
  const out = assertStatus(
    await move('personal/mine', { space: 'ra', path: 'ours' }, { rewriteLinks: true }, ed.client),
    200,
  ).json
  assert.deepEqual(
    out.left.map((l: { href: string }) => l.href),
    ['./other', '/pages/personal/other'],
  )
  assert.equal(redirectOf(await ed.client.get('/pages/personal/mine')), '/pages/ra/ours')
  assertStatus(await move('ra/ours', { space: 'personal', path: 'mine' }, {}, ed.client), 200)
  assertProblem(await admin.get('/pages/ra/ours'), 404, 'not_found')
  assertProblem(await ed.client.get('/pages/ra/ours'), 308, 'page_moved')
})

test('a move records page.moved with the former address, and a rewrite page.updated', async () => {
  await make('ev', { a: '# A', b: '[a](./a)' })
  assertStatus(await move('ev/a', { path: 'c' }, { rewriteLinks: true }), 200)
  const { rows } = await nodes.query(
    `select kind, data, other_path from event where space_id = (select id from space where slug = 'ev') and kind in ('page.moved', 'page.updated') order by seq`,
  )
  assert.deepEqual(rows, [
    { kind: 'page.moved', data: { path: 'c', title: 'A', version: 1 }, other_path: 'a' },
    { kind: 'page.updated', data: { path: 'b', title: 'b', version: 2 }, other_path: null },
  ])
})
