import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

// The contract, section 9; decisions, section 3.
let service: Service
let count = 0
before(async () => {
  service = await startService()
  await service.admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

/** The address of a page with these bodies as its versions. */
async function pageWith(...bodies: readonly string[]): Promise<string> {
  const address = `/pages/docs/page-${++count}`
  for (const [index, body] of bodies.entries()) {
    const headers: Record<string, string> = index === 0 ? {} : { 'if-match': `"${index}"` }
    assertStatus(await service.admin.put(`${address}?note=n${index + 1}`, body, headers), index === 0 ? 201 : 200)
  }
  return address
}

test('versions lists the revisions, newest first, with their attributes', async () => {
  const address = await pageWith('# One', '# Two', '# Drei')
  const { items, nextCursor } = assertStatus(await service.admin.get(`${address}/versions`), 200).json
  assert.equal(nextCursor, null)
  assert.deepEqual(
    items.map(({ createdAt, createdBy, ...rest }: { createdAt: string; createdBy: { name: string } }) => {
      assert.equal(createdBy.name, 'Admin')
      assert.ok(Date.parse(createdAt) > 0)
      return rest
    }),
    [
      { version: 3, title: 'Drei', note: 'n3', size: 6, restoredFrom: null, isLatest: true },
      { version: 2, title: 'Two', note: 'n2', size: 5, restoredFrom: null, isLatest: false },
      { version: 1, title: 'One', note: 'n1', size: 5, restoredFrom: null, isLatest: false },
    ],
  )
})

test('the history is paginated by cursor, and complete while others write', async () => {
  const address = await pageWith(...Array.from({ length: 7 }, (_, index) => `v${index + 1}`))
  const first = (await service.admin.get(`${address}/versions?limit=3`)).json
  assertStatus(await service.admin.put(address, 'v8', { 'if-match': '"7"' }), 200)
  const second = (await service.admin.get(`${address}/versions?limit=3&cursor=${first.nextCursor}`)).json
  const versions = [...first.items, ...second.items].map((item: { version: number }) => item.version)
  assert.deepEqual(versions, [7, 6, 5, 4, 3, 2])
  const other = await pageWith('x')
  assertProblem(await service.admin.get(`${other}/versions?cursor=${first.nextCursor}`), 400, 'invalid_cursor')
  assertProblem(
    await service.admin.get(`${address}/versions?cursor=${first.nextCursor.slice(0, -2)}`),
    400,
    'invalid_cursor',
  )
})

test('versions/:n and ?version=n return that revision in every representation', async () => {
  const address = await pageWith('---\ntitle: Eins\n---\nalt', 'new')
  for (const old of [`${address}/versions/1`, `${address}?version=1`]) {
    assert.equal((await service.admin.get(old, { accept: 'text/markdown' })).text, '---\ntitle: Eins\n---\nalt')
    const { json, headers } = await service.admin.page(old)
    assert.equal(json.version, 1)
    assert.equal(json.title, 'Eins')
    assert.equal(json.note, 'n1')
    assert.deepEqual(json.frontmatter, { title: 'Eins' })
    assert.equal(headers.get('etag'), '"1-json"')
    assert.match((await service.admin.get(old)).text, /alt/)
  }
  assert.equal((await service.admin.get(`${address}.md?version=1`)).text, '---\ntitle: Eins\n---\nalt')
})

test('an unknown version is 404, one that is no number 400', async () => {
  const address = await pageWith('x')
  for (const unknown of ['/versions/2', '/versions/2147483647', '?version=2']) {
    assertProblem(await service.admin.get(address + unknown), 404, 'not_found')
  }
  for (const wrong of [
    '/versions/one',
    '/versions/0',
    '/versions/-1',
    '/versions/1.5',
    '/versions/99999999999',
    '?version=x',
    '?version=',
  ]) {
    assertProblem(await service.admin.get(address + wrong), 400, 'invalid_request')
  }
  assertProblem(await service.admin.post(`${address}/versions/2/make-latest`), 404, 'not_found')
  assertProblem(await service.admin.post(`${address}/versions/x/make-latest`), 400, 'invalid_request')
  assertProblem(await service.admin.get('/pages/docs/never/versions'), 404, 'not_found')
})

test('make-latest appends a revision with the body of n', async () => {
  const address = await pageWith('# One', '# Two')
  const answer = assertStatus(await service.admin.post(`${address}/versions/1/make-latest`), 200)
  assert.equal(answer.json.version, 3)
  assert.equal(answer.json.title, 'One')
  assert.equal(answer.headers.get('etag'), '"3"')
  assert.equal((await service.admin.get(`${address}.md`)).text, '# One')
  const [latest] = (await service.admin.get(`${address}/versions`)).json.items
  assert.equal(latest.restoredFrom, 1)
})

test('make-latest of the latest version returns 200 and changes nothing', async () => {
  const address = await pageWith('a', 'b')
  const answer = assertStatus(await service.admin.post(`${address}/versions/2/make-latest`), 200)
  assert.equal(answer.json.version, 2)
  assert.equal((await service.admin.get(`${address}/versions`)).json.items.length, 2)
})

test('make-latest evaluates If-Match if it is sent', async () => {
  const address = await pageWith('a', 'b')
  const promote = (tag: string) =>
    service.admin.post(`${address}/versions/1/make-latest`, undefined, { 'if-match': tag })
  assertProblem(await promote('"1"'), 412, 'precondition_failed')
  assert.equal(assertStatus(await promote('"2"'), 200).json.version, 3)
})

test('every revision of a long history is returned byte for byte, from keyframes and deltas', async () => {
  const line = (version: number) => `line ${version} ${'x'.repeat(version % 7)}\n`
  const bodies = Array.from({ length: 35 }, (_, version) =>
    version % 11 === 5
      ? `rewritten ${'ä'.repeat(version)}`
      : Array.from({ length: 40 }, (_, n) => line(n === version ? 99 : n)).join(''),
  )
  const address = await pageWith(...bodies)
  await service.restart()
  for (const [index, body] of bodies.entries()) {
    assert.equal((await service.admin.get(`${address}/versions/${index + 1}`, { accept: 'text/markdown' })).text, body)
  }
})

test('Link has the canonical URL and the representations of a page, and the neighbours of a revision', async () => {
  const address = await pageWith('# One', '# Two', '# Three')
  const linksOf = async (path: string) => (await service.admin.get(path)).headers.get('link')?.split(', ')
  const url = service.app.address + address
  for (const suffix of ['', '.md']) {
    assert.deepEqual(await linksOf(address + suffix), [
      `<${url}>; rel="canonical"`,
      `<${url}>; rel="alternate"; type="text/html"`,
      `<${url}.md>; rel="alternate"; type="text/markdown"`,
      `<${url}>; rel="alternate"; type="application/json"`,
    ])
  }
  const latest = [`<${url}>; rel="latest-version"`, `<${url}/versions>; rel="version-history"`]
  const second = [...latest, `<${url}?version=1>; rel="predecessor-version"`]
  assert.deepEqual(await linksOf(`${address}?version=2`), second)
  assert.deepEqual(await linksOf(`${address}/versions/2`), second)
  assert.deepEqual(await linksOf(`${address}?version=1`), latest)
  assert.equal((await service.admin.get(`${address}?version=9`)).headers.get('link'), null)
  const long = `/pages/docs/${Array(8).fill('%E4%BD%A0'.repeat(30)).join('/')}`
  assertStatus(await service.admin.put(long, 'x'), 201)
  assert.deepEqual(await linksOf(long), [`<${service.app.address}${long}>; rel="canonical"`])
})
