import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { writeZip } from '@recto/lib/zip/zip-writer.ts'
import { type Answer, assertProblem, assertStatus, type Client } from '../support/client.ts'
import { getBytes, png, putBytes, someBytes } from '../support/files.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let admin: Client
before(async () => {
  service = await startService({ SVC_MAX_FILE_BYTES: '3000000', SVC_MAX_IMPORT_BYTES: '10000000' })
  admin = service.admin
})
after(() => service[Symbol.asyncDispose]())

/**
 * Names that are those of pages, sidecar files and the manifest, hidden ones, an empty file and one of several chunks.
 */
const FILES: readonly (readonly [path: string, bytes: Buffer])[] = [
  ['.hidden/x', Buffer.from('hidden')],
  ['a', Buffer.from('a')],
  ['a.history.json', Buffer.from('[]')],
  ['a.md', Buffer.from('no page')],
  ['a.metadata.json', Buffer.from('{}')],
  ['b/empty', Buffer.alloc(0)],
  ['b/large.bin', someBytes(1_500_000)],
  ['b/ü 100%.png', png(3, 2)],
  ['page-bundle.json', Buffer.from('{}')],
]

const urlOf = (space: string, path: string) => `/files/${space}/${encodeURIComponent(path)}`

async function exported(space: string, type: 'zip' | 'json'): Promise<Buffer> {
  const { status, bytes } = await getBytes(admin, `/spaces/${space}/export?format=${type}`)
  assert.equal(status, 200)
  return bytes
}

function importInto(space: string, bundle: Buffer, query = ''): Promise<Answer> {
  const type = bundle.toString('latin1', 0, 2) === 'PK' ? 'application/zip' : 'application/json'
  return admin.call('POST', `/spaces/${space}/import${query}`, {
    body: Uint8Array.from(bundle),
    headers: { 'content-type': type },
  })
}

async function listed(space: string): Promise<(readonly [string, number])[]> {
  return (await admin.all(`/spaces/${space}/files`)).map(({ path, version }) => [path, version])
}

async function zipOf(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  async function* content() {
    for (const [name, text] of Object.entries(files)) {
      yield { name, modified: new Date(), content: Buffer.from(text) }
    }
  }
  const chunks: Buffer[] = []
  for await (const chunk of writeZip(content())) chunks.push(chunk)
  return Buffer.concat(chunks)
}

test('exports carry every file byte for byte, and importing them again changes nothing', async () => {
  await admin.space('origin')
  assertStatus(await admin.put('/pages/origin/a', '# A\n\n![Image](./b/ü%20100%25.png)'), 201)
  for (const [path, bytes] of FILES) assertStatus(await putBytes(admin, urlOf('origin', path), bytes), 201)
  for (const type of ['zip', 'json'] as const) {
    const bundle = await exported('origin', type)
    await admin.space(type)
    const dry = assertStatus(await importInto(type, bundle, '?dryRun=true'), 200).json
    const all = { total: FILES.length, created: FILES.length, updated: 0, unchanged: 0, skipped: 0 }
    assert.deepEqual([dry.created, dry.files], [1, all])
    assert.deepEqual(await listed(type), [])
    const done = assertStatus(await importInto(type, bundle), 200).json
    assert.deepEqual([done.created, done.files, done.ignoredFiles], [1, all, 0])
    const expected = FILES.map(([path]) => [path, 1])
    assert.deepEqual(await listed(type), expected)
    for (const [path, bytes] of FILES) {
      assert.ok((await getBytes(admin, urlOf(type, path))).bytes.equals(bytes), `${type} ${path}`)
    }
    const rejected = assertProblem(await importInto(type, bundle), 409, 'import_conflict')
    assert.equal(rejected.json.conflictCount, FILES.length + 1)
    const again = assertStatus(await importInto(type, bundle, '?onConflict=overwrite'), 200).json
    assert.deepEqual(again.files, { ...all, created: 0, unchanged: FILES.length })
    assert.deepEqual(await listed(type), expected)
    assert.deepEqual(await admin.all(`/spaces/${type}/links/broken`), [])
  }
})

test('an existing file is skipped or gets a new version, by the conflict option', async () => {
  await admin.space('old')
  assertStatus(await putBytes(admin, '/files/old/x.txt', Buffer.from('old')), 201)
  const bundle = await zipOf({ 'x.txt': 'new', 'y.txt': 'y' })
  const skipped = assertStatus(await importInto('old', bundle, '?onConflict=skip'), 200).json
  assert.deepEqual(skipped.files, { total: 2, created: 1, updated: 0, unchanged: 0, skipped: 1 })
  assert.equal((await getBytes(admin, '/files/old/x.txt')).bytes.toString(), 'old')
  const updated = assertStatus(await importInto('old', bundle, '?onConflict=overwrite'), 200).json
  assert.deepEqual(updated.files, { total: 2, created: 0, updated: 1, unchanged: 1, skipped: 0 })
  assert.equal((await getBytes(admin, '/files/old/x.txt')).bytes.toString(), 'new')
})

test('an archive of more files than one transaction writes has the outcome of each, also where bytes are equal', async () => {
  await admin.space('many')
  const files: Readonly<Record<string, Buffer>> = Object.fromEntries(
    Array.from({ length: 45 }, (_, index) => [`f${index}.bin`, someBytes(1_000 + index)]),
  )
  const bytes: Readonly<Record<string, string | Buffer>> = {
    ...files,
    'copy.bin': files['f3.bin'] ?? '',
    'f44.bin': someBytes(600_000),
  }
  assertStatus(await putBytes(admin, '/files/many/f1.bin', someBytes(10)), 201)
  assertStatus(await putBytes(admin, '/files/many/f30.bin', files['f30.bin'] ?? Buffer.alloc(0)), 201)
  const archive = await zipOf(bytes)
  const done = assertStatus(await importInto('many', archive, '?onConflict=overwrite'), 200).json
  assert.deepEqual(done.files, { total: 46, created: 44, updated: 1, unchanged: 1, skipped: 0 })
  for (const [name, content] of Object.entries(bytes)) {
    assert.ok((await getBytes(admin, `/files/many/${name}`)).bytes.equals(Buffer.from(content)), name)
  }
  assert.equal((await admin.page('/files/many/f1.bin')).json.version, 2)
  const skipped = assertStatus(await importInto('many', archive, '?onConflict=skip'), 200).json
  assert.deepEqual([skipped.files.created, skipped.files.skipped], [0, 46])
})

test('a bundle with a file that is damaged, too large or badly named changes nothing', async () => {
  await admin.space('bad')
  const bundle = (files: unknown) =>
    Buffer.from(JSON.stringify({ format: 'page-bundle', formatVersion: 1, pages: [{ path: 'p', body: 'x' }], files }))
  const data = Buffer.from('x').toString('base64')
  for (const files of [
    [{ path: 'a', data: '%%%' }],
    [{ path: 'a', data, more: true }],
    [
      { path: 'a', data, more: true },
      { path: 'b', data },
    ],
    [
      { path: 'a', data },
      { path: 'a', data },
    ],
    [{ path: 'a/../b', data }],
    [{ path: 'a', data, other: 1 }],
    ['a'],
    [{ path: 'a', data: Buffer.alloc(3_000_001).toString('base64') }],
  ]) {
    assertProblem(await importInto('bad', bundle(files)), 400, 'invalid_bundle')
  }
  assertProblem(await importInto('bad', bundle({})), 400, 'invalid_bundle')
  const zip = await zipOf({ 'p.md': 'x', 'a.bin': 'damaged '.repeat(50) })
  const at = zip.indexOf('a.bin') + 5
  zip.writeUInt8(zip.readUInt8(at + 4) ^ 0xff, at + 4)
  assertProblem(await importInto('bad', zip), 400, 'invalid_archive')
  assert.deepEqual(await listed('bad'), [])
  assert.deepEqual(await admin.all('/spaces/bad/pages'), [])
})

test('an archive of archives is imported as one, and archives in its parts are files', async () => {
  const part = (number: number) =>
    zipOf({ [`Export/Page ${number}.md`]: `# Page ${number}`, 'Export/same.txt': 'same' })
  const inner = await zipOf({ 'x.md': 'x' })
  const second = await zipOf({ 'Export/Page 2.md': '# Page 2', 'Export/inner.zip': inner, 'Export/same.txt': 'same' })
  await admin.space('parts', {})
  const bundle = await zipOf({ 'Part-1.zip': await part(1), 'Part-2.zip': second, '__MACOSX/._Part-1.zip': 'x' })
  const { json } = assertStatus(await importInto('parts', bundle), 200)
  assert.deepEqual([json.pages, json.created, json.files.created], [2, 2, 2])
  assert.equal((await admin.get('/pages/parts/Export/Page%202.md')).text, '# Page 2')
  assert.deepEqual(await listed('parts'), [
    ['Export/inner.zip', 1],
    ['Export/same.txt', 1],
  ])
  // A page beside the archives: they are files.
  const mixed = await zipOf({ 'Home.md': 'home', 'Part-1.zip': await part(1) })
  assert.equal(assertStatus(await importInto('parts', mixed), 200).json.pages, 1)
})

test('an archive of archives has the limits of one: size, number, damage, and files that differ', async () => {
  await admin.space('limited', {})
  const rejected = async (files: Readonly<Record<string, string | Buffer>>, message: RegExp) => {
    const answer = await importInto('limited', await zipOf(files))
    assertProblem(answer, 400, 'invalid_archive')
    assert.match(JSON.stringify(answer.json), message)
  }
  const large = await zipOf({ 'a.md': 'a'.repeat(6_000_000) })
  const other = await zipOf({ 'b.md': 'b'.repeat(6_000_000) })
  await rejected({ '1.zip': large, '2.zip': other }, /more than \d+ bytes when unpacked/)
  await rejected({ '1.zip': 'no archive' }, /invalid_archive/)
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, number) => [`${number}.zip`, large]))
  await rejected(many, /more than 100 archives/)
  const different = { '1.zip': await zipOf({ 'a.md': '1' }), '2.zip': await zipOf({ 'a.md': '2' }) }
  await rejected(different, /a different file/)
  assert.deepEqual(await admin.all('/spaces/limited/pages'), [])
})

test('front matter becomes metadata on request; other metadata stays', async () => {
  await admin.space('matter', {})
  assertStatus(await admin.put('/pages/matter/a', 'old'), 201)
  const set = { set: { owner: 'Ann', status: 'old' } }
  assertStatus(await admin.call('PATCH', '/pages/matter/a/metadata', { json: set }), 200)
  const bundle = await zipOf({
    'a.md': '---\nstatus: draft\ntags: [x, y]\nempty:\n---\ntext',
    'b.md': '---\nstatus: draft\n---\n',
    'b.metadata.json': '{"of": "sidecar"}',
    'c.md': '---\nbroken: [\n---\n',
  })
  const metadataOf = async (path: string) => (await admin.get(`/pages/matter/${path}/metadata`)).json.metadata
  const dry = assertStatus(
    await importInto('matter', bundle, '?onConflict=overwrite&frontMatter=true&dryRun=true'),
    200,
  )
  assert.deepEqual([dry.json.created, dry.json.updated], [2, 1])
  assert.deepEqual(await metadataOf('a'), set.set)
  assertStatus(await importInto('matter', bundle, '?onConflict=overwrite&frontMatter=true'), 200)
  assert.deepEqual(await metadataOf('a'), { owner: 'Ann', status: 'draft', tags: ['x', 'y'] })
  assert.deepEqual(await metadataOf('b'), { of: 'sidecar' })
  assert.deepEqual(await metadataOf('c'), {})
  const again = assertStatus(await importInto('matter', bundle, '?onConflict=overwrite&frontMatter=true'), 200)
  assert.equal(again.json.unchanged, 3)
  // Without the request it stays text.
  await admin.space('text', {})
  assertStatus(await importInto('text', bundle), 200)
  assert.deepEqual((await admin.get('/pages/text/a/metadata')).json.metadata, {})
})

test('front matter that metadata cannot hold stays text: its page is imported, and the report has the reason', async () => {
  await admin.space('kept', {})
  const bodies: Readonly<Record<string, string>> = {
    'good.md': '---\nstatus: draft\n---\n',
    'broken.md': '---\ntags: [a\n---\n# Broken\n',
    'prose.md': '---\nJust a line\n---\n',
    'key.md': `---\n${'k'.repeat(129)}: Ann\nstatus: draft\n---\n# Key\n`,
    'blank.md': '---\n# only a comment\n---\n',
  }
  const notValid = 'is not valid YAML with a value for each key'
  for (const dryRun of [true, false]) {
    const query = `?frontMatter=true&dryRun=${dryRun}`
    const { json } = assertStatus(await importInto('kept', await zipOf(bodies), query), 200)
    assert.deepEqual([json.created, json.keptFrontMatter], [5, 3])
    const [broken, prose, key] = json.keptFrontMatterPages
    assert.deepEqual(
      [broken, prose].map(({ path, message }) => [path, message]),
      [
        ['broken', notValid],
        ['prose', notValid],
      ],
    )
    assert.equal(key.path, 'key')
    assert.equal(key.message, `\`${'k'.repeat(59)}…\` must be a key of at most 128 characters`)
  }
  for (const [name, body] of Object.entries(bodies)) assert.equal((await admin.get(`/pages/kept/${name}`)).text, body)
  assert.deepEqual((await admin.get('/pages/kept/key/metadata')).json.metadata, {})
  assert.deepEqual((await admin.get('/pages/kept/good/metadata')).json.metadata, { status: 'draft' })
})

test('an export as NDJSON has a line for each page after a path, with version and metadata, and their number', async () => {
  await admin.space('lines')
  for (const path of ['a', 'b', 'b/c']) assertStatus(await admin.put(`/pages/lines/${path}`, `# ${path}\n`), 201)
  assertStatus(await admin.put('/pages/lines/b', 'two', { 'if-match': '"1"' }), 200)
  assertStatus(await admin.patch('/pages/lines/a/metadata', { set: { status: 'draft' } }), 200)
  const a = { path: 'a', version: 1, body: '# a\n', metadata: { status: 'draft' } }
  const rest = [
    { path: 'b', version: 2, body: 'two' },
    { path: 'b/c', version: 1, body: '# b/c\n' },
  ]
  const linesOf = async (query: string, accept = '*/*') => {
    const { status, headers, bytes } = await getBytes(admin, `/spaces/lines/export${query}`, { accept })
    assert.deepEqual([status, headers.get('content-type')], [200, 'application/x-ndjson; charset=utf-8'])
    return bytes
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
  assert.deepEqual(await linesOf('', 'application/x-ndjson'), [a, ...rest, { pages: 3 }])
  assert.deepEqual(await linesOf('?format=ndjson&after=a'), [...rest, { pages: 2 }])
  assertProblem(await admin.get('/spaces/lines/export?format=ndjson&history=true'), 400, 'invalid_request')
  assertProblem(await admin.get('/spaces/lines/export?after=a'), 400, 'invalid_request')
})
