import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { pino } from 'pino'
import { currentRequest } from '../database/connections/request-scope.ts'
import { addHooks, whereStreamed } from './hooks.ts'
import { followStream, openScope, reenterScope } from './request-scope.ts'
import { createServer } from './server.ts'

/** Ten statements, each of which waits a second for its connection: the wait that counts after each. */
async function* statements(t: { mock: typeof test.mock }): AsyncGenerator<string> {
  let now = performance.now()
  t.mock.method(performance, 'now', () => now)
  for (let n = 0; n < 10; n++) {
    const request = currentRequest()
    const since = now
    now += 1_000
    request?.waited(since)
    request?.answered()
    yield `${request?.waitedMs} `
  }
}

test('the waits of a streamed response do not add up', async (t) => {
  const app = createServer({
    logger: pino({ level: 'silent' }),
    requestTimeoutMs: 1_000,
    trustedProxies: 0,
    origin: () => 'http://localhost',
    problemPage: async () => '',
  })
  app.decorateRequest('scope', undefined)
  addHooks(app, { onRequest: [openScope], preValidation: [reenterScope], onSend: [whereStreamed(followStream)] })
  app.get('/stream', (_request, reply) => reply.send(Readable.from(statements(t))))
  const { body } = await app.inject('/stream')
  await app.close()
  assert.equal(body.trim(), Array(10).fill('0').join(' '))
})
