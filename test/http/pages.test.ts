import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

// The contract, sections 3, 4 and 9; decisions, section 3.
let service: Service
let count = 0
before(async () => {
  service = await startService({ SVC_MAX_BODY_BYTES: '100000' })
  await service.admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

/** The address of a page of its own for one test. */
async function newPage(body = '# Title\n\nText'): Promise<string> {
  const address = `/pages/docs/page-${++count}`
  assertStatus(await service.admin.put(address, body), 201)
  return address
}

test('PUT of a page that does not exist creates it at version 1 with 201, ETag, Location and the page object', async () => {
  const answer = assertStatus(await service.admin.put('/pages/docs/guide/start?note=first', '# Start\n\nText'), 201)
  assert.equal(answer.headers.get('etag'), '"1"')
  assert.equal(answer.headers.get('location'), `${service.app.address}/pages/docs/guide/start`)
  const { createdAt, createdBy, updatedAt, updatedBy, url, ...rest } = answer.json
  assert.deepEqual(rest, {
    space: 'docs',
    path: 'guide/start',
    title: 'Start',
    version: 1,
    etag: '"1"',
    frontmatter: {},
    note: 'first',
    verification: null,
  })
  assert.equal(url, `${service.app.address}/pages/docs/guide/start`)
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.equal(updatedAt, createdAt)
  assert.deepEqual(Object.keys(createdBy).sort(), ['id', 'kind', 'name'])
  assert.deepEqual(updatedBy, createdBy)
})

test('PUT with If-Match of the current ETag adds a revision with 200', async () => {
  const address = await newPage()
  const answer = assertStatus(await service.admin.put(address, '# New', { 'if-match': '"1"' }), 200)
  assert.equal(answer.headers.get('etag'), '"2"')
  assert.equal(answer.json.version, 2)
  assert.equal(answer.json.title, 'New')
  assert.ok(answer.json.updatedAt >= answer.json.createdAt)
})

test('every successful PUT creates a revision, also with an identical body', async () => {
  const address = await newPage('same')
  assert.equal((await service.admin.put(address, 'same', { 'if-match': '"1"' })).json.version, 2)
})

test('PUT on an existing page without If-Match is 428 precondition_required', async () => {
  const address = await newPage()
  assertProblem(await service.admin.put(address, 'x'), 428, 'precondition_required')
})

test('PUT with a stale If-Match is 412 with the current version, and changes nothing', async () => {
  const address = await newPage('one')
  await service.admin.put(address, 'two', { 'if-match': '"1"' })
  const answer = assertProblem(
    await service.admin.put(address, 'three', { 'if-match': '"1"' }),
    412,
    'precondition_failed',
  )
  assert.deepEqual(Object.keys(answer.json.current).sort(), ['etag', 'updatedAt', 'updatedBy', 'version'])
  assert.equal(answer.json.current.etag, '"2"')
  assert.equal((await service.admin.get(`${address}.md`)).text, 'two')
})

test('If-Match on a page that does not exist is 412', async () => {
  for (const tag of ['"1"', '*']) {
    assertProblem(await service.admin.put('/pages/docs/never', 'x', { 'if-match': tag }), 412, 'precondition_failed')
  }
})

test('If-None-Match: * only creates', async () => {
  const address = `/pages/docs/page-${++count}`
  assertStatus(await service.admin.put(address, 'x', { 'if-none-match': '*' }), 201)
  assertProblem(await service.admin.put(address, 'y', { 'if-none-match': '*' }), 412, 'precondition_failed')
})

test('If-None-Match that is not * does not replace If-Match: 428, for every write', async () => {
  const { admin } = service
  const address = await newPage('mine')
  for (const tag of ['"77"', '"1"', 'garbage', '', ',', 'W/"0"']) {
    const headers = { 'if-none-match': tag }
    assertProblem(await admin.put(address, 'overwritten', headers), 428, 'precondition_required')
    const edits = [{ op: 'append', text: 'overwritten' }]
    assertProblem(await admin.patch(address, { edits }, headers), 428, 'precondition_required')
    assertProblem(await admin.delete(address, headers), 428, 'precondition_required')
    const move = { to: { path: 'elsewhere' } }
    assertProblem(await admin.post(`${address}/move`, move, headers), 428, 'precondition_required')
  }
  assert.equal((await admin.get(`${address}.md`)).text, 'mine')
  // Beside a valid If-Match it is evaluated (RFC 9110, section 13.2.2).
  const both = (tag: string) => ({ 'if-match': '"1"', 'if-none-match': tag })
  assertProblem(await admin.put(address, 'x', both('"1"')), 412, 'precondition_failed')
  assertStatus(await admin.put(address, 'x', both('"77"')), 200)
  assertStatus(await admin.put(`/pages/docs/page-${++count}`, 'x', { 'if-none-match': '"77"' }), 201)
})

test('If-Match compares the version only, and accepts ETags that clients and proxies have changed', async () => {
  const address = await newPage()
  const html = (await service.admin.get(address)).headers.get('etag') ?? ''
  let version = 1
  for (const tag of [html, '2', 'W/"3"', '"4-gzip"', '"5-json"', '"99", "6"', '*', 'W/"8--gzip"']) {
    assertProblem(await service.admin.put(address, 'x', { 'if-match': `"${version + 1}"` }), 412, 'precondition_failed')
    assert.equal(assertStatus(await service.admin.put(address, tag, { 'if-match': tag }), 200).json.version, ++version)
  }
})

test('GET returns HTML by default, also for */*, with Vary and its own ETag', async () => {
  const address = await newPage('# Head\n\n*text*')
  for (const accept of [undefined, '*/*', 'text/html,application/xhtml+xml,*/*;q=0.8']) {
    const answer = await service.admin.get(address, accept ? { accept } : {})
    assertStatus(answer, 200)
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html; charset=utf-8/)
    assert.match(answer.headers.get('etag') ?? '', /^"1-[\w-]{16,}"$/)
    assert.match(answer.headers.get('vary') ?? '', /accept/i)
    assert.match(answer.text, /<em>text<\/em>/)
  }
})

test('GET returns Markdown byte for byte, by suffix or Accept', async () => {
  const body = '---\ntitle: T\n---\r\n# Ünïcode 😀\t \r\n\n\n'
  const address = await newPage(body)
  for (const answer of [
    await service.admin.get(`${address}.md`),
    await service.admin.get(address, { accept: 'text/markdown' }),
  ]) {
    assert.equal(answer.text, body)
    assert.equal(answer.headers.get('etag'), '"1"')
    assert.match(answer.headers.get('content-type') ?? '', /^text\/markdown; charset=utf-8/)
  }
})

test('GET returns the page object with its body as JSON', async () => {
  const address = await newPage('---\ntitle: Given\ntags: [a, 1]\n---\n# Head')
  const answer = await service.admin.page(address)
  assert.equal(answer.headers.get('etag'), '"1-json"')
  assert.equal(answer.json.title, 'Given')
  assert.deepEqual(answer.json.frontmatter, { title: 'Given', tags: ['a', 1] })
  assert.equal(answer.json.body, '---\ntitle: Given\ntags: [a, 1]\n---\n# Head')
})

test('the body is the same in JSON as in Markdown, whatever its characters, and with every read', async () => {
  const body = '# "Quotes" \\ \u0001 \u2028 \u2029 \u{1f600} \r\n\t\ufeff\u007f </script> ünïcode'
  const address = await newPage(body)
  for (let read = 0; read < 3; read++) assert.equal((await service.admin.page(address)).json.body, body)
  const version = assertStatus(await service.admin.page(`${address}/versions/1`), 200).json
  assert.deepEqual(version, (await service.admin.page(address)).json)
})

test('another Accept is 406', async () => {
  const address = await newPage()
  for (const accept of ['image/png', 'text/csv', 'text/html;q=0']) {
    const rejected = assertProblem(await service.admin.get(address, { accept }), 406, 'not_acceptable')
    assert.match(rejected.headers.get('vary') ?? '', /\bAccept\b/)
  }
})

test('If-None-Match returns 304 for its own representation only', async () => {
  const address = await newPage()
  const tags: string[] = []
  for (const accept of ['text/html', 'text/markdown', 'application/json']) {
    const tag = (await service.admin.get(address, { accept })).headers.get('etag') ?? ''
    const again = assertStatus(await service.admin.get(address, { accept, 'if-none-match': `"x", W/${tag}` }), 304)
    assert.equal(again.text, '')
    assert.equal(again.headers.get('etag'), tag)
    for (const other of tags) assertStatus(await service.admin.get(address, { accept, 'if-none-match': other }), 200)
    tags.push(tag)
  }
})

test('HEAD returns the headers of GET without the body', async () => {
  const address = await newPage('12345')
  const head = assertStatus(await service.admin.call('HEAD', `${address}.md`), 200)
  assert.equal(head.text, '')
  assert.equal(head.headers.get('content-length'), '5')
  assert.equal(head.headers.get('etag'), '"1"')
  assert.equal((await service.admin.call('HEAD', '/pages/docs/never')).status, 404)
})

const titles = [
  ['the front matter’s title', '---\ntitle: From front matter\n---\n# Heading', 'From front matter'],
  [
    'the first heading of level 1, without its marks',
    'text\n\n## Zero\n\n# The *first* `one`\n\n# Second',
    'The first one',
  ],
  ['the last segment of the path', 'no heading', undefined],
  ['the heading, where the front matter is malformed', '---\ntitle: [\n---\n# Heading', 'Heading'],
] as const

for (const [what, body, title] of titles) {
  test(`the title is ${what}`, async () => {
    const page = (await service.admin.page(await newPage(body))).json
    assert.equal(page.title, title ?? page.path)
  })
}

test('front matter that is absent or malformed is {}', async () => {
  for (const body of ['x', '---\n- a\n---\n', '---\na: [\n---\n', '---\nnever closed', '---\n&a [*a]\n---\n']) {
    assert.deepEqual((await service.admin.page(await newPage(body))).json.frontmatter, {}, body)
  }
})

test('titles and front matter with characters that the database cannot store do not fail', async () => {
  const address = await newPage('---\ntitle: "a\\0b\\uD800c"\nother: "\\0"\n---\n')
  const page = (await service.admin.page(address)).json
  assert.doesNotMatch(page.title, /\0/)
})

test('PUT takes text/plain, no type, curl’s default and JSON', async () => {
  const types = ['text/markdown', 'text/plain', 'text/markdown; charset=UTF-8', 'application/x-www-form-urlencoded']
  for (const type of types) {
    const address = `/pages/docs/page-${++count}`
    assertStatus(await service.admin.put(address, 'a=1&b=%20+', { 'content-type': type }), 201)
    assert.equal((await service.admin.get(`${address}.md`)).text, 'a=1&b=%20+')
  }
  const bare = `/pages/docs/page-${++count}`
  assertStatus(await service.admin.call('PUT', bare, { body: new TextEncoder().encode('bare') }), 201)
  assert.equal((await service.admin.get(`${bare}.md`)).text, 'bare')
  const json = `/pages/docs/page-${++count}`
  const answer = assertStatus(await service.admin.call('PUT', json, { json: { body: '# J', note: 'by JSON' } }), 201)
  assert.equal(answer.json.note, 'by JSON')
})

test('an empty JSON body is accepted if no body is required, else it is invalid JSON', async () => {
  const { admin } = service
  await admin.space('bare')
  await admin.put('/pages/bare/a', 'one')
  await admin.put('/pages/bare/a', 'two', { 'if-match': '"1"' })
  const bare = (method: string, path: string) =>
    admin.call(method, path, { headers: { 'content-type': 'application/json' } })
  const promoted = assertStatus(await bare('POST', '/pages/bare/a/versions/1/make-latest'), 200)
  assert.equal(promoted.json.version, 3)
  const hook = { url: 'https://example.org/', events: ['*'] }
  const { webhook } = assertStatus(await admin.post('/admin/webhooks', hook), 201).json
  assertStatus(await bare('POST', `/admin/webhooks/${webhook.id}/rotate-secret`), 200)
  assertProblem(await bare('POST', '/spaces'), 400, 'invalid_json')
  assertProblem(await bare('PUT', '/pages/bare/b'), 400, 'invalid_json')
  const blank = { body: ' ', headers: { 'content-type': 'application/json' } }
  assertProblem(await admin.call('POST', '/pages/bare/a/versions/1/make-latest', blank), 400, 'invalid_json')
})

test('an empty body is a page', async () => {
  const address = `/pages/docs/page-${++count}`
  assertStatus(await service.admin.call('PUT', address), 201)
  assert.equal((await service.admin.get(`${address}.md`)).text, '')
})

test('other types and encodings are 415', async () => {
  const address = `/pages/docs/page-${++count}`
  for (const type of [
    'text/html',
    'application/xml',
    'image/png',
    'text/markdown; charset=latin1',
    'multipart/form-data',
  ]) {
    assertProblem(await service.admin.put(address, 'x', { 'content-type': type }), 415, 'unsupported_media_type')
  }
  assertProblem(await service.admin.put(address, 'x', { 'content-encoding': 'gzip' }), 415, 'unsupported_media_type')
  assertProblem(await service.admin.get(address), 404, 'not_found')
})

test('a body that is not UTF-8, or contains NUL, is 400 and writes nothing', async () => {
  const address = `/pages/docs/page-${++count}`
  const headers = { 'content-type': 'text/markdown' }
  assertProblem(
    await service.admin.call('PUT', address, { body: new Uint8Array([0xc3, 0x28]), headers }),
    400,
    'invalid_body',
  )
  assertProblem(await service.admin.put(address, 'a\0b'), 400, 'invalid_body')
  assertProblem(await service.admin.call('PUT', address, { json: { body: 'a\0b' } }), 400, 'invalid_body')
  assertProblem(await service.admin.get(address), 404, 'not_found')
})

test('a sender of a body over the limit reads the error, and its connection stays open', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { hostname, port } = new URL(service.app.address)
  const ports = new Set<number | undefined>()
  const put = (type: string, body: Buffer) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization: `Bearer ${service.admin.key}`, 'content-type': type }
      const sent = request({ agent, hostname, port, method: 'PUT', path: '/pages/docs/big', headers })
      sent.on('error', reject)
      sent.on('response', (response) => {
        ports.add(response.socket.localPort)
        response.resume().on('end', () => resolve(response.statusCode))
      })
      sent.end(body)
    })
  try {
    for (let left = 10; left > 0; left--) {
      assert.equal(await put('text/markdown', Buffer.alloc(20_000_000, 'a')), 413)
      assert.equal(await put('application/json', Buffer.from('{"body":')), 400)
    }
    assert.equal(ports.size, 1)
  } finally {
    agent.destroy()
  }
})

test('a body over the limit is 413, as Markdown and as JSON; one at the limit is not', async () => {
  const address = `/pages/docs/page-${++count}`
  assertProblem(await service.admin.put(address, 'x'.repeat(100_001)), 413, 'payload_too_large')
  assertProblem(
    await service.admin.call('PUT', address, { json: { body: 'x'.repeat(100_001) } }),
    413,
    'payload_too_large',
  )
  assertProblem(
    await service.admin.call('PUT', address, { json: { body: 'x'.repeat(800_000) } }),
    413,
    'payload_too_large',
  )
  assertStatus(await service.admin.put(address, 'x'.repeat(100_000)), 201)
  assertStatus(
    await service.admin.call('PUT', address, {
      json: { body: '\u0001'.repeat(100_000) },
      headers: { 'if-match': '*' },
    }),
    200,
  )
})

test('JSON that is malformed, or has unknown or missing members, is 400 with issues', async () => {
  const address = `/pages/docs/page-${++count}`
  const json = { 'content-type': 'application/json' }
  assertProblem(await service.admin.put(address, '{', json), 400, 'invalid_json')
  assertProblem(await service.admin.put(address, '{"body":"a","body":"b"}', json), 400, 'invalid_json')
  const unknown = assertProblem(
    await service.admin.put(address, '{"body":"a","titel":"b"}', json),
    400,
    'invalid_request',
  )
  assert.deepEqual(
    unknown.json.issues.map((issue: { path: string }) => issue.path),
    ['/titel'],
  )
  assertProblem(await service.admin.put(address, '{}', json), 400, 'invalid_request')
  assertProblem(await service.admin.put(address, '{"body":1}', json), 400, 'invalid_request')
  assertProblem(await service.admin.put(`${address}?nota=1`, 'x'), 400, 'invalid_request')
})

test('a page in a space that does not exist is 404', async () => {
  assertProblem(await service.admin.put('/pages/nowhere/x', 'x'), 404, 'not_found')
  assertProblem(await service.admin.get('/pages/nowhere/x'), 404, 'not_found')
})

test('the personal space has the same routes', async () => {
  assertStatus(await service.admin.put('/pages/personal/notes/a', '# Mine'), 201)
  assert.equal((await service.admin.page('/pages/personal/notes/a')).json.space, 'personal')
  assert.equal((await service.admin.get('/pages/personal/notes/a.md')).text, '# Mine')
  assertStatus(await service.admin.put('/pages/personal/notes/a', '# Mine 2', { 'if-match': '"1"' }), 200)
  assert.equal((await service.admin.get('/pages/personal/notes/a/versions')).json.items.length, 2)
  assertStatus(await service.admin.post('/pages/personal/notes/a/versions/1/make-latest'), 200)
  assert.deepEqual(
    (await service.admin.all('/pages/personal')).map((page) => page.path),
    ['notes/a'],
  )
})
