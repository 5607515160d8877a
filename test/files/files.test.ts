import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { getBytes, png, putBytes, sha256, someBytes } from '../support/files.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
  await admin.space('docs')
})
after(() => nodes[Symbol.asyncDispose]())

test('a file is created with 201 and its object, and read byte for byte with its attributes in headers', async () => {
  const bytes = someBytes(1_500_000)
  const made = assertStatus(await putBytes(admin, '/files/docs/a/raw.bin', bytes), 201)
  assert.equal(made.headers.get('location'), `${admin.base}/files/docs/a/raw.bin`)
  assert.equal(made.headers.get('etag'), '"1"')
  const me = (await admin.get('/me')).json
  const actor = { id: me.id, name: me.name, kind: me.kind }
  const { createdAt, updatedAt, ...rest } = made.json
  assert.equal(createdAt, updatedAt)
  assert.deepEqual(rest, {
    space: 'docs',
    path: 'a/raw.bin',
    url: `${admin.base}/files/docs/a/raw.bin`,
    size: bytes.length,
    contentType: 'application/octet-stream',
    digest: sha256(bytes).toString('hex'),
    width: null,
    height: null,
    version: 1,
    etag: '"1"',
    createdBy: actor,
    updatedBy: actor,
    usedBy: [],
  })
  const read = await getBytes(nodes.admins[1], '/files/docs/a/raw.bin')
  assert.equal(read.status, 200)
  assert.ok(read.bytes.equals(bytes))
  const header = (name: string) => read.headers.get(name)
  assert.equal(header('content-length'), String(bytes.length))
  assert.equal(header('content-type'), 'application/octet-stream')
  assert.equal(header('content-disposition'), 'attachment; filename=raw.bin')
  assert.equal(header('repr-digest'), `sha-256=:${sha256(bytes).toString('base64')}:`)
  assert.equal(header('etag'), '"1"')
  assert.equal(header('last-modified'), new Date(Math.floor(Date.parse(updatedAt) / 1000) * 1000).toUTCString())
  assert.equal(header('accept-ranges'), 'bytes')
  assert.equal(header('x-content-type-options'), 'nosniff')
  assert.match(header('content-security-policy') ?? '', /default-src 'none';.*; sandbox$/)
  const object = assertStatus(await admin.page('/files/docs/a/raw.bin'), 200)
  assert.deepEqual(object.json, made.json)
  assert.equal(object.headers.get('etag'), '"1-json"')
  const head = await getBytes(admin, '/files/docs/a/raw.bin', {}, 'HEAD')
  assert.equal(head.headers.get('content-length'), String(bytes.length))
  assert.equal(head.bytes.length, 0)
})

test('every write creates a version, requires If-Match, and keeps old versions readable', async () => {
  const [one, two] = [someBytes(10), someBytes(300_000)]
  assertStatus(await putBytes(admin, '/files/docs/v', one), 201)
  assertProblem(await putBytes(admin, '/files/docs/v', two), 428, 'precondition_required')
  const stale = assertProblem(
    await putBytes(admin, '/files/docs/v', two, { 'if-match': '"9"' }),
    412,
    'precondition_failed',
  )
  assert.equal(stale.json.current.version, 1)
  assertProblem(await putBytes(admin, '/files/docs/v', two, { 'if-none-match': '*' }), 412, 'precondition_failed')
  assertProblem(await putBytes(admin, '/files/docs/w', two, { 'if-match': '"1"' }), 412, 'precondition_failed')
  const written = assertStatus(await putBytes(admin, '/files/docs/v', two, { 'if-match': '"1-json"' }), 200)
  assert.equal(written.json.version, 2)
  assert.ok((await getBytes(admin, '/files/docs/v')).bytes.equals(two))
  const old = await getBytes(admin, '/files/docs/v?version=1')
  assert.ok(old.bytes.equals(one))
  assert.equal(old.headers.get('etag'), '"1"')
  assertProblem(await admin.get('/files/docs/v?version=3'), 404, 'not_found')
  assertProblem(await admin.get('/files/docs/v?version=x'), 400, 'invalid_request')
  const versions = await admin.all('/files/docs/v/versions?limit=1')
  assert.deepEqual(
    versions.map(({ version, size, isLatest }) => [version, size, isLatest]),
    [
      [2, two.length, true],
      [1, one.length, false],
    ],
  )
})

test('of concurrent writers with one ETag on two nodes exactly one succeeds', async () => {
  assertStatus(await putBytes(admin, '/files/docs/race', someBytes(10)), 201)
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      putBytes(nodes.admins[n % 2] ?? admin, '/files/docs/race', someBytes(600_000), { 'if-match': '"1"' }),
    ),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412, 412, 412, 412, 412, 412])
})

test('conditional reads return 304 and 412', async () => {
  assertStatus(await putBytes(admin, '/files/docs/cond', png(3, 2)), 201)
  const { headers } = await getBytes(admin, '/files/docs/cond')
  const since = headers.get('last-modified') ?? ''
  const status = async (conditions: Record<string, string>) =>
    (await getBytes(admin, '/files/docs/cond', conditions)).status
  assert.equal(await status({ 'if-none-match': '"1"' }), 304)
  assert.equal(await status({ 'if-none-match': '"2"' }), 200)
  assert.equal(await status({ 'if-modified-since': since }), 304)
  assert.equal(await status({ 'if-match': '"1"' }), 200)
  assert.equal(await status({ 'if-match': '"2"' }), 412)
  assert.equal(await status({ 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' }), 412)
})

test('range requests follow RFC 9110', async () => {
  const bytes = someBytes(700_000)
  assertStatus(await putBytes(admin, '/files/docs/range', bytes), 201)
  const get = (range: string, more = {}) => getBytes(admin, '/files/docs/range', { range, ...more })
  for (const [range, start, end] of [
    ['bytes=0-0', 0, 1],
    ['bytes=262143-262144', 262_143, 262_145],
    ['bytes=-5', 699_995, 700_000],
    ['bytes=600000-', 600_000, 700_000],
  ] as const) {
    const part = await get(range)
    assert.equal(part.status, 206, range)
    assert.equal(part.headers.get('content-range'), `bytes ${start}-${end - 1}/700000`)
    assert.equal(part.headers.get('content-length'), String(end - start))
    assert.ok(part.bytes.equals(bytes.subarray(start, end)), range)
  }
  const several = await get('bytes=500000-500002, 0-1')
  assert.equal(several.status, 206)
  const boundary = /^multipart\/byteranges; boundary=(.+)$/.exec(several.headers.get('content-type') ?? '')?.[1]
  const part = (start: number, end: number) => [
    Buffer.from(
      `--${boundary}\r\nContent-Type: application/octet-stream\r\nContent-Range: bytes ${start}-${end}/700000\r\n\r\n`,
    ),
    bytes.subarray(start, end + 1),
    Buffer.from('\r\n'),
  ]
  const expected = Buffer.concat([...part(500_000, 500_002), ...part(0, 1), Buffer.from(`--${boundary}--\r\n`)])
  assert.ok(several.bytes.equals(expected))
  const none = await get('bytes=700000-')
  assert.equal(none.status, 416)
  assert.equal(none.headers.get('content-range'), 'bytes */700000')
  // These headers would describe the problem document.
  for (const name of ['repr-digest', 'content-disposition']) assert.equal(none.headers.get(name), null, name)
  for (const range of ['bytes=5-2', 'lines=1-2']) assert.equal((await get(range)).status, 200, range)
  assert.equal((await get('bytes=0-0', { 'if-range': '"1"' })).status, 206)
  // Another version may have the same second.
  const lastModified = several.headers.get('last-modified') ?? ''
  for (const other of ['"2"', 'W/"1"', lastModified]) {
    assert.equal((await get('bytes=0-0', { 'if-range': other })).status, 200, other)
  }
})

test('the content type follows from the bytes; only safe types are shown in place', async () => {
  const svg = '<?xml version="1.0"?><!-- x --><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
  const cases: [string, Buffer, string, string][] = [
    ['p.txt', png(4, 3), 'image/png', 'inline'],
    ['p.pdf', Buffer.from('%PDF-1.7\n%âãÏÓ\n'), 'application/pdf', 'inline'],
    ['x.png', Buffer.from('<!doctype html><script>alert(1)</script>'), 'text/plain; charset=utf-8', 'attachment'],
    ['x.svg', Buffer.from(svg), 'image/svg+xml', 'attachment'],
    [
      'x.html',
      Buffer.from('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>'),
      'text/plain; charset=utf-8',
      'attachment',
    ],
    ['empty', Buffer.alloc(0), 'text/plain; charset=utf-8', 'attachment'],
    ['bin', Buffer.from([0, 1, 2, 255]), 'application/octet-stream', 'attachment'],
  ]
  for (const [name, bytes, type, disposition] of cases) {
    const made = await putBytes(admin, `/files/docs/types/${name}`, bytes, { 'content-type': 'text/html' })
    assertStatus(made, 201)
    assert.equal(made.json.contentType, type, name)
    const read = await getBytes(admin, `/files/docs/types/${name}`)
    assert.equal(read.headers.get('content-type'), type)
    assert.equal(read.headers.get('content-disposition'), `${disposition}; filename=${name}`)
    assert.ok(read.bytes.equals(bytes))
  }
  const image = (await admin.page('/files/docs/types/p.txt')).json
  assert.deepEqual([image.width, image.height], [4, 3])
  const download = await getBytes(admin, '/files/docs/types/p.txt?download=true')
  assert.match(download.headers.get('content-disposition') ?? '', /^attachment/)
})

test('non-ASCII and hostile names are quoted according to RFC 6266 and 8187', async () => {
  const cases = {
    'ä €.png': 'attachment; filename="? ?.png"; filename*=UTF-8\'\'%C3%A4%20%E2%82%AC.png',
    'a"b;c.txt': 'attachment; filename="a\\"b;c.txt"',
    '<script>.html': 'attachment; filename="<script>.html"',
  }
  for (const [name, expected] of Object.entries(cases)) {
    const path = `/files/docs/names/${encodeURIComponent(name)}`
    assertStatus(await putBytes(admin, path, Buffer.from([0])), 201)
    const read = await getBytes(admin, path)
    assert.equal(read.headers.get('content-disposition'), expected)
  }
})
