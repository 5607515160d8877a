import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { assertProblem, assertStatus } from '../support/client.ts'
import { getBytes, putBytes, sha256, someBytes } from '../support/files.ts'
import { startService } from '../support/service.ts'

const digestOf = (bytes: Buffer) => `sha-256=:${sha256(bytes).toString('base64')}:`

test('with SVC_FILES_STRIP_METADATA=1 a photograph is stored without its position, and its digest is that of what is stored', async () => {
  await using service = await startService({ SVC_FILES_STRIP_METADATA: '1', SVC_MAX_FILE_BYTES: '20000' })
  const { admin } = service
  await admin.space('docs')
  const photograph = await sharp({ create: { width: 60, height: 90, channels: 3, background: '#468' } })
    .jpeg()
    .withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '48/1 12/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .toBuffer()
  const headers = { 'repr-digest': digestOf(photograph) }
  const { json } = assertStatus(await putBytes(admin, '/files/docs/a.jpg', photograph, headers), 201)
  const stored = await getBytes(admin, '/files/docs/a.jpg')
  assert.equal(stored.bytes.includes('Exif'), true)
  assert.ok(stored.bytes.length < photograph.length)
  const { exif, orientation } = await sharp(stored.bytes).metadata()
  assert.deepEqual([exif?.length, orientation], [32, 6]) // a header and one entry
  assert.equal(stored.headers.get('repr-digest'), digestOf(stored.bytes))
  assert.equal(json.digest, sha256(stored.bytes).toString('hex'))
  assert.deepEqual([json.size, json.width, json.height], [stored.bytes.length, 90, 60])
  const wrong = { 'repr-digest': digestOf(stored.bytes) }
  assertProblem(await putBytes(admin, '/files/docs/b.jpg', photograph, wrong), 400, 'digest_mismatch')
  // What is removed counts, too.
  const large = Buffer.concat([photograph, someBytes(20_000)])
  assertProblem(await putBytes(admin, '/files/docs/c.jpg', large), 413, 'file_too_large')
  const text = Buffer.from('GPS 48 12')
  assertStatus(await putBytes(admin, '/files/docs/a.txt', text), 201)
  assert.ok((await getBytes(admin, '/files/docs/a.txt')).bytes.equals(text))
})
