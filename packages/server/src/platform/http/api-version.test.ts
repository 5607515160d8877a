import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { announceDeprecations } from './api-version.ts'
import { addHooks } from './hooks.ts'
import type { Server } from './server.ts'

test('the responses of a deprecated operation say since when, until when and what to use instead', async () => {
  const app = Fastify() as unknown as Server // with the types of schemas
  const old = { since: '2027-01-01', sunset: '2028-01-01', guide: 'https://example.org/docs#old' }
  addHooks(app, { onRoute: [announceDeprecations({ 'old.get': old })] })
  const described: unknown[] = []
  app.addHook('onRoute', ({ schema }) => {
    described.push(schema?.deprecated)
  })
  app.get('/old', { schema: { operationId: 'old.get' }, exposeHeadRoute: false }, async (_, reply) =>
    reply.header('Link', '</new>; rel="next"').send('old'),
  )
  app.get('/new', { schema: { operationId: 'new.get' }, exposeHeadRoute: false }, async () => 'new')
  const { headers } = await app.inject('/old')
  assert.equal(headers.deprecation, '@1798761600')
  assert.equal(headers.sunset, 'Sat, 01 Jan 2028 00:00:00 GMT')
  assert.equal(headers.link, '</new>; rel="next", <https://example.org/docs#old>; rel="deprecation"; type="text/html"')
  assert.equal((await app.inject('/new')).headers.deprecation, undefined)
  assert.deepEqual(described, [true, undefined])
  await app.close()
})
