import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import sharp, { type Create } from 'sharp'
import { fc } from '../../../../../../test/support/property.ts'
import { withoutMetadata } from './strip.ts'

const GPS = 'N 48 12 0'
const XMP =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></x:xmpmeta>'

/** A picture of noise with a profile, EXIF data with a position and an orientation, and XMP. */
async function photograph(format: 'jpeg' | 'png' | 'webp', progressive = false): Promise<Buffer> {
  const noise = {
    width: 80,
    height: 50,
    channels: 3,
    background: '#246',
    noise: { type: 'gaussian', mean: 90, sigma: 60 },
  }
  return sharp({ create: noise as Create })
    .toFormat(format, { progressive })
    .withExif({ IFD0: { Copyright: GPS }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '48/1 12/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .withIccProfile('p3')
    .withXmp(XMP)
    .toBuffer()
}

async function strip(...pieces: readonly Buffer[]): Promise<Buffer> {
  async function* stream() {
    yield* pieces
  }
  return buffer(withoutMetadata(stream()))
}

/** Cut at some places. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length]
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end))
}

for (const [name, make] of [
  ['a JPEG', () => photograph('jpeg')],
  ['a progressive JPEG', () => photograph('jpeg', true)],
  ['a PNG', () => photograph('png')],
  ['a WebP', () => photograph('webp')],
] as const) {
  test(`${name} keeps its pixels, profile and orientation, and loses everything else, however its bytes arrive`, async () => {
    const image = await make()
    const before = await sharp(image).metadata()
    assert.ok(before.exif?.includes(GPS) && before.xmp)
    const stripped = await strip(image)
    const after = await sharp(stripped).metadata()
    assert.equal(stripped.includes(GPS), false)
    assert.equal(stripped.includes('xmpmeta'), false)
    assert.equal(after.orientation, 6)
    assert.ok(after.icc && before.icc?.equals(after.icc))
    assert.deepEqual(await sharp(stripped).raw().toBuffer(), await sharp(image).raw().toBuffer())
    assert.ok((await strip(stripped)).equals(stripped), 'stripping it again changes nothing')
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 40 }), async (cuts) => {
        assert.ok((await strip(...pieces(image, cuts))).equals(stripped))
      }),
      { numRuns: 20 },
    )
  })
}

test('comments, texts and what follows an image are removed', async () => {
  const tail = Buffer.from('a film, and where it was taken')
  const jpeg = await photograph('jpeg')
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, tail.length + 2]), tail])
  const withComment = Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2), tail])
  assert.ok((await strip(withComment)).equals(await strip(jpeg)))
  for (const image of [await photograph('png'), await photograph('webp')]) {
    assert.ok((await strip(image, tail)).equals(await strip(image)))
  }
})

test('files of other types stay as they are, and images that are cut or damaged are no error', async () => {
  const other = [Buffer.alloc(0), Buffer.from('x'), Buffer.from('# A text'), Buffer.from('RIFF\0\0\0\0WAVE')]
  for (const bytes of other) assert.ok((await strip(bytes)).equals(bytes))
  const images = await Promise.all([photograph('jpeg'), photograph('png'), photograph('webp')])
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...images), fc.nat(), fc.nat(), fc.nat(255), async (image, end, place, value) => {
      const damaged = Buffer.from(image.subarray(0, end % image.length))
      if (damaged.length > 0) damaged[place % damaged.length] = value
      assert.ok((await strip(damaged)).length <= damaged.length + 64)
    }),
    { numRuns: 200 },
  )
})
