import assert from 'node:assert/strict'
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { computeSha256 } from '@recto/cli/folder-sync/entry.ts'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { requestCount } from '../support/request-count.ts'
import { type Service, startService } from '../support/service.ts'
import { runCommand } from '../support/terminal.ts'
import { type SyncFolder, syncFolder } from './folder.ts'

let service: Service
before(async () => {
  service = await startService()
})
after(() => service[Symbol.asyncDispose]())

const page = (path: string) => service.admin.page(`/pages/${path}`)
const body = async (path: string) => assertStatus(await page(path), 200).json.body

/** Another person writes a page of the space. */
async function put(path: string, text: string): Promise<void> {
  const found = await page(path)
  const condition = found.status === 200 ? { 'if-match': `"${found.json.version}"` } : { 'if-none-match': '*' }
  const { status } = await service.admin.put(`/pages/${path}`, text, condition)
  assert.ok(status === 200 || status === 201)
}

async function cloned(space: string, pages: Readonly<Record<string, string>>, ...more: readonly string[]) {
  if ((await service.admin.get(`/spaces/${space}`)).status === 404) await service.admin.space(space)
  for (const [path, text] of Object.entries(pages)) await put(`${space}/${path}`, text)
  const folder = syncFolder(service)
  const { code, err, out } = await folder.clone(space, ...more)
  assert.equal(code, 0, err + out)
  return folder
}

/** Pulls until the change feed has shown what was just written. */
async function pullUntil(folder: SyncFolder, condition: () => boolean): Promise<void> {
  await until(async () => {
    const { code, err } = await folder.run('pull')
    assert.notEqual(code, 2, err)
    return condition()
  }, 60_000)
}

test('clone writes every page, and a pull applies what changed, moved and was deleted', async () => {
  using folder = await cloned('pulls', { a: 'one', 'a/b': 'two', 'a/c': 'three' })
  assert.deepEqual(folder.files(), { 'a.md': 'one', 'a/b.md': 'two', 'a/c.md': 'three' })
  assert.match((await folder.run('status')).out, /are equal/)
  await put('pulls/a', 'one, edited')
  await put('pulls/new', 'new')
  assertStatus(await service.admin.post('/pages/pulls/a/b/move', { to: { path: 'moved' } }, { 'if-match': '*' }), 200)
  assertStatus(await service.admin.delete('/pages/pulls/a/c', { 'if-match': '*' }), 204)
  const expected = { 'a.md': 'one, edited', 'moved.md': 'two', 'new.md': 'new' }
  await pullUntil(folder, () => Object.keys(folder.files()).length === 3 && folder.read('a.md') === 'one, edited')
  assert.deepEqual(folder.files(), expected)
  assert.match((await folder.run('pull')).out, /Already up to date/)
})

test('what was moved to another space is deleted from the folder by the next pull, and what was edited here is kept', async () => {
  using folder = await cloned('leaving', { a: 'one', b: 'two', c: 'three' })
  assertStatus(await service.admin.put('/files/leaving/d.txt', 'four', { 'if-none-match': '*' }), 201)
  await pullUntil(folder, () => Object.keys(folder.files()).length === 4)
  await service.admin.space('arriving')
  folder.write('b.md', 'two, edited')
  for (const item of ['pages/leaving/a', 'pages/leaving/b', 'files/leaving/d.txt']) {
    const to = { space: 'arriving', path: item.slice('pages/leaving/'.length) }
    assertStatus(await service.admin.post(`/${item}/move`, { to }, { 'if-match': '*' }), 200)
  }
  const expected = { 'b.md': 'two, edited', 'c.md': 'three' }
  await pullUntil(folder, () => Object.keys(folder.files()).length === 2)
  assert.deepEqual(folder.files(), expected)
  assert.match((await folder.run('status')).out, /^Changed in the folder:\n {2}added {5}b\.md\n$/)
})

test('files that only the folder has are not counted as changes of a pull', async () => {
  using folder = await cloned('counts', { a: 'one' })
  for (const name of ['b.md', 'c.md', 'd.png']) folder.write(name, 'mine')
  const { code, err, out } = await folder.run('pull')
  assert.equal(code, 0, err)
  assert.equal(err, '')
  assert.match(out, /Already up to date/)
})

test('push writes, creates, moves and trashes pages, and keeps history with a move', async () => {
  using folder = await cloned('pushes', { a: 'one', b: 'two', c: 'three' })
  folder.write('a.md', 'one, edited')
  folder.write('d/new.md', 'new')
  mkdirSync(join(folder.path, 'e'))
  renameSync(join(folder.path, 'b.md'), join(folder.path, 'e/b.md'))
  folder.write('e/b.md', 'two, edited after the move')
  rmSync(join(folder.path, 'c.md'))
  const status = await folder.run('status', '--check')
  assert.equal(status.code, 4)
  assert.match(status.out, /deleted {3}c\.md/)
  const dry = await folder.run('push', '--dry-run')
  assert.match(dry.out, /moved {5}b\.md -> e\/b\.md/)
  assert.equal(await body('pushes/a'), 'one')
  const pushed = await folder.run('push')
  assert.equal(pushed.code, 0, pushed.out + pushed.err)
  assert.equal(await body('pushes/a'), 'one, edited')
  assert.equal(await body('pushes/d/new'), 'new')
  assert.equal(await body('pushes/e/b'), 'two, edited after the move')
  assert.equal((await service.admin.get('/pages/pushes/e/b.md?version=1')).text, 'two')
  assert.equal((await page('pushes/c')).status, 410)
  assert.equal((await folder.run('sync', '--check')).code, 0)
})

test('a push of many pages takes few requests, and each page has its own outcome', async () => {
  using folder = await cloned('many', { first: 'one\ntwo\nthree\n' }, '--metadata', 'front-matter')
  for (let number = 0; number < 60; number++)
    folder.write(`part/${number}.md`, `---\nmetadata:\n  number: ${number}\n---\n\uFEFFpage ${number}\r\n`)
  folder.write('first.md', 'one, mine\ntwo\nthree\n')
  folder.write('nul.md', 'a\0b')
  folder.write('large.md', 'x'.repeat(2_000_000))
  await put('many/first', 'one\ntwo\nthree, theirs\n')
  await put('many/part/7', 'theirs')
  const before = await requestCount(service)
  const { code, out } = await folder.run('push')
  assert.ok((await requestCount(service)) - before < 30)
  assert.equal(code, 4, out)
  assert.match(out, /Not synchronised: nul\.md: /)
  assert.match(out, /Not synchronised: large\.md: /)
  assert.match(out, /Conflict: part\/7\.md/)
  assert.equal(await body('many/first'), 'one, mine\ntwo\nthree, theirs\n')
  assert.equal(await body('many/part/7'), 'theirs')
  for (const number of [0, 8, 59]) {
    assert.equal(await body(`many/part/${number}`), `\uFEFFpage ${number}\r\n`)
    const { metadata } = (await service.admin.get(`/pages/many/part/${number}/metadata`)).json
    assert.deepEqual(metadata, { number })
  }
  assert.equal((await service.admin.all('/spaces/many/pages')).length, 61)
})

test('changes of both sides are merged, and conflicts keep both texts until they are resolved', async () => {
  const text = 'one\n\ntwo\n\nthree\n'
  using folder = await cloned('merges', { a: text, b: text })
  for (const path of ['a', 'b']) await put(`merges/${path}`, text.replace('three', 'three, by another'))
  folder.write('a.md', text.replace('one', 'one, mine'))
  folder.write('b.md', text.replace('three', 'three, mine'))
  const pushed = await folder.run('push')
  assert.equal(pushed.code, 4, pushed.out + pushed.err)
  assert.match(pushed.out, /Conflict: b\.md/)
  const merged = 'one, mine\n\ntwo\n\nthree, by another\n'
  assert.equal(folder.read('a.md'), merged)
  assert.equal(await body('merges/a'), merged)
  const digest = computeSha256(Buffer.from(text.replace('three', 'three, by another'))).slice(0, 8)
  const marked = `one\n\ntwo\n\n<<<<<<< yours\nthree, mine\n=======\nthree, by another\n>>>>>>> version 2 (${digest})\n`
  assert.equal(folder.read('b.md'), marked)
  assert.equal((await folder.run('sync')).code, 4)
  assert.equal(folder.read('b.md'), marked)
  assert.match((await folder.run('status')).out, /Conflicts.*\n {2}b\.md/)
  assert.equal((await folder.run('resolve', 'b.md', '--keep', 'both')).code, 0)
  assert.equal((await folder.run('sync')).code, 0)
  assert.equal(await body('merges/b'), 'one\n\ntwo\n\nthree, mine\nthree, by another\n')
  assert.equal((await folder.run('resolve', 'b.md')).code, 2)
})

test('an edit wins over a deletion of the other side', async () => {
  using folder = await cloned('revives', { a: 'one', b: 'two' })
  folder.write('a.md', 'one, edited here')
  assertStatus(await service.admin.delete('/pages/revives/a', { 'if-match': '*' }), 204)
  rmSync(join(folder.path, 'b.md'))
  await put('revives/b', 'two, edited there')
  const synced = await folder.run('sync')
  assert.equal(synced.code, 0, synced.out + synced.err)
  assert.equal(await body('revives/a'), 'one, edited here')
  assert.equal(folder.read('b.md'), 'two, edited there')
})

test('metadata is synchronised both ways, in a file of its own or in the front matter', async () => {
  for (const where of ['file', 'front-matter']) {
    const space = `metadata-${where}`
    await service.admin.space(space)
    await put(`${space}/a`, '# A\n')
    await service.admin.patch(`/pages/${space}/a/metadata`, { set: { status: 'draft', tags: ['x'] } })
    using folder = await cloned(space, {}, '--metadata', where)
    const isFile = where === 'file'
    const file = isFile ? '.recto/metadata.json' : 'a.md'
    assert.match(folder.read(file), /"?status"?: "draft"/)
    folder.write(file, folder.read(file).replace('draft', 'final'))
    await service.admin.patch(`/pages/${space}/a/metadata`, { set: { owner: 'dora' } })
    assert.equal((await folder.run('sync')).code, 0)
    await until(async () => {
      await folder.run('sync')
      return folder.read(file).includes('dora')
    }, 60_000)
    const { metadata } = assertStatus(await service.admin.get(`/pages/${space}/a/metadata`), 200).json
    assert.deepEqual(metadata, { owner: 'dora', status: 'final', tags: ['x'] })
    assert.equal(await body(`${space}/a`), '# A\n')
    assert.equal((await page(`${space}/a`)).json.version, 1)
    assert.equal((await folder.run('sync', '--check')).code, 0)
  }
})

test('hidden files and symbolic links are left alone, and a folder of a link is not written to', async () => {
  using folder = await cloned('hidden', { a: 'one' })
  folder.write('.git/config', 'x')
  folder.write('.obsidian/app.json', '{}')
  symlinkSync('/etc', join(folder.path, 'etc'))
  await put('hidden/etc/passwd', 'text')
  await until(async () => (await folder.run('pull')).out.includes('a file is where its folder etc belongs'), 60_000)
  assert.equal((await folder.run('push')).code, 0)
  const { items } = assertStatus(await service.admin.get('/spaces/hidden/pages'), 200).json
  assert.deepEqual(
    items.map(({ path }: { path: string }) => path),
    ['a', 'etc/passwd'],
  )
})

test('many deletions at once are refused without a word for them', async () => {
  const pages = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`p${at}`, 'text']))
  using folder = await cloned('guarded', pages)
  for (const path of Object.keys(pages)) rmSync(join(folder.path, `${path}.md`))
  const refused = await folder.run('push')
  assert.equal(refused.code, 4)
  assert.match(refused.err, /would delete 12 of 12.*--allow-deletes/)
  assert.equal((await page('guarded/p0')).status, 200)
  assert.equal((await folder.run('push', '--allow-deletes')).code, 0)
  assert.equal((await page('guarded/p0')).status, 410)
})

test('the key is not sent to a service that the folder names', async () => {
  using folder = await cloned('trusted', { a: 'one' })
  folder.write(
    '.recto/config.json',
    folder.read('.recto/config.json').replace(service.admin.base, 'http://127.0.0.1:9'),
  )
  const { code, err } = await folder.run('pull')
  assert.equal(code, 2)
  assert.match(err, /set RECTO_URL=http:\/\/127\.0\.0\.1:9/)
})

test('status names files as the folder has them, and where the space has moved them to', async () => {
  using folder = await cloned('labels', { a: 'one', b: 'two' })
  await put('labels/d:e', 'new')
  assertStatus(await service.admin.post('/pages/labels/b/move', { to: { path: 'c' } }, { 'if-match': '*' }), 200)
  await until(async () => (await folder.run('status')).out.includes('moved'), 60_000)
  assert.equal(
    (await folder.run('status')).out,
    'Changed in the space:\n  moved     b.md -> c.md\n  added     d%3Ae.md\n',
  )
  const { space } = JSON.parse((await folder.run('status', '--json')).out)
  assert.deepEqual(space[0], { change: 'moved', name: 'b.md', move: { from: 'b.md', to: 'c.md' } })
})

test('diff shows metadata, on which side a file is, and rejects names that neither side has', async () => {
  using folder = await cloned('diffs', { a: 'one\n', b: 'two\n' })
  assertStatus(await service.admin.patch('/pages/diffs/a/metadata', { set: { status: 'review' } }), 200)
  assertStatus(await service.admin.put('/files/diffs/there.bin', 'x', { 'if-none-match': '*' }), 201)
  folder.write('here.bin', 'x')
  folder.write('new.md', 'new\n')
  rmSync(join(folder.path, 'b.md'))
  await until(async () => (await folder.run('diff')).out.includes('there.bin'), 60_000)
  assert.equal(
    (await folder.run('diff')).out,
    [
      ...['--- space/a.md (metadata)', '+++ folder/a.md (metadata)', '@@ -1,1 +0,0 @@', '-status: "review"'],
      ...['--- space/b.md', '+++ /dev/null', '@@ -1,1 +0,0 @@', '-two'],
      'Only in the folder: here.bin',
      ...['--- /dev/null', '+++ folder/new.md', '@@ -0,0 +1,1 @@', '+new'],
      'Only in the space: there.bin',
      '',
    ].join('\n'),
  )
  for (const command of ['diff', 'resolve']) {
    const { code, err } = await folder.run(command, 'no.md')
    assert.deepEqual([code, err], [3, 'recto: there is no file no.md\n'])
  }
})

test('a folder that cannot be created is an error at once', {
  skip: !existsSync('/proc/self') && 'no /proc',
}, async () => {
  await service.admin.space('unwritable')
  const env = { RECTO_URL: service.admin.base, RECTO_API_KEY: service.admin.key ?? '' }
  const { code, err } = await runCommand(['clone', 'unwritable', '/proc/recto-test'], env)
  assert.equal(code, 2)
  assert.match(err, /\/proc\/recto-test cannot be created: no such file or folder/)
})

test('a folder inside a synchronised one cannot be cloned into, and a space that is not visible is not found', async () => {
  using folder = await cloned('outer', { a: 'one' })
  const inner = await folder.clone('outer')
  assert.match(inner.err, /is in sync with a space already/)
  const { code, err } = await folder.cloneTo('inner', 'outer')
  assert.equal(code, 2)
  assert.match(err, /is inside .*: its files would become pages of both/)
  using other = syncFolder(service)
  assert.equal((await other.clone('nowhere')).code, 3)
})

test('a push that leaves a conflict does not say that all is up to date', async () => {
  using folder = await cloned('conflicting', { a: 'one' })
  folder.write('a.md', 'mine')
  await put('conflicting/a', 'theirs')
  await until(async () => (await folder.run('sync')).code === 4, 60_000)
  const { code, out } = await folder.run('push')
  assert.equal(code, 4)
  assert.equal(out, 'Conflict: a.md\nEdit the files with conflicts, or use `recto resolve`, and push.\n')
})
