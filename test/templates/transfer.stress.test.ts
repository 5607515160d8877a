import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { type Answer, assertProblem, assertStatus, type Client } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { fc } from '../support/property.ts'
import { type Service, startService } from '../support/service.ts'
import { body, history, type Page, pagesWith } from './bundle-arbitraries.ts'

let service: Service
let admin: Client
before(async () => {
  service = await startService({ SVC_RATE_LIMIT: '0' })
  admin = service.admin
})
after(() => service[Symbol.asyncDispose]())

const bundle = (pages: readonly unknown[], more: object = {}) => ({
  format: 'page-bundle',
  formatVersion: 1,
  space: { slug: 'origin', name: 'Origin', description: '' },
  pages,
  ...more,
})

let number = 0
const newSpace = (more: object = {}) => admin.space(`s${++number}`, { ...more })

async function exported(slug: string, query = ''): Promise<Page[]> {
  const answer = assertStatus(await admin.get(`/spaces/${slug}/export${query}`), 200)
  assert.equal(answer.json.format, 'page-bundle')
  assert.equal(answer.json.formatVersion, 1)
  return answer.json.pages
}

async function zipOf(slug: string, query = ''): Promise<Buffer> {
  const response = await fetch(`${admin.base}/spaces/${slug}/export${query}`, {
    headers: { authorization: `Bearer ${admin.key}`, accept: 'application/zip' },
  })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'application/zip')
  return Buffer.from(await response.arrayBuffer())
}

const importJson = (slug: string, value: unknown, query = '', client = admin): Promise<Answer> =>
  client.post(`/spaces/${slug}/import${query}`, value)

async function importZip(slug: string, archive: Buffer, query = '') {
  const response = await fetch(`${admin.base}/spaces/${slug}/import${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${admin.key}`, 'content-type': 'application/zip' },
    body: new Uint8Array(archive),
  })
  return { status: response.status, json: await response.json() }
}

const ordered = (pages: readonly Page[]) =>
  [...pages].sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))

test('any space survives an export and import, as JSON and as an archive', async () => {
  await fc.assert(
    fc.asyncProperty(pagesWith(body.map((body) => ({ body }))), async (pages) => {
      const slug = await newSpace()
      const report = assertStatus(await importJson(slug, bundle(pages)), 200).json
      assert.equal(report.created, pages.length)
      assert.deepEqual(await exported(slug), ordered(pages))
      const copy = await newSpace()
      const imported = await importZip(copy, await zipOf(slug))
      assert.equal(imported.status, 200, JSON.stringify(imported.json))
      assert.equal(imported.json.ignoredFiles, 0)
      assert.deepEqual(await exported(copy), ordered(pages))
    }),
    { numRuns: 25 },
  )
})

test('any history survives an export and import: versions, notes, authors, times and restored versions', async () => {
  await fc.assert(
    fc.asyncProperty(pagesWith(history), async (pages) => {
      const slug = await newSpace()
      assertStatus(await importJson(slug, bundle(pages)), 200)
      const out = await exported(slug, '?history=true')
      assert.deepEqual(out, ordered(pages))
      const copy = await newSpace()
      const imported = await importZip(copy, await zipOf(slug, '?history=true'))
      assert.equal(imported.status, 200, JSON.stringify(imported.json))
      assert.deepEqual(await exported(copy, '?history=true'), ordered(pages))
    }),
    { numRuns: 25 },
  )
})

test('an imported history is readable and can be continued', async () => {
  const slug = await newSpace()
  for (let version = 0; version < 25; version++) {
    const headers = version === 0 ? {} : { 'if-match': `"${version}"` }
    assertStatus(
      await admin.put(`/pages/${slug}/p?note=n${version}`, `# Text ${version}\n\n${'same '.repeat(300)}`, headers),
      version === 0 ? 201 : 200,
    )
  }
  assertStatus(await admin.post(`/pages/${slug}/p/versions/3/make-latest`), 200)
  await admin.patch(`/pages/${slug}/p/metadata`, { set: { kind: 'x' } })
  const out = await exported(slug, '?history=true')
  assert.equal(out[0]?.revisions?.length, 26)
  assert.equal(out[0]?.revisions?.at(-1)?.restoredFrom, 3)
  const copy = await newSpace()
  assertStatus(await importJson(copy, bundle(out)), 200)
  assert.deepEqual(await exported(copy, '?history=true'), out)
  assert.equal((await admin.page(`/pages/${copy}/p?version=7`)).json.body, out[0]?.revisions?.[6]?.body)
  assertStatus(await admin.put(`/pages/${copy}/p`, 'more', { 'if-match': '"26"' }), 200)
  assert.equal((await admin.page(`/pages/${copy}/p`)).json.version, 27)
})

test('an export has long histories and those that begin late, whole and in order', async () => {
  const at = '2020-01-02T03:04:05.678Z'
  const pageWith = (path: string, first: number, count: number) => {
    const revisions = Array.from({ length: count }, (_, index) => ({
      version: first + index,
      body: `${'same\n'.repeat(50)}${path} ${index}\n`,
      note: null,
      createdAt: at,
      createdBy: { name: 'Ada', kind: 'human' },
      restoredFrom: null,
    }))
    const { body, ...latest } = revisions.at(-1) ?? { body: '' }
    return { path, body, revisions: [...revisions.slice(0, -1), latest] }
  }
  const pages = [pageWith('a', 1, 230), pageWith('b', 501, 120), pageWith('c', 7, 1), pageWith('d', 1, 49)]
  const slug = await newSpace()
  assertStatus(await importJson(slug, bundle(pages)), 200)
  assert.deepEqual(await exported(slug, '?history=true'), pages)
})

test('imported authors are disabled principals and never matched with accounts', async () => {
  const { client: ada } = await newPerson(admin, 'Ada')
  const slug = await newSpace()
  const at = '2020-01-02T03:04:05.678Z'
  const revision = (version: number, name: string) => ({ version, createdAt: at, createdBy: { name, kind: 'human' } })
  const page = { path: 'p', body: 'two', revisions: [{ ...revision(1, 'Ada'), body: 'one' }, revision(2, 'Admin')] }
  assertStatus(await importJson(slug, bundle([page])), 200)
  const { json } = await admin.page(`/pages/${slug}/p`)
  const me = (await ada.get('/me')).json
  assert.equal(json.createdBy.name, 'Ada (imported)')
  assert.notEqual(json.createdBy.id, me.id)
  assert.equal(json.createdAt, at)
  assert.equal(json.updatedBy.name, 'Admin')
  const principal = (await admin.get(`/admin/principals/${json.createdBy.id}`)).json
  assert.ok(
    principal.disabled ?? (await admin.all('/admin/principals')).find(({ id }) => id === json.createdBy.id).disabled,
  )
})

test('importing authors and times requires a space admin', async () => {
  const slug = await newSpace({ defaultRole: 'editor' })
  const { client } = await newPerson(admin, 'Ed')
  const revisions = [{ version: 1, createdAt: '2020-01-01T00:00:00Z', createdBy: { name: 'x', kind: 'human' } }]
  assertProblem(await importJson(slug, bundle([{ path: 'a', body: '', revisions }]), '', client), 403, 'forbidden')
  assertStatus(await importJson(slug, bundle([{ path: 'a', body: '' }]), '', client), 200)
  const closed = await newSpace()
  assertProblem(await importJson(closed, bundle([]), '', client), 403, 'forbidden')
  assertStatus(await client.get(`/spaces/${closed}/export`), 200)
  const secret = await newSpace({ visibility: 'private' })
  assertProblem(await client.get(`/spaces/${secret}/export`), 404, 'not_found')
  assertProblem(await importJson(secret, bundle([]), '', client), 404, 'not_found')
})

test('existing pages are rejected, skipped or overwritten, and a dry run lists them', async () => {
  const slug = await newSpace()
  const page = (path: string, body: string, metadata?: object) => ({ path, body, ...(metadata && { metadata }) })
  await importJson(
    slug,
    bundle([page('a', 'A', { k: 1, gone: true }), page('b', 'B', { kept: 1 }), page('same', 'S', { k: [1] })]),
  )
  const next = bundle([page('a', 'A2', { k: 2 }), page('b', 'B2'), page('same', 'S', { k: [1.0] }), page('new', 'N')])

  const rejected = assertProblem(await importJson(slug, next), 409, 'import_conflict')
  assert.deepEqual(rejected.json.conflicts, ['a', 'b', 'same'])
  assertStatus(await admin.page(`/pages/${slug}/new`), 404)

  const counts = ({ json }: Answer) => [json.created, json.updated, json.unchanged, json.skipped]
  assert.deepEqual(counts(await importJson(slug, next, '?onConflict=overwrite&dryRun=true')), [1, 2, 1, 0])
  assert.deepEqual(counts(await importJson(slug, next, '?onConflict=skip&dryRun=true')), [1, 0, 0, 3])
  assertStatus(await admin.page(`/pages/${slug}/new`), 404)

  assert.deepEqual(counts(await importJson(slug, next, '?onConflict=skip')), [1, 0, 0, 3])
  assert.equal((await admin.page(`/pages/${slug}/a`)).json.body, 'A')
  assert.deepEqual(counts(await importJson(slug, next, '?onConflict=overwrite')), [0, 2, 2, 0])
  assert.deepEqual(await exported(slug), [
    page('a', 'A2', { k: 2 }),
    page('b', 'B2', { kept: 1 }),
    page('new', 'N'),
    page('same', 'S', { k: [1] }),
  ])
  assert.equal((await admin.page(`/pages/${slug}/a`)).json.version, 2)
  assert.equal((await admin.page(`/pages/${slug}/same`)).json.version, 1)
  assert.deepEqual(counts(await importJson(slug, next, '?onConflict=overwrite')), [0, 0, 4, 0])
})

test('every imported page has its links, metadata and events', async () => {
  const slug = await newSpace()
  await admin.put(`/pages/${slug}/before`, '[to come](./hub.md)')
  const pages = Array.from({ length: 450 }, (_, index) => ({
    path: `p/${index}`,
    body: `# Page ${index}\n\n[hub](../hub.md) [next](./${index + 1}.md)`,
    metadata: { index },
  }))
  assertStatus(await importJson(slug, bundle([...pages, { path: 'hub', body: '# Hub' }])), 200)
  const links = (await admin.get(`/pages/${slug}/before/links`)).json
  assert.equal(links.outbound[0].exists, true)
  assert.equal((await admin.all(`/spaces/${slug}/links/broken`)).length, 1)
  const filters = encodeURIComponent(JSON.stringify([{ key: 'index', op: 'gte', value: 440 }]))
  assert.equal((await admin.all(`/search/metadata?space=${slug}&filters=${filters}`)).length, 10)
  const keys = await admin.all(`/search/metadata/keys?space=${slug}`)
  assert.equal(keys[0].pageCount, 450)
})

test('an invalid bundle is rejected completely, with the location of each issue', async () => {
  const slug = await newSpace()
  const rejected: [unknown, string][] = [
    [{}, '/format'],
    [bundle([], { formatVersion: 3 }), '/formatVersion'],
    [bundle([], { other: 1 }), '/other'],
    [bundle([], { space: { slug: 'No Slug' } }), '/space'],
    [bundle([1]), '/pages/0'],
    [bundle([{ path: 'a', body: 1 }]), '/pages/0/body'],
    [bundle([{ path: 'a', body: '', x: 1 }]), '/pages/0'],
    [bundle([{ path: '../a', body: '' }]), '/pages/0'],
    [bundle([{ path: 'a', body: '\0' }]), '/pages/0/body'],
    [bundle([{ path: 'a', body: 'x'.repeat(1_100_000) }]), '/pages/0/body'],
    [
      bundle([
        { path: 'a', body: '' },
        { path: 'a', body: '' },
      ]),
      '/pages/1',
    ],
    [bundle([{ path: 'a', body: '', metadata: { 'a\u0001': 1 } }]), '/pages/0/metadata/a\u0001'],
    [bundle([{ path: 'a', body: '', revisions: [] }]), '/pages/0/revisions'],
  ]
  for (const [value, place] of rejected) {
    const answer = assertProblem(await importJson(slug, value), 400, 'invalid_bundle')
    assert.equal(answer.json.issues[0].path, place, answer.text)
  }
  const post = (body: string, type = 'application/json') =>
    admin.call('POST', `/spaces/${slug}/import`, { body, headers: { 'content-type': type } })
  for (const text of ['', '{', '[]', '{"format":"page-bundle","formatVersion":1,"pages":[{"path":"a"']) {
    assertProblem(await post(text), 400, 'invalid_bundle')
  }
  assertProblem(await post('PK\u0003\u0004nothing', 'application/zip'), 400, 'invalid_archive')
  assertProblem(await post('# Text', 'text/markdown'), 415, 'unsupported_media_type')
  assertProblem(await admin.get(`/spaces/${slug}/export`, { accept: 'text/html' }), 406, 'not_acceptable')
  assert.deepEqual(await exported(slug), [])
})

test('an upload over the limit is rejected', async () => {
  await using small = await startService({ SVC_MAX_IMPORT_BYTES: '1000' })
  await small.admin.space('s')
  const pages = [{ path: 'a', body: 'x'.repeat(1_000) }]
  assertProblem(await small.admin.post('/spaces/s/import', bundle(pages)), 413, 'payload_too_large')
})

test('a third-party archive is imported as a folder of pages, without hidden and other files', async () => {
  const slug = await newSpace()
  const { writeZip } = await import('@recto/lib/zip/zip-writer.ts')
  async function* files() {
    const modified = new Date()
    for (const name of [
      'README.md',
      'notes/100% sure.md',
      'UPPER.MD',
      'image.png',
      '.obsidian/app.json',
      '.git/x.md',
      'notes/.hidden.md',
      '__MACOSX/._a.md',
    ]) {
      yield { name, modified, content: Buffer.from(`# ${name}`) }
    }
  }
  const chunks: Buffer[] = []
  for await (const chunk of writeZip(files())) chunks.push(chunk)
  const { json } = await importZip(slug, Buffer.concat(chunks))
  assert.equal(json.created, 3)
  assert.deepEqual(json.files, { total: 1, created: 1, updated: 0, unchanged: 0, skipped: 0 })
  assert.equal(json.ignoredFiles, 4)
  assert.deepEqual(json.ignoredFileNames.toSorted(), [
    '.git/x.md',
    '.obsidian/app.json',
    '__MACOSX/._a.md',
    'notes/.hidden.md',
  ])
  assert.deepEqual(
    (await exported(slug)).map(({ path }) => path),
    ['README', 'UPPER', 'notes/100% sure'],
  )
})

test('the conflicts of an import are counted, and at most a hundred are listed', async () => {
  const slug = await newSpace()
  const paths = Array.from({ length: 1_250 }, (_, index) => `p/${(index * 7) % 1_250}`)
  const upload = bundle(paths.map((path) => ({ path, body: path })))
  assert.equal(assertStatus(await importJson(slug, upload), 200).json.conflictCount, 0)
  const rejected = assertProblem(await importJson(slug, upload), 409, 'import_conflict').json
  assert.equal(rejected.conflictCount, 1_250)
  assert.deepEqual(rejected.conflicts, paths.slice(0, 100))
  const listed: string[] = []
  do {
    const query = `?dryRun=true&onConflict=skip&conflictsOffset=${listed.length}`
    const { json } = assertStatus(await importJson(slug, upload, query), 200)
    assert.ok(json.conflicts.length > 0 && json.conflicts.length <= 100)
    listed.push(...json.conflicts)
  } while (listed.length < 1_250)
  assert.deepEqual(listed, paths)
  assertProblem(await importJson(slug, upload, '?conflictsOffset=-1'), 400, 'invalid_request')
})

const corpora = ['eips', 'rustc-guide'].map((name) =>
  resolve(import.meta.dirname, '../../../shared/data/md', name, 'pages.jsonl'),
)

test('the corpora survive an export and import', {
  skip: corpora.every(existsSync) ? false : 'the corpora are not beside the repository',
}, async () => {
  for (const file of corpora) {
    const pages = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
      .map(({ path, body }): Page => ({ path, body }))
    const slug = await newSpace()
    assertStatus(await importJson(slug, bundle(pages)), 200)
    const digest = (pages: readonly Page[]) =>
      createHash('sha256')
        .update(JSON.stringify(ordered(pages)))
        .digest('hex')
    const out = await exported(slug)
    assert.equal(out.length, pages.length)
    assert.equal(digest(out), digest(pages))
    const copy = await newSpace()
    assert.equal((await importZip(copy, await zipOf(slug))).status, 200)
    assert.equal(digest(await exported(copy)), digest(pages))
  }
})
