import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingHttpHeaders, request } from 'node:http'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { sendForm, sessionCookieOf } from '../support/browser-session.ts'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

const BODY = `# Long\n\n${'The same words again. '.repeat(400)}`
let service: Service
before(async () => {
  service = await startService()
  await service.admin.space('docs')
  assertStatus(await service.admin.put('/pages/docs/long', BODY), 201)
  assertStatus(await service.admin.put('/pages/docs/short', 'short'), 201)
})
after(() => service[Symbol.asyncDispose]())

interface Response {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  /** As it was sent. */
  readonly bytes: Buffer
}

/** A request that neither adds Accept-Encoding nor decodes the response. */
async function ask(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
  key = service.admin.key ?? '',
): Promise<Response> {
  const authorization = key === '' ? {} : { authorization: `Bearer ${key}` }
  const sent = request(service.admin.base + path, { method, headers: { ...authorization, ...headers } })
  const [response] = await once(sent.end(), 'response')
  return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(await response.toArray()) }
}

const GZIP = { 'accept-encoding': 'gzip' }
const JSON_TYPE = { accept: 'application/json' }

test('decisions 3: Markdown, JSON, the reference and the OpenAPI document are gzipped where the client accepts it', async () => {
  for (const [path, headers] of [
    ['/pages/docs/long.md', {}],
    ['/pages/docs/long', JSON_TYPE],
    ['/pages/docs/long', { accept: 'text/html' }],
    ['/docs', {}],
    ['/openapi.json', {}],
  ] as const) {
    const plain = await ask(path, headers)
    const zipped = await ask(path, { ...headers, ...GZIP })
    assert.equal(plain.headers['content-encoding'], undefined, path)
    assert.equal(zipped.headers['content-encoding'], 'gzip', path)
    assert.match(String(plain.headers.vary), /Accept-Encoding/, path)
    assert.match(String(zipped.headers.vary), /Accept-Encoding/, path)
    assert.equal(zipped.headers['content-length'], String(zipped.bytes.length))
    assert.ok(gunzipSync(zipped.bytes).equals(plain.bytes), path)
    assert.ok(zipped.bytes.length < plain.bytes.length / 2, path)
  }
})

test('small responses, refused encodings and streams stay as they are', async () => {
  for (const encoding of ['gzip;q=0', 'br', 'identity']) {
    const { headers, bytes } = await ask('/pages/docs/long.md', { 'accept-encoding': encoding })
    assert.equal(headers['content-encoding'], undefined, encoding)
    assert.equal(bytes.toString(), BODY)
  }
  assert.equal((await ask('/pages/docs/short.md', GZIP)).headers['content-encoding'], undefined)
  assert.equal((await ask('/spaces/docs/export', GZIP)).headers['content-encoding'], undefined)
})

test('the weights of Accept-Encoding decide (RFC 9110, section 12.5.3)', async () => {
  const cases = {
    'gzip;q=0.5, identity;q=1': false,
    'identity, gzip;q=0.2': false,
    'gzip;q=0.5, identity;q=0.5': true,
    'identity;q=0.5, gzip;q=1.0': true,
    'gzip, deflate, br, zstd': true,
    'br;q=1, gzip;q=0.8': true,
    'x-gzip': true,
    '*': true,
    '*;q=0': false,
    '*;q=0.5, gzip;q=0': false,
    'gzip ; Q = 0': false,
    'gzip;q=0.000': false,
    'gzip;q=x': false,
    'gzip;q=0.001': true,
    'identity;q=0, *;q=0.1': true,
    '': false,
  }
  for (const path of ['/pages/docs/long.md', '/pages/docs/long']) {
    for (const [accepted, isZipped] of Object.entries(cases)) {
      const { headers } = await ask(path, { accept: '*/*', 'accept-encoding': accepted })
      assert.equal(headers['content-encoding'], isZipped ? 'gzip' : undefined, `${path} ${accepted}`)
      assert.match(String(headers.vary), /Accept-Encoding/, path)
    }
  }
})

test('a compressed response has its own ETag and digest; ranges are of the uncompressed one', async () => {
  const plain = await ask('/pages/docs/long.md')
  const zipped = await ask('/pages/docs/long.md', GZIP)
  assert.deepEqual([plain.headers.etag, zipped.headers.etag], ['"1"', '"1-gzip"'])
  const digest = createHash('sha256').update(zipped.bytes).digest('base64')
  assert.equal(zipped.headers['repr-digest'], `sha-256=:${digest}:`)
  const head = await ask('/pages/docs/long.md', GZIP, 'HEAD')
  for (const name of ['etag', 'content-encoding', 'content-length', 'repr-digest', 'vary']) {
    assert.equal(head.headers[name], zipped.headers[name], name)
  }
  assert.equal(head.bytes.length, 0)
  assert.equal((await ask('/pages/docs/long.md', { ...GZIP, 'if-none-match': '"1-gzip"' })).status, 304)
  const part = await ask('/pages/docs/long.md', { ...GZIP, range: 'bytes=0-5' })
  assert.deepEqual([part.status, part.headers['content-encoding'], part.bytes.toString()], [206, undefined, '# Long'])
  // The tag of the compressed response is as good as the other one for writing.
  assertStatus(await service.admin.put('/pages/docs/long', `${BODY}!`, { 'if-match': '"1-gzip"' }), 200)
  assertStatus(await service.admin.put('/pages/docs/long', BODY, { 'if-match': '"2"' }), 200)
})

test('a list is compressed after its members were selected', async () => {
  for (let n = 0; n < 20; n++) await service.admin.put(`/pages/docs/n/${n}`, 'x')
  const { headers, bytes } = await ask('/spaces/docs/pages?fields=path,title,url', GZIP)
  assert.equal(headers['content-encoding'], 'gzip')
  const { items } = JSON.parse(gunzipSync(bytes).toString())
  assert.deepEqual(Object.keys(items[0]).sort(), ['path', 'title', 'url'])
})

test('screens with forms are compressed, as their CSRF token is masked anew in each response (BREACH)', async () => {
  const form = { key: service.admin.key ?? '' }
  const headers = { ...GZIP, cookie: sessionCookieOf(await sendForm(service.as(''), '/sign-in', form)) }
  const tokens = new Set<string>()
  for (const path of ['/', '/account', '/browse/docs', '/edit/docs/long', '/account']) {
    const screen = await ask(path, headers, 'GET', '')
    assert.equal(screen.headers['content-encoding'], 'gzip', path)
    const token = /name="csrf" value="([\w-]+)"/.exec(gunzipSync(screen.bytes).toString())?.[1]
    if (token !== undefined) tokens.add(token)
  }
  assert.ok(tokens.size >= 4, `${tokens.size} tokens`)
})
