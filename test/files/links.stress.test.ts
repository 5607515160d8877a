import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { png, putBytes } from '../support/files.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson } from '../support/people.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
})
after(() => nodes[Symbol.asyncDispose]())

async function make(space: string, pages: Readonly<Record<string, string>>, files: readonly string[]) {
  await admin.space(space)
  for (const [path, body] of Object.entries(pages)) {
    assertStatus(await admin.put(`/pages/${space}/${path}`, body), 201)
  }
  for (const [index, path] of files.entries()) {
    assertStatus(await putBytes(admin, `/files/${space}/${path}`, png(index + 1, 1)), 201)
  }
}

const object = async (path: string, client = admin) =>
  assertStatus(await client.get(`/files/${path}`, { accept: 'application/json' }), 200).json
const users = async (path: string, client = admin): Promise<string[]> =>
  (await object(path, client)).usedBy.map((page: { space: string; path: string }) => `${page.space}/${page.path}`)
const unused = async (space: string, client = admin): Promise<string[]> =>
  (await client.all(`/spaces/${space}/files?unused=true`)).map(({ path }) => path)
const broken = async (space: string, client = admin) =>
  (await client.all(`/spaces/${space}/links/broken`)).map(
    ({ kind, source, target, line }) => `${kind} ${source.path}:${line} ${target.space}/${target.path}`,
  )
const body = async (path: string): Promise<string> =>
  assertStatus(await admin.get(`/pages/${path}`, { accept: 'text/markdown' }), 200).text
const moveFile = (path: string, to: object, more: object = {}, client = admin) =>
  client.post(`/files/${path}/move`, { to, ...more }, { 'if-match': '*' })

test('a file names the pages that refer to it, and those without any are listed as unused', async () => {
  await make(
    'fla',
    {
      'g/image': '![A](./a.png) ![again](a.png)',
      'g/link': 'See [the picture](./a.png).',
      other: '<img src="/files/fla/g/a.png">',
      code: '`![A](g/a.png)` and `a.png`',
      'g/page': '[P](./p.pdf)',
      'g/p.pdf': '# A page takes precedence',
    },
    ['g/a.png', 'g/p.pdf', 'alone.png'],
  )
  assert.deepEqual(await users('fla/g/a.png'), ['fla/g/image', 'fla/g/link', 'fla/other'])
  assert.deepEqual((await object('fla/g/a.png')).usedBy[0], { space: 'fla', path: 'g/image', title: 'image' })
  assert.deepEqual(await users('fla/g/p.pdf'), [])
  assert.deepEqual(await unused('fla'), ['alone.png', 'g/p.pdf'])
  const { items } = (await admin.get('/spaces/fla/files?prefix=g/a')).json
  assert.equal(items[0].usedBy.length, 3)
  // A new reference changes the tag of the object, and not the version.
  const tag = async () => (await admin.get('/files/fla/alone.png', { accept: 'application/json' })).headers.get('etag')
  const before = await tag()
  assertStatus(await admin.put('/pages/fla/new', '![](alone.png)'), 201)
  assert.notEqual(await tag(), before)
  assert.deepEqual(await users('fla/alone.png'), ['fla/new'])
  for (const path of ['g/image', 'g/link', 'other', 'g/p.pdf']) {
    assertStatus(await admin.delete(`/pages/fla/${path}`, { 'if-match': '*' }), 204)
  }
  assert.deepEqual(await unused('fla'), ['g/a.png'])
  assert.deepEqual(await users('fla/g/p.pdf'), ['fla/g/page'])
  assertStatus(await admin.post('/pages/fla/g/image/restore'), 200)
  assert.deepEqual(await users('fla/g/a.png'), ['fla/g/image'])
  assert.deepEqual(
    (await admin.get('/pages/fla/g/image/links')).json.files.map(({ url: _, ...file }: { url: string }) => file),
    [{ space: 'fla', path: 'g/a.png', text: 'A', line: 1, exists: true }],
  )
})

test('links to missing files are broken links with a kind, and resolve when the file is created', async () => {
  await make(
    'flb',
    {
      a: '# A\n\n![x](img/x.png)\n[y](./y.pdf) [z](./z)\n[again](./y.pdf) ![x](./img/x.png)',
      b: '![n](/files/none/x.png) [w](https://example.org/a.png) ![data](data:image/png;base64,AA==)',
    },
    [],
  )
  const page = 'page a:4 flb/z'
  assert.deepEqual(
    await broken('flb'),
    ['file a:3 flb/img/x.png', 'file a:4 flb/y.pdf', page, 'file b:1 none/x.png'].sort(byLine),
  )
  const one = (await admin.get('/spaces/flb/links/broken?limit=1')).json
  assert.equal(one.items.length, 1)
  assert.equal((await admin.all('/spaces/flb/links/broken?limit=1')).length, 4)
  assert.deepEqual(
    (await admin.all('/spaces/flb/links/wanted')).map(({ path }) => path),
    ['z'],
  )
  assertStatus(await putBytes(admin, '/files/flb/img/x.png', png(1, 1)), 201)
  assertStatus(await admin.put('/pages/flb/y.pdf', '# Y'), 201)
  assert.deepEqual(await broken('flb'), [page, 'file b:1 none/x.png'])
  assertStatus(await admin.delete('/files/flb/img/x.png', { 'if-match': '*' }), 204)
  assert.ok((await broken('flb')).includes('file a:3 flb/img/x.png'))
})

/** The order of the report: by page, then by place. */
function byLine(one: string, other: string): number {
  const place = (line: string) => line.replace(/^\w+ /, '').split(' ')[0] ?? ''
  return place(one) < place(other) ? -1 : place(one) > place(other) ? 1 : 0
}

test('moving a file rewrites images and links to it, and its old URL redirects', async () => {
  await make(
    'flc',
    {
      'g/a': '![A](./x.png "T") [l](x.png#p) <img src="x.png"> `x.png` [r][r]\n\n[r]: ./x.png\n',
      top: '![A](g/x.png) [abs](/files/flc/g/x.png?download=true)',
      other: '![B](g/y.png)',
    },
    ['g/x.png', 'g/y.png'],
  )
  const dry = assertStatus(await moveFile('flc/g/x.png', { path: 'img/z.png' }, { dryRun: true }), 200).json
  assert.deepEqual([dry.dryRun, dry.path, dry.rewritten.length, dry.left], [true, 'img/z.png', 2, []])
  assert.equal((await object('flc/g/x.png')).version, 1)
  const done = assertStatus(await moveFile('flc/g/x.png', { path: 'img/z.png' }), 200).json
  assert.deepEqual(done.rewritten, dry.rewritten)
  assert.equal(
    await body('flc/g/a'),
    '![A](../img/z.png "T") [l](../img/z.png#p) <img src="../img/z.png"> `x.png` [r][r]\n\n[r]: ../img/z.png\n',
  )
  assert.equal(await body('flc/top'), '![A](img/z.png) [abs](/files/flc/img/z.png?download=true)')
  assert.equal(await body('flc/other'), '![B](g/y.png)')
  assert.deepEqual(await users('flc/img/z.png'), ['flc/g/a', 'flc/top'])
  // Without rewriting, references by the old address still count.
  assertStatus(await moveFile('flc/img/z.png', { path: 'z.png' }, { rewriteLinks: false }), 200)
  assert.deepEqual(await users('flc/z.png'), ['flc/g/a', 'flc/top'])
  assert.deepEqual(await broken('flc'), [])
  // The next move rewrites them, too; in another space by the absolute address.
  await admin.space('fld')
  assertStatus(await moveFile('flc/z.png', { space: 'fld', path: 'w.png' }), 200)
  assert.equal(await body('flc/top'), '![A](/files/fld/w.png) [abs](/files/fld/w.png?download=true)')
  assertProblem(await moveFile('fld/w.png', { space: 'flc', path: 'g/y.png' }), 409, 'file_exists')
})

test('a page that moves alone keeps its images, and a folder keeps the bytes of its pages', async () => {
  await make(
    'fle',
    {
      'a/b/page': '![A](./x.png) ![B](../y.png) [C](./z.pdf) [D](./other) [E](LICENSE)',
      'a/b/other': '![A](x.png)',
      top: '![A](a/b/x.png)',
    },
    ['a/b/x.png', 'a/y.png', 'a/b/z.pdf'],
  )
  const to = { to: { path: 'page' } }
  assertStatus(await admin.post('/pages/fle/a/b/page/move', to, { 'if-match': '*' }), 200)
  assert.equal(
    await body('fle/page'),
    '![A](./a/b/x.png) ![B](./a/y.png) [C](./a/b/z.pdf) [D](./a/b/other) [E](a/b/LICENSE)',
  )
  const moved = assertStatus(await admin.post('/spaces/fle/move-folder', { path: 'a/b', to: { path: 'n' } }), 200).json
  assert.equal(moved.files.length, 2)
  assert.equal(await body('fle/page'), '![A](./n/x.png) ![B](./a/y.png) [C](./n/z.pdf) [D](./n/other) [E](a/b/LICENSE)')
  assert.equal(await body('fle/top'), '![A](n/x.png)')
  assert.deepEqual(
    [await body('fle/n/other'), (await admin.get('/pages/fle/n/other')).headers.get('etag')?.[1]],
    ['![A](x.png)', '1'],
  )
  // To another space, where the files do not follow.
  await admin.space('flf')
  const across = { to: { space: 'flf', path: 'page' } }
  assertStatus(await admin.post('/pages/fle/page/move', across, { 'if-match': '*' }), 200)
  assert.equal(
    await body('flf/page'),
    '![A](/files/fle/n/x.png) ![B](/files/fle/a/y.png) [C](/files/fle/n/z.pdf) [D](/pages/fle/n/other) [E](/files/fle/a/b/LICENSE)',
  )
})

test('no response mentions pages and files that the reader cannot see', async () => {
  await make('flg', { p: '![](x.png) ![](/files/flsecret/s.png)' }, ['x.png', 'y.png'])
  await admin.space('flsecret', { visibility: 'private' })
  assertStatus(await admin.put('/pages/flsecret/q', '![](/files/flg/y.png)'), 201)
  const { client, id } = await newPerson(admin, 'Editor')
  assertStatus(await admin.call('PUT', `/spaces/flg/members/${id}`, { json: { role: 'editor' } }), 201)
  assert.deepEqual(await users('flg/y.png'), ['flsecret/q'])
  assert.deepEqual(await users('flg/y.png', client), [])
  assert.deepEqual(await unused('flg', client), ['y.png'])
  assert.deepEqual(await unused('flg'), [])
  // Who does not see the space is told the address as it is written, and that there may be no such space.
  assert.deepEqual(await broken('flg'), ['file p:1 flsecret/s.png'])
  assert.deepEqual(await broken('flg', client), ['file p:1 flsecret/s.png'])
  const reasons = async (of: Client) => (await of.all('/spaces/flg/links/broken')).map(({ reason }) => reason)
  assert.deepEqual([await reasons(admin), await reasons(client)], [['missing'], ['no_space_or_access']])
  // Nothing in HTML tells such a space from none.
  await make(
    'fli',
    { p: '![A](/files/flsecret/s.png) ![](/files/nowhere/s.png) [![B](/files/nowhere/s.png)](https://b.example)' },
    [],
  )
  const { text } = await client.get('/pages/fli/p', { accept: 'text/html' })
  assert.deepEqual(text.match(/<span class="missing-file".*?<\/span>/g), [
    '<span class="missing-file" role="img" title="No such space, or no access">A (s.png)</span>',
    '<span class="missing-file" role="img" title="No such space, or no access">s.png</span>',
    '<span class="missing-file" role="img" title="No such space, or no access">B (s.png)</span>',
  ])
  assert.doesNotMatch(text, /<img[^>]*s\.png/)
  const links = (await client.get('/pages/flg/p/links')).json.files
  assert.deepEqual(
    links.map(({ path, exists }: { path: string; exists: boolean | null }) => [path, exists]),
    [
      ['x.png', true],
      ['s.png', null],
    ],
  )
  const moved = assertStatus(await moveFile('flg/y.png', { path: 'z.png' }, {}, client), 200).json
  assert.deepEqual([moved.rewritten, moved.left, moved.usedBy], [[], [], []])
  assert.deepEqual(await users('flg/z.png'), ['flsecret/q'])
})

test('a rebuild of the links restores the references to files', async () => {
  await make('flh', { p: '![](x.png)' }, ['x.png'])
  await nodes.query(`delete from file_link where space_id = (select id from space where slug = 'flh')`)
  assert.deepEqual(await users('flh/x.png'), [])
  assertStatus(await admin.post('/links/rebuild?space=flh'), 200)
  assert.deepEqual(await users('flh/x.png'), ['flh/p'])
})
