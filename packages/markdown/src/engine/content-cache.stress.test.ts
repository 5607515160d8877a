import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { ContentCache } from './content-cache.ts'

test('the counted size equals the memory in use, for tiny bodies, their HTML and their JSON', async () => {
  const render = async () => ({
    headings: [],
    links: [],
    anchors: [],
    tasks: [],
    html: `<p>${'x'.repeat(40)}${Math.random()}</p>`,
    isSource: false,
  })
  const engine = { render, renderSource: render } as unknown as ConstructorParameters<typeof ContentCache>[0]
  const cache = new ContentCache(engine, 1024 * 1024 * 1024)
  const before = await heldBytes()
  for (let n = 0; n < ENTRIES; n++) cache.put(`0198f000-0000-7000-8000-${n}`, Buffer.from(`# Page ${n}\n`))
  assertCounted(cache.caches.contents, (await heldBytes()) - before)
  for (let n = 0; n < ENTRIES; n++) await cache.get(`0198f000-0000-7000-8000-${n}`)?.rendered()
  assertCounted(cache.caches.contents, (await heldBytes()) - before)
  for (let n = 0; n < ENTRIES; n++) cache.get(`0198f000-0000-7000-8000-${n}`)?.json()
  assertCounted(cache.caches.contents, (await heldBytes()) - before)
})

const ENTRIES = 5_000

function assertCounted({ weight }: { readonly weight: number }, held: number): void {
  assert.ok(held > 0.7 * weight && held < 1.3 * weight, `${weight} bytes counted, ${held} held`)
}

/** Bytes in use once collections free nothing more: memory of earlier tests of the process is freed with a delay. */
async function heldBytes(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let last = Number.POSITIVE_INFINITY; ; ) {
    await setImmediate()
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    const held = heapUsed + arrayBuffers
    if (held > last - 10_000) return held
    last = held
  }
}
