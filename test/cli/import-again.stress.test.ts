import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { runLine } from '@recto/cli/recto.ts'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'
import { recordingTerminal } from '../support/terminal.ts'

let service: Service
before(async () => {
  service = await startService()
})
after(() => service[Symbol.asyncDispose]())

const TEXT = 'one\n\ntwo\n\nthree\n'

function folderOf(files: Readonly<Record<string, string>>) {
  const path = mkdtempSync(join(tmpdir(), 'recto-test-'))
  const write = (name: string, body: string | Uint8Array) => {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), body)
  }
  for (const [name, body] of Object.entries(files)) write(name, body)
  return { path, write, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

async function load(folder: string, space: string, ...more: readonly string[]) {
  const env = { RECTO_URL: service.app.address, RECTO_API_KEY: service.admin.key ?? '' }
  const terminal = recordingTerminal(env)
  const code = await runLine(['import', folder, '--space', space, ...more], terminal)
  return { code, ...terminal.said }
}

const page = async (path: string) => assertStatus(await service.admin.page(`/pages/${path}`), 200).json

/** Another person writes the page on the server. */
async function write(path: string, body: string): Promise<void> {
  const { version } = await page(path)
  assertStatus(await service.admin.put(`/pages/${path}`, body, { 'if-match': `"${version}"` }), 200)
}

test('import merges changes of the file with changes of others, and a repetition changes nothing', async () => {
  using folder = folderOf({ 'a.md': TEXT, 'b.md': TEXT })
  assert.equal((await load(folder.path, 'merged')).code, 0)
  await write('merged/a', TEXT.replace('three', 'three, by another'))
  await write('merged/b', TEXT.replace('three', 'three, by another'))
  folder.write('a.md', TEXT.replace('one', 'one, from the file'))
  const merged = await load(folder.path, 'merged')
  assert.equal(merged.code, 0, merged.out)
  assert.match(merged.out, /1 merged with changes of others/)
  assert.match(merged.out, /Kept 1 page that only others changed/)
  assert.equal((await page('merged/a')).body, 'one, from the file\n\ntwo\n\nthree, by another\n')
  assert.equal((await page('merged/b')).body, TEXT.replace('three', 'three, by another'))

  assert.equal((await load(folder.path, 'merged')).code, 0)
  assert.equal((await page('merged/a')).version, 3)
  assert.equal((await page('merged/a')).body, 'one, from the file\n\ntwo\n\nthree, by another\n')
})

test('a page that both changed in the same lines is rejected, and the others are imported', async () => {
  using folder = folderOf({ 'a.md': TEXT, 'b.md': TEXT })
  assert.equal((await load(folder.path, 'clash')).code, 0)
  await write('clash/a', TEXT.replace('two', 'theirs'))
  folder.write('a.md', TEXT.replace('two', 'mine'))
  folder.write('b.md', 'new')
  const rejected = await load(folder.path, 'clash')
  assert.equal(rejected.code, 1)
  assert.match(rejected.out, /a\.md: others changed the same lines/)
  assert.match((await page('clash/a')).body, /theirs/)
  assert.equal((await page('clash/b')).body, 'new')
  assert.equal((await load(folder.path, 'clash', '--on-conflict', 'overwrite')).code, 0)
  assert.match((await page('clash/a')).body, /mine/)
})

test('without a record a different page is rejected, or skipped with skip', async () => {
  using folder = folderOf({ 'a.md': TEXT })
  await service.admin.space('foreign')
  assertStatus(await service.admin.put('/pages/foreign/a', 'of another'), 201)
  for (const mode of ['merge', 'fail']) {
    const rejected = await load(folder.path, 'foreign', '--on-conflict', mode)
    assert.equal(rejected.code, 1)
    assert.match(rejected.out, /a\.md: the page differs, and was not imported from this folder/)
  }
  const skipped = await load(folder.path, 'foreign', '--on-conflict', 'skip')
  assert.equal(skipped.code, 0)
  assert.match(skipped.out, /Skipped 1 different page\./)
  assert.equal((await page('foreign/a')).version, 1)
})

test('fail rejects pages that others changed, and updates the others', async () => {
  using folder = folderOf({ 'a.md': TEXT, 'b.md': TEXT })
  assert.equal((await load(folder.path, 'failing')).code, 0)
  await write('failing/a', `${TEXT}\nmore`)
  folder.write('a.md', `first\n${TEXT}`)
  folder.write('b.md', `first\n${TEXT}`)
  const { code, out } = await load(folder.path, 'failing', '--on-conflict', 'fail')
  assert.equal(code, 1)
  assert.match(out, /a\.md: the page has changed since the last import/)
  assert.equal((await page('failing/a')).body, `${TEXT}\nmore`)
  assert.equal((await page('failing/b')).version, 2)
})

test('a page that others deleted stays deleted', async () => {
  using folder = folderOf({ 'a.md': TEXT, 'b.md': TEXT })
  assert.equal((await load(folder.path, 'deleted')).code, 0)
  for (const name of ['a', 'b']) {
    assertStatus(await service.admin.delete(`/pages/deleted/${name}`, { 'if-match': '"1"' }), 204)
  }
  folder.write('b.md', 'changed')
  const { code, out } = await load(folder.path, 'deleted')
  assert.equal(code, 1)
  assert.match(out, /b\.md: the page was deleted or moved since the last import/)
  assert.deepEqual(await service.admin.all('/spaces/deleted/pages'), [])
  assert.equal((await load(folder.path, 'deleted', '--on-conflict', 'overwrite')).code, 0)
  assert.equal((await service.admin.all('/spaces/deleted/pages')).length, 2)
})

test('a dry run writes no space, no page and no record', async () => {
  using folder = folderOf({ 'a.md': TEXT })
  folder.write('broken.md', Buffer.from([0xff, 0xfe]))
  assert.match((await load(folder.path, 'dry', '--dry-run')).out, /broken\.md: it is not UTF-8/)
  rmSync(join(folder.path, 'broken.md'))
  const dry = await load(folder.path, 'dry', '--dry-run')
  assert.equal(dry.code, 0)
  assert.match(dry.out, /^Dry run, nothing was written: 1 page .*: 1 created/)
  assertStatus(await service.admin.get('/spaces/dry'), 404)
  assert.throws(() => readFileSync(join(folder.path, '.recto-import.json')), /ENOENT/)
  assert.equal((await load(folder.path, 'dry')).code, 0)
  folder.write('a.md', 'changed')
  assert.match((await load(folder.path, 'dry', '--dry-run')).out, /1 updated/)
  assert.equal((await page('dry/a')).version, 1)
})

test('an invalid record stops the import, and a new space with a reused slug does not use the old record', async () => {
  using folder = folderOf({ 'a.md': TEXT })
  assert.equal((await load(folder.path, 'anew')).code, 0)
  assertStatus(await service.admin.delete('/spaces/anew?force=true'), 204)
  assert.equal((await load(folder.path, 'anew')).code, 0)
  assert.equal((await page('anew/a')).body, TEXT)
  folder.write('.recto-import.json', '{"format":"other"}')
  const stopped = await load(folder.path, 'anew')
  assert.equal(stopped.code, 2)
  assert.match(stopped.err, /is not a record of an import/)
})

test('hidden files and folders are ignored and listed, and .MD files are imported', async () => {
  using folder = folderOf({
    '.trash/old.md': 'x',
    '.obsidian/app.json': '{}',
    '.hidden.md': 'x',
    'UPPER.MD': 'upper',
    'x.png': '',
  })
  const { code, out } = await load(folder.path, 'vault', '--obsidian')
  assert.equal(code, 0)
  assert.match(out, /Files: 1 created[\s\S]*3 hidden files\.\n {2}\.hidden\.md\n {2}\.obsidian\/\n {2}\.trash\/\n/)
  assert.deepEqual(
    (await service.admin.all('/spaces/vault/pages')).map(({ path }) => path),
    ['UPPER'],
  )
})

test('--metadata front-matter sets metadata, and keeps values that others have set since', async () => {
  const body = (status: string) => `---\nstatus: ${status}\nowner: Ada\nempty:\n---\n# A\n`
  using folder = folderOf({ 'a.md': body('draft') })
  const metadata = async () => (await service.admin.get('/pages/front/a/metadata')).json.metadata
  assert.equal((await load(folder.path, 'front')).code, 0)
  assert.deepEqual(await metadata(), {})
  assert.equal((await load(folder.path, 'front', '--metadata', 'front-matter')).code, 0)
  assert.deepEqual(await metadata(), { status: 'draft', owner: 'Ada' })
  assertStatus(await service.admin.patch('/pages/front/a/metadata', { set: { owner: 'Grace' } }), 200)
  folder.write('a.md', body('done'))
  assert.equal((await load(folder.path, 'front', '--metadata', 'front-matter')).code, 0)
  assert.deepEqual(await metadata(), { status: 'done', owner: 'Grace' })
  assert.equal((await load(folder.path, 'front', '--metadata', 'other')).code, 64)
})
