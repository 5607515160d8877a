import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../errors.ts'
import { createContentCache } from './content-cache.ts'
import type { MarkdownEngine } from './engine.ts'
import type { RenderedPage } from './page.ts'
import { PoolRefusal } from './pool.ts'

const page = { html: '<p>x</p>' } as RenderedPage // the cache looks into none

/** An engine that answers what the test says, and counts. */
function engineOf(answer: () => Promise<RenderedPage>) {
  const engine = { asked: 0, answer }
  const render: MarkdownEngine['render'] = () => {
    engine.asked++
    return engine.answer()
  }
  return { engine, means: { render } as MarkdownEngine } // the cache only renders
}

function refuse(reason: PoolRefusal['reason']): () => Promise<RenderedPage> {
  return () => Promise.reject(new AppError('render_timeout', 'too long', { cause: new PoolRefusal(reason) }))
}

test('a body is rendered once', async () => {
  const { engine, means } = engineOf(async () => page)
  const cache = createContentCache(means, 10_000)
  const content = cache.put('r', Buffer.from('x'))
  assert.deepEqual(await Promise.all([content.rendered(), content.rendered()]), [page, page])
  assert.equal(engine.asked, 1)
})

test('a body that took too long is refused at once the next time, and tried again after a while', async () => {
  let now = 0
  const { engine, means } = engineOf(refuse('timeout'))
  const cache = createContentCache(means, 10_000, () => now)
  await assert.rejects(cache.put('hostile', Buffer.from('x')).rendered(), { code: 'render_timeout' })
  // As after its body has left the cache.
  await assert.rejects(cache.put('hostile', Buffer.from('x')).rendered(), { code: 'render_timeout' })
  assert.equal(engine.asked, 1)
  await assert.rejects(cache.put('another', Buffer.from('x')).rendered())
  assert.equal(engine.asked, 2)
  now += 11 * 60_000
  engine.answer = async () => page
  assert.equal(await cache.put('hostile', Buffer.from('x')).rendered(), page)
})

test('a body that only found too many in front of it is tried again at once', async () => {
  const { engine, means } = engineOf(refuse('busy'))
  const content = createContentCache(means, 10_000).put('r', Buffer.from('x'))
  await assert.rejects(content.rendered())
  engine.answer = async () => page
  assert.equal(await content.rendered(), page)
})
