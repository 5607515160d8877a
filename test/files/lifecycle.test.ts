import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client, redirectOf } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { getBytes, png, putBytes } from '../support/files.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
})
after(() => nodes[Symbol.asyncDispose]())

async function make(space: string, pages: readonly string[], files: readonly string[]): Promise<void> {
  await admin.space(space)
  for (const path of pages) assertStatus(await admin.put(`/pages/${space}/${path}`, `# ${path}`), 201)
  for (const [index, path] of files.entries()) {
    assertStatus(await putBytes(admin, `/files/${space}/${path}`, png(index + 1, 1)), 201)
  }
}

const paths = async (space: string): Promise<string[]> =>
  (await admin.all(`/spaces/${space}/files`)).map(({ path }) => path)
/** The two events of a kind in the feed of a space. */
async function eventsOf(space: string, kind: string) {
  const read = async () => (await admin.get(`/changes?space=${space}&kinds=${kind}`)).json.items
  await until(async () => (await read()).length === 2)
  return (await read()) as { readonly from?: unknown; readonly file: { readonly path: string } }[]
}

const moveFolder = (space: string, path: string, to: object, more: object = {}, client = admin) =>
  client.post(`/spaces/${space}/move-folder`, { path, to, ...more })
const deleteFolder = (space: string, path: string, more: object = {}, client = admin) =>
  client.post(`/spaces/${space}/delete-folder`, { path, ...more })

test('moving a folder moves the files below it, and their old addresses redirect', async () => {
  await make('la', ['guide/a', 'guide/b/c'], ['guide/a.png', 'guide/b/d.png', 'guide', 'guide-x.png'])
  const dry = assertStatus(await moveFolder('la', 'guide', { path: 'book' }, { dryRun: true }), 200).json
  assert.deepEqual(dry.files, [
    { from: { space: 'la', path: 'guide/a.png' }, to: { space: 'la', path: 'book/a.png' }, version: 1 },
    { from: { space: 'la', path: 'guide/b/d.png' }, to: { space: 'la', path: 'book/b/d.png' }, version: 1 },
  ])
  assert.deepEqual(await paths('la'), ['guide', 'guide-x.png', 'guide/a.png', 'guide/b/d.png'])
  const done = assertStatus(await moveFolder('la', 'guide', { path: 'book' }), 200).json
  assert.deepEqual(done, { ...dry, dryRun: false })
  assert.deepEqual(await paths('la'), ['book/a.png', 'book/b/d.png', 'guide', 'guide-x.png'])
  const former = await getBytes(admin, '/files/la/guide/b/d.png')
  assert.deepEqual([former.status, redirectOf(former)], [308, '/files/la/book/b/d.png'])
  assert.equal(redirectOf(await getBytes(admin, '/file/la/guide/b/d.png')), '/file/la/book/b/d.png')
  const moved = (await eventsOf('la', 'file.moved')).map(({ from, file }) => [from, file.path])
  assert.deepEqual(moved, [
    [{ space: 'la', path: 'guide/a.png' }, 'book/a.png'],
    [{ space: 'la', path: 'guide/b/d.png' }, 'book/b/d.png'],
  ])
  // Into itself, and to another space with its bytes.
  assertStatus(await moveFolder('la', 'book', { path: 'book/b' }), 200)
  assert.deepEqual(await paths('la'), ['book/b/a.png', 'book/b/b/d.png', 'guide', 'guide-x.png'])
  await admin.space('lb')
  assertStatus(await moveFolder('la', 'book/b', { space: 'lb', path: 'n' }), 200)
  assert.deepEqual(await paths('lb'), ['n/a.png', 'n/b/d.png'])
  assert.ok((await getBytes(admin, '/files/lb/n/a.png')).bytes.equals(png(1, 1)))
})

test('a page moves with the files below it if its children move, else without them', async () => {
  await make('lc', ['p', 'p/q'], ['p/a.png', 'p.png'])
  const alone = await admin.post('/pages/lc/p/move', { to: { path: 'r' } }, { 'if-match': '*' })
  assert.deepEqual(assertStatus(alone, 200).json.files, [])
  assert.deepEqual(await paths('lc'), ['p.png', 'p/a.png'])
  const back = { to: { path: 'p' }, withChildren: true }
  assertStatus(await admin.post('/pages/lc/r/move', back, { 'if-match': '*' }), 200)
  const move = { to: { path: 's' }, withChildren: true }
  const all = assertStatus(await admin.post('/pages/lc/p/move', move, { 'if-match': '*' }), 200).json
  assert.deepEqual(
    all.files.map(({ to }: { to: { path: string } }) => to.path),
    ['s/a.png'],
  )
  assert.deepEqual(await paths('lc'), ['p.png', 's/a.png'])
})

test('a file at the target of another one prevents the complete move', async () => {
  await make('ld', ['x/a'], ['x/a.png', 'y/a.png'])
  const rejected = assertProblem(await moveFolder('ld', 'x', { path: 'y' }), 409, 'file_exists')
  assert.deepEqual(
    rejected.json.refusals.map(({ code, path }: { code: string; path: string }) => [code, path]),
    [['file_exists', 'y/a.png']],
  )
  const dry = assertStatus(await moveFolder('ld', 'x', { path: 'y' }, { dryRun: true }), 200).json
  assert.deepEqual(dry.refusals[0].code, 'file_exists')
  assert.deepEqual(await paths('ld'), ['x/a.png', 'y/a.png'])
  assertStatus(await admin.get('/pages/ld/x/a'), 200)
  // Versions never restart at an address.
  assertStatus(await admin.delete('/files/ld/y/a.png', { 'if-match': '*' }), 204)
  assert.equal(assertStatus(await moveFolder('ld', 'x', { path: 'y' }), 200).json.files[0].version, 2)
})

test('a folder that has only files is moved and deleted', async () => {
  await make('le', [], ['img/a.png', 'img/b.png'])
  assertStatus(await moveFolder('le', 'img', { path: 'pictures' }), 200)
  const gone = assertStatus(await deleteFolder('le', 'pictures'), 200).json
  assert.deepEqual(
    [gone.deleted, gone.files.map(({ path }: { path: string }) => path)],
    [[], ['pictures/a.png', 'pictures/b.png']],
  )
  assertProblem(await deleteFolder('le', 'pictures'), 404, 'not_found')
  assertProblem(await moveFolder('le', 'pictures', { path: 'z' }), 404, 'not_found')
})

test('deleting a folder moves its files to the trash, and each can be restored', async () => {
  await make('lf', ['g/a'], ['g/a.png', 'g/b/c.png', 'g'])
  const dry = assertStatus(await deleteFolder('lf', 'g', { dryRun: true }), 200).json
  assert.deepEqual(dry.files, [
    { space: 'lf', path: 'g/a.png', version: 1 },
    { space: 'lf', path: 'g/b/c.png', version: 1 },
  ])
  assert.equal((await paths('lf')).length, 3)
  assert.deepEqual(assertStatus(await deleteFolder('lf', 'g'), 200).json, { ...dry, dryRun: false })
  assert.deepEqual(await paths('lf'), ['g'])
  assertProblem(await admin.get('/files/lf/g/a.png'), 410, 'file_deleted')
  const trash = await admin.all('/spaces/lf/files/trash')
  assert.deepEqual(
    trash.map(({ path, restorable }) => [path, restorable]),
    [
      ['g/a.png', true],
      ['g/b/c.png', true],
    ],
  )
  for (const path of ['g/a.png', 'g/b/c.png']) assertStatus(await admin.post(`/files/lf/${path}/restore`), 200)
  assert.ok((await getBytes(admin, '/files/lf/g/b/c.png')).bytes.equals(png(2, 1)))
  assert.equal((await eventsOf('lf', 'file.deleted')).length, 2)
})

test('the forms that move and delete a folder name its files', async () => {
  await make('lw', ['h/a'], ['h/a.png'])
  const form = (target: string, fields: Readonly<Record<string, string>>) =>
    admin.call('POST', target, {
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  const preview = await form('/move-folder/lw/h', { path: 'i', action: 'check' })
  assert.match(assertStatus(preview, 200).text, /1 page moves, and with them 1 file;[\s\S]*lw\/i\/a\.png/)
  const asked = await admin.get('/delete-folder/lw/h', { accept: 'text/html' })
  assert.match(assertStatus(asked, 200).text, /1 page and 1 file go to the trash/)
  const deleted = assertStatus(await form('/delete-folder/lw/h', {}), 303)
  assert.match(decodeURIComponent(deleted.headers.get('set-cookie') ?? ''), /\/files\/lw\/h\/a\.png\/restore/)
})

test('files that are written while their folder moves are neither lost nor duplicated', async () => {
  await admin.space('lrace')
  const [one, two] = nodes.admins
  for (let round = 0; round < 6; round++) {
    const names = ['a', 'b', 'c']
    for (const name of names) {
      assertStatus(await putBytes(one, `/files/lrace/${round}/x/${name}`, Buffer.from(name)), 201)
    }
    const answers = await Promise.all([
      moveFolder('lrace', `${round}/x`, { path: `${round}/y` }, {}, one),
      putBytes(two, `/files/lrace/${round}/x/b`, Buffer.from('new'), { 'if-match': '"1"' }),
      putBytes(two, `/files/lrace/${round}/x/d`, Buffer.from('d')),
      moveFolder('lrace', `${round}/x`, { path: `${round}/z` }, {}, two),
      deleteFolder('lrace', `${round}/x`, {}, one),
    ])
    for (const { status, text } of answers) assert.ok([200, 201, 404, 409, 410, 412].includes(status), text)
    const live = (await admin.all(`/spaces/lrace/files?prefix=${round}/`)).map(({ path }) => path)
    const trash = (await admin.all('/spaces/lrace/files/trash'))
      .map(({ path }) => path)
      .filter((path) => path.startsWith(`${round}/`))
    const all = [...live, ...trash].map((path) => path.slice(-1)).sort()
    assert.deepEqual(all, [...names, ...(answers[2].status === 201 ? ['d'] : [])])
    for (const path of live.filter((path) => path.endsWith('/b'))) {
      const { bytes } = await getBytes(admin, `/files/lrace/${path}`)
      assert.equal(bytes.toString(), answers[1].status === 200 ? 'new' : 'b')
    }
  }
})
