import assert from 'node:assert/strict'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { getBytes, png, putBytes, sha256, someBytes } from '../support/files.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson } from '../support/people.ts'
import { startService } from '../support/service.ts'

const MAX_BYTES = 3_000_000

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes({ SVC_MAX_FILE_BYTES: String(MAX_BYTES), SVC_SPACE_QUOTA_BYTES: '7000000' })
  admin = nodes.admins[0]
  await admin.space('docs')
})
after(() => nodes[Symbol.asyncDispose]())

/** What is stored, in the whole database; the sweep may delete at any time what nothing refers to. */
async function stored() {
  const { rows } = await nodes.query(
    `select (select count(distinct digest)::int from space_blob) as blobs,
       (select count(*)::int from blob_upload where leased_until > '-infinity') as uploads,
       (select count(*)::int from blob_chunk c where not exists (select 1 from blob b where b.upload_id = c.upload_id)
         and not exists (select 1 from blob_upload u where u.id = c.upload_id)) as lost`,
  )
  return rows[0]
}

test('a file is created with 201 and its object, and read byte for byte with its attributes in headers', async () => {
  const bytes = someBytes(1_500_000)
  const made = assertStatus(await putBytes(admin, '/files/docs/a/raw.bin', bytes), 201)
  assert.equal(made.headers.get('location'), '/files/docs/a/raw.bin')
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
  assert.equal(
    header('last-modified'),
    new Date(Math.floor(Date.parse(updatedAt) / 1000) * 1000).toUTCString(),
  )
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
  assertProblem(
    await putBytes(admin, '/files/docs/v', two, { 'if-none-match': '*' }),
    412,
    'precondition_failed',
  )
  assertProblem(
    await putBytes(admin, '/files/docs/w', two, { 'if-match': '"1"' }),
    412,
    'precondition_failed',
  )
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
  const several = await get('bytes=0-1, 500000-500002')
  assert.equal(several.status, 206)
  const boundary = /^multipart\/byteranges; boundary=(.+)$/.exec(
    several.headers.get('content-type') ?? '',
  )?.[1]
  const part = (start: number, end: number) => [
    Buffer.from(
      `--${boundary}\r\nContent-Type: application/octet-stream\r\nContent-Range: bytes ${start}-${end}/700000\r\n\r\n`,
    ),
    bytes.subarray(start, end + 1),
    Buffer.from('\r\n'),
  ]
  const expected = Buffer.concat([
    ...part(0, 1),
    ...part(500_000, 500_002),
    Buffer.from(`--${boundary}--\r\n`),
  ])
  assert.ok(several.bytes.equals(expected))
  const none = await get('bytes=700000-')
  assert.equal(none.status, 416)
  assert.equal(none.headers.get('content-range'), 'bytes */700000')
  for (const range of ['bytes=5-2', 'lines=1-2']) assert.equal((await get(range)).status, 200, range)
  assert.equal((await get('bytes=0-0', { 'if-range': '"1"' })).status, 206)
  assert.equal((await get('bytes=0-0', { 'if-range': '"2"' })).status, 200)
})

test('the content type follows from the bytes; only safe types are shown in place', async () => {
  const svg =
    '<?xml version="1.0"?><!-- x --><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
  const cases: [string, Buffer, string, string][] = [
    ['p.txt', png(4, 3), 'image/png', 'inline'],
    ['p.pdf', Buffer.from('%PDF-1.7\n%âãÏÓ\n'), 'application/pdf', 'inline'],
    [
      'x.png',
      Buffer.from('<!doctype html><script>alert(1)</script>'),
      'text/plain; charset=utf-8',
      'attachment',
    ],
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

test('Repr-Digest is checked, and a mismatch stores nothing', async () => {
  const bytes = someBytes(400_000)
  const right = `sha-256=:${sha256(bytes).toString('base64')}:`
  const wrong = `sha-256=:${sha256(Buffer.from('x')).toString('base64')}:`
  const before = await stored()
  const put = (headers: Record<string, string>) => putBytes(admin, '/files/docs/digest', bytes, headers)
  assertProblem(await put({ 'repr-digest': wrong }), 400, 'digest_mismatch')
  assertProblem(await put({ 'content-digest': wrong }), 400, 'digest_mismatch')
  assertProblem(await put({ 'repr-digest': 'sha-256=abc' }), 400, 'invalid_request')
  assertProblem(await put({ 'content-range': 'bytes 0-1/2' }), 400, 'invalid_request')
  assert.deepEqual(await stored(), before)
  assertStatus(await put({ 'repr-digest': `sha-512=:AA==:, ${right}` }), 201)
})

test('a file that is too large is rejected by its length or during the upload, and nothing is stored', async () => {
  const before = await stored()
  const early = await putBytes(admin, '/files/docs/large', Buffer.alloc(MAX_BYTES + 1))
  assert.equal(assertProblem(early, 413, 'file_too_large').json.maxBytes, MAX_BYTES)
  const { promise: status, resolve } = Promise.withResolvers<number | undefined>()
  const upload = request(
    `${admin.base}/files/docs/large`,
    { method: 'PUT', headers: { authorization: `Bearer ${admin.key}` } },
    (response) => {
      response.resume()
      resolve(response.statusCode)
    },
  )
  upload.end(Buffer.alloc(MAX_BYTES + 1_000_000))
  assert.equal(await status, 413)
  assertProblem(await admin.get('/files/docs/large'), 404, 'not_found')
  assert.deepEqual(await stored(), before)
})

test('an upload that its client aborts stores nothing', async () => {
  const before = await stored()
  const upload = request(`${admin.base}/files/docs/left`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${admin.key}`, 'content-length': 2_000_000 },
  })
  upload.on('error', () => {}) // it is destroyed
  upload.write(Buffer.alloc(1_000_000))
  await until(async () => (await stored()).uploads > before.uploads)
  upload.destroy()
  await until(async () => JSON.stringify(await stored()) === JSON.stringify(before))
  assertProblem(await admin.get('/files/docs/left'), 404, 'not_found')
})

test('a stalled upload gets 408 and stores nothing', async () => {
  await using slow = await startService({ SVC_REQUEST_TIMEOUT_MS: '500' })
  await slow.admin.space('docs')
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; body: string }>()
  const upload = request(
    `${slow.admin.base}/files/docs/idle`,
    {
      method: 'PUT',
      headers: { authorization: `Bearer ${slow.admin.key}`, 'content-length': 600_000 },
    },
    (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject)
    },
  )
  upload.on('error', reject)
  upload.write(Buffer.alloc(300_000))
  const { status, body } = await promise
  assert.deepEqual([status, JSON.parse(body).code], [408, 'request_timeout'])
  assertProblem(await slow.admin.get('/files/docs/idle'), 404, 'not_found')
})

test('an upload that lost a chunk in a crash of the database is rejected, and stores no file', async () => {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; body: string }>()
  const bytes = someBytes(600_000)
  const upload = request(
    `${admin.base}/files/docs/damaged`,
    {
      method: 'PUT',
      headers: { authorization: `Bearer ${admin.key}`, 'content-length': bytes.length },
    },
    (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject)
    },
  )
  upload.on('error', reject)
  upload.write(bytes.subarray(0, 400_000))
  // Chunks are committed asynchronously: a crash loses those that were not flushed yet.
  const lose = `delete from blob_chunk where upload_id in (select id from blob_upload where leased_until > now()) returning 1`
  await until(async () => (await nodes.query(lose)).rows.length > 0)
  upload.end(bytes.subarray(400_000))
  const { status, body } = await promise
  assert.deepEqual([status, JSON.parse(body).code], [408, 'upload_expired'])
  assertProblem(await admin.get('/files/docs/damaged'), 404, 'not_found')
  assertStatus(await putBytes(admin, '/files/docs/damaged', bytes), 201)
})

test('equal bytes are stored once, and count once for the quota of a space', async () => {
  await admin.space('quota')
  const bytes = someBytes(2_900_000)
  const before = await stored()
  for (const name of ['a', 'b', 'c', 'd']) {
    assertStatus(await putBytes(admin, `/files/quota/${name}`, bytes), 201)
  }
  await admin.space('quota-too')
  assertStatus(await putBytes(admin, '/files/quota-too/a', bytes), 201)
  // The bytes that were there already are deleted once the response is sent.
  await until(async () => (await stored()).uploads === before.uploads)
  const after = await stored()
  assert.deepEqual([after.blobs - before.blobs, after.lost], [1, 0])
  assertStatus(await putBytes(admin, '/files/quota/e', someBytes(2_900_000)), 201)
  const full = await putBytes(admin, '/files/quota/f', someBytes(2_900_000))
  assert.equal(assertProblem(full, 413, 'quota_exceeded').json.quotaBytes, 7_000_000)
  const kept = await stored()
  assert.deepEqual([kept.blobs, kept.uploads, kept.lost], [after.blobs + 1, before.uploads, 0])
  assertStatus(await admin.delete('/files/quota/e?purge=true', { 'if-match': '*' }), 204)
  assertStatus(await putBytes(admin, '/files/quota/f', someBytes(2_900_000)), 201)
})

test('a retry with the same Idempotency-Key gets the stored response; other bytes are rejected', async () => {
  const key = { 'idempotency-key': 'file-1' }
  const bytes = someBytes(500_000)
  const first = assertStatus(await putBytes(admin, '/files/docs/once', bytes, key), 201)
  const again = assertStatus(await putBytes(nodes.admins[1], '/files/docs/once', bytes, key), 201)
  assert.equal(again.headers.get('idempotency-replayed'), 'true')
  assert.deepEqual(again.json, first.json)
  assert.equal(again.headers.get('etag'), '"1"')
  assertProblem(await putBytes(admin, '/files/docs/once', someBytes(9), key), 422, 'idempotency_key_reused')
  assert.equal((await admin.all('/files/docs/once/versions')).length, 1)
})

test('a form creates several files, all or none', async () => {
  const form = (...files: [string, Buffer][]) => {
    const data = new FormData()
    data.append('folder', 'pics')
    for (const [name, bytes] of files) data.append('file', new Blob([Uint8Array.from(bytes)]), name)
    return data
  }
  const post = async (body: FormData, headers: Record<string, string> = {}) => {
    const authorization = `Bearer ${admin.key}`
    const response = await fetch(`${admin.base}/files/docs`, {
      method: 'POST',
      headers: { authorization, ...headers },
      body,
    })
    // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
    return { status: response.status, json: (await response.json()) as any }
  }
  const image = png(5, 5)
  const made = await post(form(['ü.png', image], ['two.bin', someBytes(300_000)]))
  assert.equal(made.status, 201)
  assert.deepEqual(
    made.json.files.map((file: { path: string; contentType: string }) => [file.path, file.contentType]),
    [
      ['pics/ü.png', 'image/png'],
      ['pics/two.bin', 'application/octet-stream'],
    ],
  )
  assert.ok((await getBytes(admin, `/files/docs/pics/${encodeURIComponent('ü.png')}`)).bytes.equals(image))
  const before = await stored()
  const taken = await post(form(['new.bin', someBytes(10)], ['two.bin', someBytes(10)]))
  assert.deepEqual([taken.status, taken.json.code], [409, 'file_exists'])
  assertProblem(await admin.get('/files/docs/pics/new.bin'), 404, 'not_found')
  const large = await post(form(['new.bin', someBytes(10)], ['large', Buffer.alloc(MAX_BYTES + 1)]))
  assert.deepEqual([large.status, large.json.code], [413, 'file_too_large'])
  assert.equal((await post(form())).json.code, 'invalid_request')
  assertProblem(await admin.post('/files/docs', { a: 1 }), 415, 'unsupported_media_type')
  const cut = await admin.call('POST', '/files/docs', {
    body: '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
  })
  assertProblem(cut, 400, 'invalid_request')
  assert.deepEqual(await stored(), before)
})

test('delete, restore and purge follow the rules of pages, and versions never restart', async () => {
  const [one, two] = [someBytes(20), someBytes(30)]
  assertStatus(await putBytes(admin, '/files/docs/life', one), 201)
  assertProblem(await admin.delete('/files/docs/life'), 428, 'precondition_required')
  assertStatus(await admin.delete('/files/docs/life', { 'if-match': '"1"' }), 204)
  const me = (await admin.get('/me')).json
  const gone = assertProblem(await admin.get('/files/docs/life'), 410, 'file_deleted')
  assert.equal(gone.json.deletedBy.id, me.id)
  const [item] = await admin.all('/spaces/docs/files/trash')
  assert.deepEqual([item.path, item.version, item.restorable], ['life', 1, true])
  const back = assertStatus(await admin.post('/files/docs/life/restore'), 200)
  assert.deepEqual([back.json.version, back.headers.get('etag')], [2, '"2"'])
  assert.ok((await getBytes(admin, '/files/docs/life')).bytes.equals(one))
  assertProblem(await admin.post('/files/docs/life/restore'), 409, 'file_exists')
  assertStatus(await admin.delete('/files/docs/life', { 'if-match': '*' }), 204)
  assert.equal(assertStatus(await putBytes(admin, '/files/docs/life', two), 201).json.version, 3)
  assertStatus(await admin.delete('/files/docs/life?purge=true', { 'if-match': '"3"' }), 204)
  assertProblem(await admin.get('/files/docs/life'), 410, 'file_deleted')
  assertStatus(await admin.delete('/files/docs/life?purge=true'), 204)
  assertProblem(await admin.get('/files/docs/life'), 404, 'not_found')
  assert.equal(assertStatus(await putBytes(admin, '/files/docs/life', one), 201).json.version, 4)
  const audit = await admin.all('/admin/audit?action=file.purged')
  assert.deepEqual(
    audit.map(({ details }) => details.path),
    ['life', 'life', 'e'],
  )
})

test('a move keeps versions and redirects, within a space and to another one', async () => {
  await admin.space('target')
  const bytes = someBytes(300_000)
  assertStatus(await putBytes(admin, '/files/docs/m/a', bytes), 201)
  const move = (path: string, to: object, headers = { 'if-match': '*' }) =>
    admin.post(`${path}/move`, { to }, headers)
  assertProblem(await move('/files/docs/m/a', { path: 'm/a' }), 409, 'file_exists')
  assertProblem(await admin.post('/files/docs/m/a/move', { to: { path: 'b' } }), 428, 'precondition_required')
  const moved = assertStatus(await move('/files/docs/m/a', { path: 'm/versions' }), 200)
  assert.deepEqual([moved.json.path, moved.json.version], ['m/versions', 1])
  assert.equal(moved.json.url, `${admin.base}/files/docs/m%2Fversions`)
  const old = await admin.get('/files/docs/m/a?version=1')
  assertProblem(old, 308, 'file_moved')
  assert.equal(old.headers.get('location'), '/files/docs/m%2Fversions?version=1')
  const there = assertStatus(await move('/files/docs/m%2Fversions', { space: 'target', path: 'x' }), 200)
  assert.equal(there.json.space, 'target')
  assert.equal(
    (await admin.get('/files/docs/m/a/versions')).headers.get('location'),
    '/files/target/x/versions',
  )
  assert.ok((await getBytes(admin, '/files/target/x')).bytes.equals(bytes))
  assertStatus(await putBytes(admin, '/files/docs/m/a', someBytes(5)), 201)
  assertProblem(await move('/files/docs/m/a', { space: 'target', path: 'x' }), 409, 'file_exists')
  // Versions of a path never restart: x had version 1.
  assertStatus(await admin.delete('/files/target/x', { 'if-match': '*' }), 204)
  assert.equal(
    assertStatus(await move('/files/docs/m/a', { space: 'target', path: 'x' }), 200).json.version,
    2,
  )
  const { rows } = await nodes.query(
    `select count(*)::int as lost from space_blob b where not exists
       (select 1 from file_version v where v.space_id = b.space_id and v.digest = b.digest)`,
  )
  assert.equal(rows[0].lost, 0)
})

test('files of a space are listed by path, filtered by prefix, text and type', async () => {
  await admin.space('listed')
  for (const path of ['b/two.png', 'a', 'b/one.png', 'c/Note.txt']) {
    assertStatus(
      await putBytes(admin, `/files/listed/${path}`, path.endsWith('png') ? png(2, 2) : Buffer.from(path)),
      201,
    )
  }
  const paths = async (query: string) =>
    (await admin.all(`/spaces/listed/files?limit=1${query}`)).map(({ path }) => path)
  assert.deepEqual(await paths(''), ['a', 'b/one.png', 'b/two.png', 'c/Note.txt'])
  assert.deepEqual(await paths('&prefix=b/'), ['b/one.png', 'b/two.png'])
  assert.deepEqual(await paths('&q=note'), ['c/Note.txt'])
  assert.deepEqual(await paths('&type=image/'), ['b/one.png', 'b/two.png'])
  assert.deepEqual(await paths('&type=text/plain'), ['a', 'c/Note.txt'])
  const { nextCursor } = (await admin.get('/spaces/listed/files?limit=1')).json
  assertProblem(await admin.get(`/spaces/listed/files?q=x&cursor=${nextCursor}`), 400, 'invalid_cursor')
})

test('a file and a page can have the same path, and paths follow the rules of pages', async () => {
  assertStatus(await admin.put('/pages/docs/same', '# Page'), 201)
  assertStatus(await putBytes(admin, '/files/docs/same', someBytes(3)), 201)
  assertStatus(await putBytes(admin, '/files/docs/note.md', Buffer.from('# x')), 201)
  assert.equal((await admin.page('/files/docs/note.md')).json.path, 'note.md')
  for (const path of [
    'a//b',
    'a%2F..%2Fb',
    'a%00b',
    `${'x'.repeat(256)}`,
    'a%5Cb',
    ' a'.replace(' ', '%20'),
  ]) {
    assertProblem(await putBytes(admin, `/files/docs/${path}`, someBytes(3)), 400, 'invalid_path')
  }
})

test('without access to a space its files look missing; viewers read, editors write', async () => {
  await admin.space('private', { visibility: 'private' })
  assertStatus(await putBytes(admin, '/files/private/x', someBytes(3)), 201)
  const { client, id } = await newPerson(admin, 'Viewer')
  const hidden = assertProblem(await client.get('/files/private/x'), 404, 'not_found')
  const absent = assertProblem(await client.get('/files/privata/x'), 404, 'not_found')
  assert.equal(hidden.json.detail.replace('private', 'privata'), absent.json.detail)
  assertProblem(await putBytes(client, '/files/private/y', someBytes(3)), 404, 'not_found')
  await admin.call('PUT', `/spaces/private/members/${id}`, { json: { role: 'viewer' } })
  assertStatus(await client.page('/files/private/x'), 200)
  assertProblem(await putBytes(client, '/files/private/y', someBytes(3)), 403, 'forbidden')
  assertProblem(await client.delete('/files/private/x', { 'if-match': '*' }), 403, 'forbidden')
  assertProblem(await nodes.as(0, undefined).get('/files/private/x'), 401, 'unauthorized')
})

test('a personal space and a renamed one have files, too', async () => {
  assertStatus(await putBytes(admin, '/files/personal/own', someBytes(3)), 201)
  assert.equal((await admin.page('/files/personal/own')).json.space, 'personal')
  await admin.space('before')
  assertStatus(await putBytes(admin, '/files/before/x', someBytes(3)), 201)
  assertStatus(await admin.patch('/spaces/before', { slug: 'renamed' }), 200)
  const moved = assertProblem(await admin.get('/files/before/x'), 308, 'file_moved')
  assert.equal(moved.headers.get('location'), '/files/renamed/x')
})

test('a space with files is not empty; when it is deleted, its bytes are unreferenced', async () => {
  await admin.space('ending')
  assertStatus(await putBytes(admin, '/files/ending/x', someBytes(1000)), 201)
  assertProblem(await admin.delete('/spaces/ending'), 409, 'space_not_empty')
  assertStatus(await admin.delete('/spaces/ending?force=true'), 204)
  const { rows } = await nodes.query(
    'select count(*)::int as free from blob b where not exists (select 1 from space_blob s where s.digest = b.digest)',
  )
  assert.ok(rows[0].free > 0)
})

test('creating, replacing, moving, deleting and restoring are events of the feed', async () => {
  await admin.space('told')
  const bytes = someBytes(12)
  assertStatus(await putBytes(admin, '/files/told/a', bytes), 201)
  assertStatus(await putBytes(admin, '/files/told/a', bytes, { 'if-match': '"1"' }), 200)
  assertStatus(await admin.post('/files/told/a/move', { to: { path: 'b' } }, { 'if-match': '*' }), 200)
  assertStatus(await admin.delete('/files/told/b', { 'if-match': '*' }), 204)
  assertStatus(await admin.post('/files/told/b/restore'), 200)
  const path = '/changes?space=told&kinds=file.created,file.updated,file.deleted'
  await until(async () => (await admin.get(path)).json.items.length === 5)
  const { items } = (await admin.get(path)).json
  assert.deepEqual(
    items.map(({ event, file, from, restored }: never) =>
      [event, file, from, restored].map((one) => one ?? null),
    ),
    items.map(({ event, file }: { event: string; file: object }, n: number) => [
      ['file.created', 'file.updated', 'file.updated', 'file.deleted', 'file.created'][n] ?? event,
      file,
      n === 2 ? { space: 'told', path: 'a' } : null,
      n === 4 ? true : null,
    ]),
  )
  assert.deepEqual(items[0].file, {
    space: 'told',
    path: 'a',
    url: `${admin.base}/files/told/a`,
    size: 12,
    contentType: items[0].file.contentType,
    digest: sha256(bytes).toString('hex'),
    version: 1,
  })
  assert.deepEqual(
    items.map(({ file }: { file: { version: number } }) => file.version),
    [1, 2, 2, 2, 3],
  )
})
