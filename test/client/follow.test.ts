import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Client, createClient } from '@recto/client/client.ts'
import { until } from '../support/embedded.ts'
import { startPausingProxy } from '../support/pausing-proxy.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let writer: Client
before(async () => {
  service = await startService()
  writer = createClient({ url: service.app.address, key: service.admin.key })
  await writer.spaces.create('docs')
})
after(() => service[Symbol.asyncDispose]())

test('follow replaces a silent connection, survives an outage, and resumes without gaps or repetitions', async () => {
  const { hostname, port } = new URL(service.app.address)
  const target = { host: hostname, port: Number(port) }
  await using proxy = await startPausingProxy(target)
  const stop = new AbortController()
  const errors: string[] = []
  const client = createClient({
    url: `http://127.0.0.1:${proxy.port}`,
    key: service.admin.key,
    timeout: 1_000,
    // `follow` has no limit of its own.
    retryTimeout: 0,
    maxRetries: 0,
    onRetry: ({ error }) => errors.push(error.message),
  })
  const { nextCursor } = await writer.changes.list({ since: 'now' })
  const query = { since: nextCursor, space: 'docs', kinds: ['page.created'], signal: stop.signal }
  const events = client.changes.follow({ ...query, heartbeatTimeout: 1_000 })[Symbol.asyncIterator]()
  const next = async () => (await events.next()).value?.change.page?.path
  await writer.pages.put('docs', 'a', 'x')
  assert.equal(await next(), 'a')

  const afterSilence = next()
  proxy.pause()
  await writer.pages.put('docs', 'b', 'x')
  // Only a client that has given up the first connection tries another one.
  await until(async () => errors.length > 0)
  proxy.resume()
  assert.equal(await afterSilence, 'b')

  const afterOutage = next()
  await proxy[Symbol.asyncDispose]()
  for (const path of ['c', 'd']) await writer.pages.put('docs', path, 'x')
  const before = errors.length
  await until(async () => errors.length > before + 2)
  await using _again = await startPausingProxy(target, proxy.port)
  assert.deepEqual([await afterOutage, await next()], ['c', 'd'])
  stop.abort()
})
