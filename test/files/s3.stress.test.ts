import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openObjectStore } from '../../packages/server/src/content/files/blobs/object-store.ts'
import { sweepFiles } from '../../packages/server/src/content/files/blobs/sweep.ts'
import { s3Config } from '../../packages/server/src/platform/config/s3.ts'
import { createPool } from '../../packages/server/src/platform/database/connections/pool.ts'
import { DatabaseServer } from '../../packages/server/src/platform/database/connections/server.ts'
import { createDb } from '../../packages/server/src/platform/database/database.ts'
import { type Bucket, startBucket } from '../support/bucket.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { getBytes, png, putBytes, someBytes } from '../support/files.ts'
import { databaseEnv } from '../support/local-service.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { startService } from '../support/service.ts'
import { runCommand } from '../support/terminal.ts'
import { urlOf } from '../support/test-database.ts'

const LIMITS = { connectMs: 60_000, requestMs: 60_000 }
/** For a bucket that never answers; a busy machine may exceed them with one that does. */
const SHORT_LIMITS = { connectMs: 500, requestMs: 1_000 }

let bucket: Bucket
let nodes: Nodes
let admin: Client
before(async () => {
  bucket = await startBucket()
  nodes = await startNodes({ SVC_FILES_S3_URL: bucket.url }, { objectStore: LIMITS })
  admin = nodes.admins[0]
  await admin.space('docs')
})
after(async () => {
  await nodes[Symbol.asyncDispose]()
  await bucket[Symbol.asyncDispose]()
})

async function rowsOf(table: string): Promise<number> {
  const { rows } = await nodes.query(`select count(*)::int as count from ${table}`)
  return rows[0].count
}

test('files are objects of the bucket, in one request or in parts, and are read in ranges by every node', async () => {
  for (const [name, size] of [
    ['empty', 0],
    ['small', 1000],
    ['large', 12_000_000],
  ] as const) {
    const bytes = someBytes(size)
    const before = bucket.objects().length
    assertStatus(await putBytes(admin, `/files/docs/${name}`, bytes), 201)
    assert.equal(bucket.objects().length, before + 1)
    assert.ok((await getBytes(nodes.admins[1], `/files/docs/${name}`)).bytes.equals(bytes), name)
    if (size === 0) continue
    const part = await getBytes(admin, `/files/docs/${name}`, { range: 'bytes=500-' })
    assert.ok(part.bytes.equals(bytes.subarray(500)), name)
    const several = await getBytes(admin, `/files/docs/${name}`, { range: 'bytes=0-1,500-501' })
    assert.equal(several.status, 206)
    assert.ok(several.bytes.includes(bytes.subarray(500, 502)))
  }
  assert.equal(await rowsOf('blob_chunk'), 0)
})

test('equal bytes are one object, and an image has variants', async () => {
  const image = png(900, 10)
  assertStatus(await putBytes(admin, '/files/docs/one.png', image), 201)
  const objects = bucket.objects().length
  assertStatus(await putBytes(admin, '/files/docs/two.png', image), 201)
  await until(async () => bucket.objects().length === objects && (await rowsOf('blob_upload')) === 0)
  const variant = await getBytes(admin, '/files/docs/one.png?width=320')
  assert.deepEqual([variant.status, variant.headers.get('content-type')], [200, 'image/webp'])
})

test('an export carries the files of the bucket byte for byte, into another space', async () => {
  await admin.space('source')
  await admin.space('copy')
  const files = [
    ['empty', Buffer.alloc(0)],
    ['large.bin', someBytes(6_000_000)],
    ['x.png', png(20, 10)],
  ] as const
  for (const [path, bytes] of files) assertStatus(await putBytes(admin, `/files/source/${path}`, bytes), 201)
  for (const format of ['zip', 'json']) {
    const { status, bytes: bundle } = await getBytes(admin, `/spaces/source/export?format=${format}`)
    assert.equal(status, 200)
    const imported = await admin.call('POST', '/spaces/copy/import?onConflict=overwrite', {
      body: Uint8Array.from(bundle),
      headers: { 'content-type': `application/${format}` },
    })
    assertStatus(imported, 200)
    for (const [path, bytes] of files) {
      assert.ok((await getBytes(nodes.admins[1], `/files/copy/${path}`)).bytes.equals(bytes), `${format}: ${path}`)
    }
    for (const [path] of files) assertStatus(await admin.delete(`/files/copy/${path}`, { 'if-match': '*' }), 204)
  }
})

test('a bucket that is away or hangs is 503 for files alone, and nothing is kept', async () => {
  const bytes = someBytes(6_000_000)
  assertStatus(await putBytes(admin, '/files/docs/kept', bytes), 201)
  await using impatient = await startService(
    { ...databaseEnv({ url: urlOf(nodes.connection) }), SVC_FILES_S3_URL: bucket.url },
    { objectStore: SHORT_LIMITS },
  )
  const cut = impatient.as(admin.key ?? '')
  for (const mood of ['away', 'hangs'] as const) {
    bucket.mood = mood
    const [read, put, page] = await Promise.all([
      cut.get('/files/docs/kept'),
      putBytes(cut, `/files/docs/${mood}`, bytes),
      cut.put(`/pages/docs/${mood}`, 'A page'),
    ])
    const { headers } = assertProblem(read, 503, 'storage_unavailable')
    assert.equal(headers.get('retry-after'), '5')
    for (const name of ['content-disposition', 'repr-digest', 'etag', 'last-modified', 'accept-ranges'])
      assert.equal(headers.get(name), null, name)
    assertProblem(put, 503, 'storage_unavailable')
    assertStatus(page, 201)
    bucket.mood = 'well'
    assertProblem(await admin.get(`/files/docs/${mood}`), 404, 'not_found')
  }
  assert.ok((await getBytes(admin, '/files/docs/kept')).bytes.equals(bytes))
})

test('recto files migrate moves bytes to the database and back while they are read', async () => {
  const bytes = someBytes(700_000)
  assertStatus(await putBytes(admin, '/files/docs/moving', bytes), 201)
  const stop = new AbortController()
  const reading = (async () => {
    for (let count = 0; ; count++) {
      const { status, bytes: seen } = await getBytes(nodes.admins[1], '/files/docs/moving')
      assert.ok(status === 200 && seen.equals(bytes))
      if (stop.signal.aborted) return count
    }
  })()
  const env = { RECTO_URL: admin.base, RECTO_API_KEY: admin.key ?? '' }
  for (const to of ['database', 's3'] as const) {
    const moved = await runCommand(['files', 'migrate', to], env)
    assert.deepEqual([moved.code, /^Moved [1-9]\d* contents of files/.test(moved.out)], [0, true], moved.err)
    const { rows } = await nodes.query('select count(*)::int as count from blob where in_s3 <> $1', [to === 's3'])
    assert.equal(rows[0].count, 0, to)
  }
  stop.abort()
  assert.ok((await reading) > 0)
})

test('a migration moves a blob again whose chunks a crash of the database lost', async () => {
  const bytes = someBytes(600_000)
  assertStatus(await putBytes(admin, '/files/docs/damaged', bytes), 201)
  // The first chunk is lost, as one whose asynchronous commit was not flushed.
  await nodes.query(`
    create sequence lost;
    create function lose_chunk() returns trigger language plpgsql as $$ begin
      if nextval('lost') = 1 then delete from blob_chunk where upload_id = new.upload_id and seq = new.seq; end if;
      return null;
    end $$;
    create trigger lose_chunk after insert on blob_chunk for each row execute function lose_chunk()`)
  const moved = assertStatus(await admin.post('/admin/files/migrate', { to: 'database' }), 200)
  assert.equal(moved.json.next, null)
  await nodes.query('drop trigger lose_chunk on blob_chunk; drop function lose_chunk; drop sequence lost')
  const { rows } = await nodes.query('select count(*)::int as count from blob where in_s3')
  assert.equal(rows[0].count, 0)
  assert.ok((await getBytes(nodes.admins[1], '/files/docs/damaged')).bytes.equals(bytes))
})

test('the sweep removes objects that nothing refers to any more', async () => {
  const config = s3Config(bucket.url)
  assert.ok('bucket' in config)
  using objects = await openObjectStore(config, LIMITS)
  const server = new DatabaseServer(nodes.connection)
  const pool = createPool({ server, size: 2, prepared: false, onError() {} })
  try {
    const runtime = { db: createDb(pool), files: { objects } }
    for (const space of ['source', 'copy']) assertStatus(await admin.delete(`/spaces/${space}?force=true`), 204)
    const names = (await admin.all('/spaces/docs/files')).map(({ path }) => path)
    for (const name of names) await admin.delete(`/files/docs/${name}?purge=true`, { 'if-match': '*' })
    await nodes.query(`update blob_upload set leased_until = now() - interval '1 second'`)
    while ((await sweepFiles(runtime)) > 0);
    assert.deepEqual(bucket.objects(), [])
    assert.equal((await rowsOf('blob')) + (await rowsOf('blob_upload')) + (await rowsOf('blob_chunk')), 0)
  } finally {
    await pool.end()
  }
})
