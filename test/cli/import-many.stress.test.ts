/** Imports of so many files that they are sent in bundles. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { assertStatus } from '../support/client.ts'
import { requestCount } from '../support/request-count.ts'
import { type Service, startService } from '../support/service.ts'
import { runCommand } from '../support/terminal.ts'

const MANY = 120

let service: Service
before(async () => {
  service = await startService()
})
after(() => service[Symbol.asyncDispose]())

function folderOfMany() {
  const path = mkdtempSync(join(tmpdir(), 'recto-test-'))
  const write = (name: string, body: string | Uint8Array) => {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), body)
  }
  for (let number = 0; number < MANY; number++)
    write(`part/${number}.md`, `---\nnumber: ${number}\n---\n\uFEFFpage ${number}\r\n`)
  return {
    path,
    write,
    record: () => Object.values(JSON.parse(readFileSync(join(path, '.recto-import.json'), 'utf8')).targets)[0],
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}

function load(folder: { readonly path: string }, space: string, ...more: readonly string[]) {
  const env = { RECTO_URL: service.app.address, RECTO_API_KEY: service.admin.key ?? '' }
  return runCommand(['import', folder.path, '--space', space, ...more], env)
}

const page = async (path: string) => assertStatus(await service.admin.page(`/pages/${path}`), 200).json

test('many files are imported with few requests, byte for byte, and again with fewer', async () => {
  using folder = folderOfMany()
  const before = await requestCount(service)
  const first = await load(folder, 'many', '--metadata', 'front-matter')
  assert.equal(first.code, 0, first.err)
  assert.match(first.out, /120 pages of `many` match the folder: 120 created, 0 updated, 0 unchanged/)
  const between = await requestCount(service)
  assert.ok(between - before < 20, `${between - before} requests`)
  for (const number of [0, 57, MANY - 1]) {
    const body = `---\nnumber: ${number}\n---\n\uFEFFpage ${number}\r\n`
    assert.equal((await page(`many/part/${number}`)).body, body)
    const { metadata } = (await service.admin.get(`/pages/many/part/${number}/metadata`)).json
    assert.deepEqual(metadata, { number })
  }
  const again = await load(folder, 'many')
  assert.match(again.out, /0 created, 0 updated, 120 unchanged/)
  assert.ok((await requestCount(service)) - between < 30)
})

test('an import of front matter reads equal pages with few requests, and adds the values that a page lacks', async () => {
  using folder = folderOfMany()
  assert.match((await load(folder, 'values', '--metadata', 'front-matter')).out, /120 created/)
  const patch = { set: { number: null, other: 1 } }
  assertStatus(await service.admin.patch('/pages/values/part/7/metadata', patch), 200)
  const changed = { set: { number: 'changed by others' } }
  assertStatus(await service.admin.patch('/pages/values/part/8/metadata', changed), 200)
  const before = await requestCount(service)
  const again = await load(folder, 'values', '--metadata', 'front-matter')
  assert.match(again.out, /0 created, 0 updated, 120 unchanged/)
  assert.ok((await requestCount(service)) - before < 20)
  const metadata = async (number: number) =>
    (await service.admin.get(`/pages/values/part/${number}/metadata`)).json.metadata
  assert.deepEqual(await metadata(7), { number: 7, other: 1 })
  assert.deepEqual(await metadata(8), { number: 'changed by others' })
})

test('files that are rejected are named with the reason, and all others of their bundle are imported', async () => {
  using folder = folderOfMany()
  folder.write('part/blank .md', 'a name that is no path')
  folder.write('part/large.md', 'x'.repeat(2_000_000))
  folder.write('part/nul.md', 'a\0b')
  const { code, out } = await load(folder, 'rejected')
  assert.equal(code, 1)
  assert.match(out, /120 created/)
  assert.match(out, /3 rejected:/)
  assert.match(out, /blank \.md: .*white space/)
  assert.match(out, /large\.md: .*2000000 bytes/)
  assert.match(out, /nul\.md: .*NUL/)
  assert.equal((await service.admin.all('/spaces/rejected/pages')).length, MANY)
})

test('changes of others since an import of many files are merged, and what they deleted stays deleted', async () => {
  using folder = folderOfMany()
  await service.admin.space('merged')
  // An address where there was a page begins with another version.
  assertStatus(await service.admin.put('/pages/merged/part/3', 'old'), 201)
  assertStatus(await service.admin.delete('/pages/merged/part/3', { 'if-match': '"1"' }), 204)
  assertStatus(await service.admin.put('/pages/merged/other', 'not from the folder'), 201)
  assert.match((await load(folder, 'merged')).out, /120 created/)
  const record = folder.record() as Record<string, { readonly version: number }>
  assert.deepEqual([record['part/3']?.version, record['part/4']?.version], [2, 1])
  const theirs = `${(await page('merged/part/3')).body}\n\ntheirs\n`
  assertStatus(await service.admin.put('/pages/merged/part/3', theirs, { 'if-match': '"2"' }), 200)
  assertStatus(await service.admin.delete('/pages/merged/part/4', { 'if-match': '"1"' }), 204)
  folder.write('part/3.md', '---\nnumber: three\n---\n\uFEFFpage 3\r\n')
  folder.write('part/new.md', 'new')
  const dry = await load(folder, 'merged', '--dry-run')
  assert.match(dry.out, /1 created, 0 updated, 118 unchanged, 1 merged/)
  const { code, out } = await load(folder, 'merged')
  assert.equal(code, 0, out)
  assert.match(out, /1 created, 0 updated, 118 unchanged, 1 merged/)
  assert.match(out, /Kept 1 page that only others changed/)
  const merged = await page('merged/part/3')
  assert.match(merged.body, /number: three[\s\S]*theirs/)
  assertStatus(await service.admin.get('/pages/merged/part/4'), 410)
  assert.equal((await page('merged/other')).version, 1)
})

test('a dry run of many files names what would be rejected, and writes nothing', async () => {
  using folder = folderOfMany()
  folder.write('part/latin.md', Buffer.from([0x61, 0xff]))
  const { code, out } = await load(folder, 'preview', '--dry-run')
  assert.equal(code, 1)
  assert.match(out, /Dry run, nothing was written: 120 pages .*: 120 created/)
  assert.match(out, /latin\.md: it is not UTF-8/)
  assertStatus(await service.admin.get('/spaces/preview'), 404)
})
