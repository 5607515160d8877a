import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { gzipped } from './gzip.ts'

const texts = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 4_000 }),
    fc.uint8Array({ maxLength: 4_000 }).map((bytes) => Buffer.from(bytes)),
    // Longer than one part of the result.
    fc
      .integer({ min: 1, max: 40_000 })
      .map((length) => Buffer.from(Uint32Array.from({ length }, (_, n) => n * 2654435761).buffer)),
  ),
  { minLength: 1, maxLength: 12 },
)

test('property: texts that are compressed at the same time, or one after the other, stay what they are', async () => {
  await fc.assert(
    fc.asyncProperty(texts, async (texts) => {
      const packed = await Promise.all(texts.map(gzipped))
      for (const text of texts) packed.push(await gzipped(text))
      for (const [index, bytes] of packed.entries()) {
        assert.deepEqual(gunzipSync(bytes), Buffer.from(texts[index % texts.length] ?? ''))
      }
    }),
    { numRuns: 30 },
  )
})

test('streams are used again', async () => {
  await gzipped('The first stream may be made.')
  let made = 0
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'ZLIB') made++
    },
  }).enable()
  for (let n = 0; n < 20; n++) await gzipped(`a text, ${n}`)
  hook.disable()
  assert.equal(made, 0)
})
