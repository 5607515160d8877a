import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { AppError } from '../../errors.ts'
import type { RenderedPage } from '../page.ts'
import { ContentCache } from './content-cache.ts'

/** The objects whose size the cache counts. */
const bare = { headings: [], links: [], anchors: [], tasks: [] }
const page = { ...bare, html: '<p>x</p>', isSource: false } as unknown as RenderedPage // the cache reads no other member
const source = { ...bare, html: '<pre>x</pre>', isSource: true } as unknown as RenderedPage

/** A stub of the engine that counts calls. */
function engineOf(answer: () => Promise<RenderedPage>) {
  const engine = { asked: 0, answer }
  const render = () => {
    engine.asked++
    return engine.answer()
  }
  return { engine, dependencies: { render, renderSource: async () => source } }
}

test('a body is rendered once', async () => {
  const { engine, dependencies } = engineOf(async () => page)
  const content = new ContentCache(dependencies, 10_000).put('r', Buffer.from('x'))
  assert.deepEqual(await Promise.all([content.rendered(), content.rendered()]), [page, page])
  assert.equal(engine.asked, 1)
})

test('a body that is too complex is not rendered again, also after it was evicted', async () => {
  const { engine, dependencies } = engineOf(async () => source)
  const cache = new ContentCache(dependencies, 10_000)
  assert.equal(await cache.put('hostile', Buffer.from('x')).rendered(), source)
  assert.equal(await cache.put('hostile', Buffer.from('x')).rendered(), source)
  assert.equal(engine.asked, 1)
  engine.answer = async () => page
  assert.equal(await cache.put('another', Buffer.from('x')).rendered(), page)
})

test('an error is not cached', async () => {
  const { engine, dependencies } = engineOf(() => Promise.reject(new AppError('markdown_busy', 'too many')))
  const content = new ContentCache(dependencies, 10_000).put('r', Buffer.from('x'))
  await assert.rejects(content.rendered(), { code: 'markdown_busy' })
  engine.answer = async () => page
  assert.equal(await content.rendered(), page)
})

test('a cached body owns its memory, and the size of its HTML is counted', async () => {
  const { dependencies } = engineOf(async () => ({ ...page, html: 'x'.repeat(6_000) }))
  const cache = new ContentCache(dependencies, 10_000)
  const view = Buffer.from(new ArrayBuffer(16 * 1024), 0, 4).fill('tiny')
  const first = cache.put('first', view)
  assert.equal(first.body.toString(), 'tiny')
  assert.equal(first.body.buffer.byteLength, 4)
  cache.put('second', view)
  await first.rendered()
  assert.ok(cache.get('first') && cache.get('second'))
  await cache.get('second')?.rendered()
  assert.equal(cache.get('first'), undefined, 'both do not fit once they are rendered')
})

test('the counted size equals the memory in use, for tiny bodies and their HTML', async () => {
  const render = async () => ({ ...bare, html: `<p>${'x'.repeat(40)}${Math.random()}</p>`, isSource: false })
  const engine = { render, renderSource: render } as unknown as ConstructorParameters<typeof ContentCache>[0]
  const cache = new ContentCache(engine, 1024 * 1024 * 1024)
  const before = await heldBytes()
  for (let n = 0; n < ENTRIES; n++) cache.put(`0198f000-0000-7000-8000-${n}`, Buffer.from(`# Page ${n}\n`))
  assertCounted(cache.caches.contents, (await heldBytes()) - before)
  for (let n = 0; n < ENTRIES; n++) await cache.get(`0198f000-0000-7000-8000-${n}`)?.rendered()
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
