import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { renameSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { computeSha256 } from '@recto/cli/folder-sync/entry.ts'
import pg from 'pg'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { getBytes, png, putBytes } from '../support/files.ts'
import { type Service, startService } from '../support/service.ts'
import { RECTO } from '../support/terminal.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { type SyncFolder, syncFolder } from './folder.ts'

let service: Service
before(async () => {
  service = await startService()
})
after(() => service[Symbol.asyncDispose]())

async function cloned(space: string, pages: Readonly<Record<string, string>>): Promise<SyncFolder> {
  await service.admin.space(space)
  for (const [path, text] of Object.entries(pages))
    assertStatus(await service.admin.put(`/pages/${space}/${path}`, text), 201)
  const folder = syncFolder(service)
  const { code, err, out } = await folder.clone(space)
  assert.equal(code, 0, err + out)
  return folder
}

const body = async (path: string) => assertStatus(await service.admin.page(`/pages/${path}`), 200).json.body

test('files are synchronised both ways, and one that both sides changed keeps both', async () => {
  using folder = await cloned('files', {})
  const [one, two] = [png(2, 2), png(3, 3)]
  folder.write('img/a.png', one)
  assert.equal((await folder.run('push')).code, 0)
  const { etag } = assertStatus(await service.admin.page('/files/files/img/a.png'), 200).json
  assert.ok((await getBytes(service.admin, '/files/files/img/a.png')).bytes.equals(one))
  assertStatus(await putBytes(service.admin, '/files/files/img/a.png', two, { 'if-match': etag }), 200)
  folder.write('img/a.png', 'mine')
  const conflicting = await folder.run('sync')
  assert.equal(conflicting.code, 4, conflicting.out + conflicting.err)
  const copy = Object.keys(folder.files()).find((name) => name.includes('(conflict '))
  assert.ok(copy)
  assert.equal(folder.read(copy), 'mine')
  assert.equal(folder.read('img/a.png'), two.toString('utf8'))
  assert.match((await folder.run('status')).out, /Conflicts.*\n {2}img\/a \(conflict/)
  assert.equal((await folder.run('resolve', copy, '--keep', 'both')).code, 0)
  assert.equal((await folder.run('sync')).code, 0)
  const paths = assertStatus(await service.admin.get('/spaces/files/files'), 200).json.items.map(
    ({ path }: { path: string }) => path,
  )
  assert.equal(paths.length, 2)
  assert.ok(paths.includes('img/a.png'))
})

/** A file whose complete text is in conflict. */
const markedFile = (mine: string, theirs: string, version: number) =>
  `<<<<<<< yours\n${mine}\n=======\n${theirs}\n>>>>>>> version ${version} (${computeSha256(Buffer.from(theirs)).slice(0, 8)})\n`

test('after a restore of the service a text of the folder is not overwritten by an older one', async () => {
  using folder = await cloned('restored', { a: 'one', b: 'two', c: 'three' })
  // Version 1 had another text in the time that was lost, and `c` was not there.
  const base = JSON.parse(folder.read('.recto/base.json'))
  for (const entry of base.entries.slice(0, 1)) entry.digest = '0'.repeat(64)
  base.lastEvent = 'lost'
  folder.write('.recto/base.json', JSON.stringify(base))
  folder.write('a.md', 'text of the lost time')
  assertStatus(await service.admin.delete('/pages/restored/c?purge=true', { 'if-match': '*' }), 204)
  const pulled = await folder.run('pull')
  assert.equal(pulled.code, 4, pulled.out + pulled.err)
  assert.equal(folder.read('a.md'), markedFile('text of the lost time', 'one', 1))
  assert.equal(folder.read('c.md'), 'three')
  assert.equal((await folder.run('resolve', 'a.md', '--keep', 'mine')).code, 0)
  assert.equal((await folder.run('push')).code, 0)
  assert.equal(await body('restored/a'), 'text of the lost time\n')
  assert.equal(await body('restored/c'), 'three')
})

test('a folder follows a new slug of its space, and does not take another space for it', async () => {
  using folder = await cloned('slug-one', { a: 'one' })
  assertStatus(await service.admin.patch('/spaces/slug-one', { slug: 'slug-two' }), 200)
  folder.write('a.md', 'edited')
  const pushed = await folder.run('push')
  assert.equal(pushed.code, 0, pushed.out + pushed.err)
  assert.equal(await body('slug-two/a'), 'edited')
  assertStatus(await service.admin.delete('/spaces/slug-two?force=true'), 204)
  await service.admin.space('slug-two')
  // The feed shows an event once no open transaction can precede it.
  let other = await folder.run('sync')
  await until(async () => {
    if (other.code === 0) other = await folder.run('sync')
    return other.code !== 0
  })
  assert.equal(other.code, 2)
  assert.match(other.err, /another one than this folder was cloned from/)
})

test('a folder follows a new slug of its space before the feed tells of it', async () => {
  using folder = await cloned('slug-early', { a: 'one', b: 'two' })
  assert.equal((await folder.run('sync')).code, 0)
  await using database = await createTestDatabase()
  const client = new pg.Client(database.connection)
  await client.connect()
  try {
    // The feed waits for each older transaction of the server.
    await client.query('begin')
    await client.query('select pg_current_xact_id()')
    assertStatus(await service.admin.patch('/spaces/slug-early', { slug: 'slug-late' }), 200)
    folder.write('a.md', 'edited')
    const pushed = await folder.run('push')
    assert.equal(pushed.code, 0, pushed.out + pushed.err)
    assert.equal(await body('slug-late/a'), 'edited')
  } finally {
    await client.end()
  }
})

test('two runs at once are refused, and the lock of a process that has ended is taken over', async () => {
  using folder = await cloned('locked', { a: 'one' })
  const lock = (pid: number) => folder.write('.recto/local/lock', JSON.stringify({ pid, host: hostname() }))
  lock(process.pid)
  const refused = await folder.run('pull')
  assert.equal(refused.code, 4)
  assert.match(refused.err, /Another run of recto works in this folder/)
  const ended = spawn('true')
  await once(ended, 'exit')
  lock(ended.pid ?? 0)
  assert.equal((await folder.run('pull')).code, 0)
})

test('a lost or foreign base is found again by comparing both sides', async () => {
  using folder = await cloned('foreign', { a: 'one', b: 'two' })
  rmSync(join(folder.path, '.recto/base.json'))
  folder.write('b.md', 'two, edited')
  assert.equal((await folder.run('sync')).code, 4)
  assert.equal(folder.read('b.md'), markedFile('two, edited', 'two', 1))
  folder.write('.recto/base.json', 'no JSON')
  const broken = await folder.run('status')
  assert.equal(broken.code, 2)
  assert.match(broken.err, /base\.json cannot be read: restore it/)
})

test('a file with a conflict that takes the place of another page does not replace its text', async () => {
  using folder = await cloned('taken', { a: 'one', f: 'page f' })
  await service.admin.put('/pages/taken/a', 'one, by another', { 'if-match': '*' })
  await service.admin.put('/pages/taken/f', 'page f, by another', { 'if-match': '*' })
  folder.write('a.md', 'one, mine')
  // The feed shows an event once no open transaction can precede it, and the clusters of test runs have others.
  await until(async () => (await folder.run('pull')).code === 4 && folder.read('f.md') === 'page f, by another')
  const marked = folder.read('a.md')
  assert.equal(marked, markedFile('one, mine', 'one, by another', 2))
  // Both pages have version 2, and a new base knows neither.
  renameSync(join(folder.path, 'a.md'), join(folder.path, 'f.md'))
  rmSync(join(folder.path, '.recto/base.json'))
  assert.equal((await folder.run('sync')).code, 4)
  assert.equal(folder.read('f.md'), marked)
  assert.equal((await folder.run('resolve', 'f.md', '--keep', 'mine')).code, 0)
  assert.equal((await folder.run('sync')).code, 4)
  assert.equal(folder.read('f.md'), markedFile('one, mine', 'page f, by another', 2))
  assert.equal(await body('taken/f'), 'page f, by another')
})

test('metadata that changes in the space while the file is deleted here is known when it is back', async () => {
  using folder = await cloned('absent', { a: 'one' })
  rmSync(join(folder.path, 'a.md'))
  assertStatus(await service.admin.patch('/pages/absent/a/metadata', { set: { key: 1 } }), 200)
  // A pull reads the change feed, where an event waits for older transactions, those of other databases of the server
  // included.
  await until(async () => {
    const { items } = (await service.admin.get('/changes?space=absent')).json
    return items.some(({ event }: { event: string }) => event === 'page.metadata.updated')
  })
  assert.equal((await folder.run('pull')).code, 0)
  folder.write('a.md', 'one, again')
  assert.equal((await folder.run('sync')).code, 0)
  const { metadata } = (await service.admin.get('/pages/absent/a/metadata')).json
  assert.deepEqual(metadata, { key: 1 })
  assert.deepEqual(JSON.parse(folder.read('.recto/metadata.json')), { a: { key: 1 } })
  assert.equal((await folder.run('status', '--full', '--check')).code, 0)
})

test('diff shows the space and the folder', async () => {
  using folder = await cloned('diffs', { a: 'one\ntwo\n', b: 'same' })
  folder.write('a.md', 'one\nthree\n')
  const { out } = await folder.run('diff')
  assert.equal(out, '--- space/a.md\n+++ folder/a.md\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n')
  assert.equal((await folder.run('diff', 'b.md')).out, '')
})

test('sync --watch applies changes of both sides until it is interrupted', async () => {
  using folder = await cloned('watched', { a: 'one' })
  const env = { PATH: process.env.PATH, RECTO_URL: service.admin.base, RECTO_API_KEY: service.admin.key }
  const child = spawn(process.execPath, [RECTO, 'sync', '--watch', '--folder', folder.path], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'exit')
  try {
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk
    })
    await until(() => said.includes('Watching both sides'), 60_000)
    folder.write('here.md', 'from the folder')
    await until(async () => (await service.admin.page('/pages/watched/here')).status === 200, 60_000)
    assertStatus(await service.admin.put('/pages/watched/there', 'from the space'), 201)
    await until(() => folder.files()['there.md'] === 'from the space', 60_000)
  } finally {
    child.kill('SIGINT')
  }
  assert.deepEqual(await ended, [0, null])
})

test('a run works in a checkout of version control, which has no `.recto/local`', async () => {
  using folder = await cloned('checkout', { a: 'one' })
  rmSync(join(folder.path, '.recto/local'), { recursive: true })
  folder.write('a.md', 'edited')
  const pushed = await folder.run('push')
  assert.equal(pushed.code, 0, pushed.out + pushed.err)
  assert.equal(await body('checkout/a'), 'edited')
})
