import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { packBody, unpackBody, unpackSmall } from './body-codec.ts'

/**
 * Up to 120 kB that compress well or not at all: several parts, and more than is compressed or decompressed on the main
 * thread.
 */
const bodies = fc
  .tuple(fc.uint8Array({ minLength: 1, maxLength: 20_000, size: 'max' }), fc.integer({ min: 0, max: 6 }))
  .map(([bytes, times]) => Buffer.concat(Array.from({ length: times }, () => Buffer.from(bytes))))

test('a body is what was packed, in full and as the difference from another one', async () => {
  await fc.assert(
    fc.asyncProperty(bodies, bodies, async (body, other) => {
      assert.deepEqual(await unpackBody(await packBody(body)), body)
      if (other.length > 0) assert.deepEqual(await unpackBody(await packBody(body, other), other), body)
    }),
    { numRuns: 100 },
  )
})

test('a small body is unpacked up to a limit, and a longer one not at all', async () => {
  await fc.assert(
    fc.asyncProperty(bodies, fc.integer({ min: 1, max: 16_384 }), async (body, limit) => {
      const packed = await packBody(body)
      const expected = body.length <= limit && packed.length <= limit ? body : undefined
      assert.deepEqual(unpackSmall(packed, limit), expected)
    }),
    { numRuns: 100 },
  )
})

test('a damaged body is an error', async () => {
  const packed = await packBody(Buffer.from('A body that is long enough to be damaged.'))
  packed.writeUInt8(packed.readUInt8(packed.length - 1) ^ 1, packed.length - 1) // of the checksum
  await assert.rejects(unpackBody(packed))
})
