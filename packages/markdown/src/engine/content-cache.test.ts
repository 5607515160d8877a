import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '@recto/contract/errors.ts'
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
  return { engine, dependencies: { render, renderSource: async () => source, join: () => {} } }
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
