import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { getBytes, png, putBytes, someBytes } from '../support/files.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
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

/** What is stored once no upload is open: a response may come before the upload is closed. */
async function storedByEnded() {
  await until(async () => (await stored()).uploads === 0)
  return stored()
}

test('Repr-Digest is checked, and a mismatch stores nothing', async () => {
  const bytes = someBytes(400_000)
  const digestOf = (algorithm: string, data: Buffer | string) =>
    `${algorithm}=:${createHash(algorithm.replace('-', '')).update(data).digest('base64')}:`
  const before = await storedByEnded()
  const put = (headers: Record<string, string>) => putBytes(admin, '/files/docs/digest', bytes, headers)
  const [right256, right512] = ['sha-256', 'sha-512'].map((algorithm) => digestOf(algorithm, bytes))
  for (const algorithm of ['sha-256', 'sha-512']) {
    const wrong = digestOf(algorithm, 'x')
    const right = algorithm === 'sha-256' ? right512 : right256
    for (const name of ['repr-digest', 'content-digest'])
      assertProblem(await put({ [name]: wrong }), 400, 'digest_mismatch')
    assertProblem(await put({ 'repr-digest': `${wrong}, ${right}` }), 400, 'digest_mismatch')
    assertProblem(await put({ 'repr-digest': `${right}`, 'content-digest': wrong }), 400, 'digest_mismatch')
    assertProblem(
      await put({ 'repr-digest': wrong, 'content-digest': digestOf(algorithm, bytes) }),
      400,
      'invalid_request',
    )
    assertProblem(await put({ 'repr-digest': `${algorithm}=:AA==:` }), 400, 'invalid_request')
  }
  assertProblem(await put({ 'repr-digest': 'sha-256=abc' }), 400, 'invalid_request')
  assertProblem(await put({ 'content-range': 'bytes 0-1/2' }), 400, 'invalid_request')
  assert.deepEqual(await storedByEnded(), before)
  assertStatus(await put({ 'repr-digest': `md5=:AA==:, ${right256}, ${right512}` }), 201)
  assertStatus(await put({ 'content-digest': `${right512}`, 'if-match': '*' }), 200)
})

test('a digest in the trailers of an upload is checked, too', async () => {
  const bytes = someBytes(400_000)
  const before = await storedByEnded()
  const put = (digest: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; body: string }>()
    const headers = { authorization: `Bearer ${admin.key}`, trailer: 'Repr-Digest', 'transfer-encoding': 'chunked' }
    const upload = request(`${admin.base}/files/docs/trailers`, { method: 'PUT', headers }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject)
    })
    upload.on('error', reject)
    upload.write(bytes)
    upload.addTrailers({ 'Repr-Digest': digest })
    upload.end()
    return promise
  }
  const digestOf = (data: Buffer | string) => `sha-256=:${createHash('sha256').update(data).digest('base64')}:`
  for (const [digest, code] of [
    [digestOf('x'), 'digest_mismatch'],
    ['sha-256=x', 'invalid_request'],
  ] as const) {
    const { status, body } = await put(digest)
    assert.deepEqual([status, JSON.parse(body).code], [400, code])
  }
  assert.deepEqual(await storedByEnded(), before)
  assert.equal((await put(digestOf(bytes))).status, 201)
})

test('a file that is too large is rejected by its length or during the upload, and nothing is stored', async () => {
  const before = await storedByEnded()
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
  assert.deepEqual(await storedByEnded(), before)
})

test('an upload that its client aborts stores nothing', async () => {
  const before = await storedByEnded()
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
    { method: 'PUT', headers: { authorization: `Bearer ${slow.admin.key}`, 'content-length': 600_000 } },
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

test('an upload that lost a chunk in a crash of the database is 503 with Retry-After, and stores no file', async () => {
  const { promise, resolve, reject } = Promise.withResolvers<{ response: IncomingMessage; body: string }>()
  const bytes = someBytes(600_000)
  const upload = request(
    `${admin.base}/files/docs/damaged`,
    { method: 'PUT', headers: { authorization: `Bearer ${admin.key}`, 'content-length': bytes.length } },
    (response) => {
      text(response).then((body) => resolve({ response, body }), reject)
    },
  )
  upload.on('error', reject)
  upload.write(bytes.subarray(0, 400_000))
  // Chunks are committed asynchronously: a crash loses those that were not flushed yet.
  const lose = `delete from blob_chunk where upload_id in (select id from blob_upload where leased_until > now()) returning 1`
  await until(async () => (await nodes.query(lose)).rows.length > 0)
  upload.end(bytes.subarray(400_000))
  const { response, body } = await promise
  assert.deepEqual([response.statusCode, JSON.parse(body).code], [503, 'upload_expired'])
  assert.equal(response.headers['retry-after'], '2')
  assertProblem(await admin.get('/files/docs/damaged'), 404, 'not_found')
  assertStatus(await putBytes(admin, '/files/docs/damaged', bytes), 201)
})

test('many uploads whose chunks wait for the database leave connections to other requests', async () => {
  const names = Array.from({ length: 12 }, (_, n) => `/files/docs/many/${n}`)
  const lock = new pg.Client(nodes.connection)
  await lock.connect()
  try {
    await lock.query('begin; lock table blob_chunk in exclusive mode')
    const uploads = names.map((name) => putBytes(admin, name, someBytes(300_000)))
    await until(async () => {
      const { rows } = await nodes.query(
        `select count(*)::int as waiting from pg_locks where not granted and relation = 'blob_chunk'::regclass`,
      )
      return rows[0].waiting > 0
    })
    assertStatus(await admin.put('/pages/docs/meanwhile', 'A page'), 201)
    await lock.query('commit')
    for (const upload of uploads) assertStatus(await upload, 201)
  } finally {
    await lock.end()
  }
})

test('equal bytes are stored once, and count once for the quota of a space', async () => {
  await admin.space('quota')
  const bytes = someBytes(2_900_000)
  const before = await storedByEnded()
  for (const name of ['a', 'b', 'c', 'd']) {
    assertStatus(await putBytes(admin, `/files/quota/${name}`, bytes), 201)
  }
  await admin.space('quota-too')
  assertStatus(await putBytes(admin, '/files/quota-too/a', bytes), 201)
  // The bytes that were there already are deleted once the response is sent.
  const after = await storedByEnded()
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
  const before = await storedByEnded()
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
  assert.deepEqual(await storedByEnded(), before)
})
