import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import sharp from 'sharp'
import { ImageError, scaleImage } from '../../packages/server/src/content/files/variants/image-process.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { getBytes, png, putBytes } from '../support/files.ts'
import { scrape } from '../support/metrics.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson } from '../support/people.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes({})
  admin = nodes.admins[0]
  await admin.space('docs')
})
after(() => nodes[Symbol.asyncDispose]())

/** A photograph on its side, with the position where it was taken. */
function photograph(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#468' } })
    .jpeg()
    .withExif({ IFD3: { GPSLatitude: '48/1 12/1 0/1', GPSLatitudeRef: 'N' }, IFD0: { Orientation: '6' } })
    .withMetadata({ orientation: 6 })
    .toBuffer()
}

async function put(path: string, bytes: Buffer): Promise<void> {
  assertStatus(await putBytes(admin, `/files/docs/${path}`, bytes), 201)
}

test('a variant of a width is a WebP, or an AVIF for those who accept it, upright and without metadata', async () => {
  const original = await photograph(600, 900)
  assert.ok((await sharp(original).metadata()).exif)
  await put('photo.jpg', original)
  const webp = await getBytes(admin, '/files/docs/photo.jpg?width=320')
  assert.equal(webp.status, 200)
  const shown = await sharp(webp.bytes).metadata()
  assert.deepEqual(
    [shown.format, shown.width, shown.height, shown.exif, shown.orientation],
    ['webp', 320, 213, undefined, undefined],
  )
  const header = (name: string) => webp.headers.get(name)
  assert.equal(header('content-type'), 'image/webp')
  assert.equal(header('content-length'), String(webp.bytes.length))
  assert.equal(header('content-disposition'), 'inline; filename=photo.webp')
  assert.equal(header('vary'), 'Accept')
  assert.equal(header('x-content-type-options'), 'nosniff')
  assert.match(header('content-security-policy') ?? '', /sandbox$/)
  assert.equal(header('etag'), '"1-320.webp"')
  const accept = { accept: 'image/avif,image/webp,*/*;q=0.8' }
  const avif = await getBytes(admin, '/files/docs/photo.jpg?width=320', accept)
  assert.equal(avif.headers.get('content-type'), 'image/avif')
  assert.equal((await sharp(avif.bytes).metadata()).compression, 'av1')
  const path = '/files/docs/photo.jpg?width=320'
  const again = await getBytes(admin, path, { 'if-none-match': '"1-320.webp"' })
  assert.equal(again.status, 304)
  assert.equal((await getBytes(admin, path, { 'if-none-match': '"1-320.avif"' })).status, 200)
  assert.equal((await getBytes(admin, `${path}&version=1`)).headers.get('etag'), '"1-320.webp"')
  assertProblem(await admin.get(`${path}&version=2`), 404, 'not_found')
  assertProblem(await admin.get('/files/docs/photo.jpg?width=100'), 400, 'invalid_request')
})

test('requests on two nodes at once make a variant once, and it is kept while a file has the bytes', async () => {
  await put('once.jpg', await photograph(800, 700))
  const answers = await Promise.all(
    [0, 1, 0, 1].map((node) => getBytes(nodes.admins[node] ?? admin, '/files/docs/once.jpg?width=640')),
  )
  for (const { status, bytes } of answers) {
    assert.equal(status, 200)
    assert.ok(bytes.equals(answers[0]?.bytes ?? Buffer.alloc(0)))
  }
  const { rows } = await nodes.query("select name, octet_length(data) as size from blob_variant where name like '640%'")
  assert.deepEqual(rows, [{ name: '640.webp', size: answers[0]?.bytes.length }])
})

test('a variant in memory is that of the current file, and only for those who can read it', async () => {
  const path = '/files/docs/kept.jpg?width=320'
  const read = async (client = admin) => {
    const { status, bytes } = await getBytes(client, path)
    return { status, bytes }
  }
  const picture = (background: string) =>
    sharp({ create: { width: 500, height: 400, channels: 3, background } })
      .png()
      .toBuffer()
  await put('kept.jpg', await picture('#a00'))
  const red = await read()
  assert.equal(red.status, 200)
  assert.deepEqual(await read(), red)
  const replaced = await putBytes(admin, '/files/docs/kept.jpg', await picture('#00a'), { 'if-match': '"1"' })
  assertStatus(replaced, 200)
  const blue = await read()
  assert.ok(!blue.bytes.equals(red.bytes))
  assert.deepEqual(await read(), blue)
  const old = await getBytes(admin, `${path}&version=1`)
  assert.ok(old.bytes.equals(red.bytes))
  const { samples } = await scrape(admin)
  assert.ok((samples.get('recto_cache_hits_total{cache="variants"}') ?? 0) >= 2)
  const stranger = await newPerson(admin, 'Kept stranger')
  assertStatus(await admin.patch('/spaces/docs', { visibility: 'private' }), 200)
  assert.equal((await read(stranger.client)).status, 404)
  assert.deepEqual(await read(), blue)
  assertStatus(await admin.patch('/spaces/docs', { visibility: 'org' }), 200)
  assertStatus(await admin.delete('/files/docs/kept.jpg', { 'if-match': '*' }), 204)
  assert.equal((await read()).status, 410)
})

test('a small image is not enlarged', async () => {
  await put('small.png', png(40, 30))
  const { bytes } = await getBytes(admin, '/files/docs/small.png?width=1920')
  const { width, height } = await sharp(bytes).metadata()
  assert.deepEqual([width, height], [40, 30])
})

test('a variant of an animation is animated', async () => {
  const frames = [10, 200].map((grey) => Buffer.alloc(400 * 300 * 3, grey))
  const raw = { width: 400, height: 600, channels: 3, pageHeight: 300 } as const
  await put('moving.gif', await sharp(Buffer.concat(frames), { raw }).gif().toBuffer())
  const { bytes, headers } = await getBytes(admin, '/files/docs/moving.gif?width=320', { accept: 'image/avif' })
  assert.equal(headers.get('content-type'), 'image/webp')
  const { pages, width, height } = await sharp(bytes).metadata()
  assert.deepEqual([pages, width, height], [2, 320, 240])
})

test('a file that is no raster image, cannot be decoded, or has too many pixels has no variant', async () => {
  const bomb = png(1, 1)
  bomb.writeUInt32BE(60_000, 16)
  bomb.writeUInt32BE(60_000, 20)
  const cases: [string, Buffer, RegExp][] = [
    ['note.txt', Buffer.from('text'), /Only raster images .* text\/plain/],
    ['drawing.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'), /svg/],
    ['bomb.png', bomb, /60000 × 60000 pixels/],
    ['cut.png', png(50, 50).subarray(0, 40), /cannot be decoded/],
  ]
  for (const [name, bytes, reason] of cases) {
    await put(`none/${name}`, bytes)
    const answer = assertProblem(await admin.get(`/files/docs/none/${name}?width=320`), 422, 'no_variant')
    assert.match(answer.json.detail, reason, name)
  }
  const { rows } = await nodes.query('select count(*)::int as failures from blob_variant where failure is not null')
  assert.equal(rows[0].failures, 1, 'only one was tried')
  assertProblem(await admin.get('/files/docs/none/cut.png?width=320'), 422, 'no_variant')
})

test('an image that exceeds its memory or processor time has no variant', async () => {
  const image = await photograph(3000, 3000)
  const options = {
    size: image.length,
    width: 1280,
    maxPixels: 8_000_000,
    format: 'avif',
    limitPixels: 100_000_000,
    maxBytes: 1_000_000,
  } as const
  const limits = { memoryBytes: 2 ** 30, cpuMs: 60_000, elapsedMs: 120_000 }
  const never = new AbortController().signal
  const scaled = (limit: Partial<typeof limits>) =>
    scaleImage(options, Readable.from([image]), { ...limits, ...limit }, never)
  for (const limit of [{ memoryBytes: 1_000_000 }, { cpuMs: 20 }]) {
    await assert.rejects(scaled(limit), (error) => error instanceof ImageError && error.reason === 'too_expensive')
  }
  await assert.rejects(scaled({ elapsedMs: 1 }), { name: 'AbortError' })
})

test('an image of a page offers its variants with its size, and small or animated ones only the file', async () => {
  await put('p/large.png', png(2600, 100))
  await put('p/medium.png', png(700, 50))
  await put('p/tiny.png', png(20, 10))
  assertStatus(
    await admin.put(
      '/pages/docs/p/page',
      '![a](large.png) ![b](medium.png) ![c](tiny.png)\n\n<img src="large.png" width="300">',
    ),
    201,
  )
  const { text } = await admin.get('/pages/docs/p/page', { accept: 'text/html' })
  const images = [...text.matchAll(/<img[^>]*\/files\/[^>]*>/g)].map(([tag]) => tag)
  const at = '/files/docs/p/'
  assert.deepEqual(images, [
    `<img src="${at}large.png" alt="a" loading="lazy" width="2600" height="100" srcset="${at}large.png?width=320 320w, ${at}large.png?width=640 640w, ${at}large.png?width=1280 1280w, ${at}large.png?width=1920 1920w" sizes="(max-width: 46rem) 100vw, min(2600px, 46rem)" />`,
    `<img src="${at}medium.png" alt="b" loading="lazy" width="700" height="50" srcset="${at}medium.png?width=320 320w, ${at}medium.png?width=640 640w, ${at}medium.png?width=1280 700w" sizes="(max-width: 46rem) 100vw, min(700px, 46rem)" />`,
    `<img src="${at}tiny.png" alt="c" loading="lazy" width="20" height="10" />`,
    `<img src="${at}large.png" width="300" loading="lazy" height="12" srcset="${at}large.png?width=320 320w, ${at}large.png?width=640 640w, ${at}large.png?width=1280 1280w, ${at}large.png?width=1920 1920w" sizes="300px" />`,
  ])
})
