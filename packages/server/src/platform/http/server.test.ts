import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { createServer } from './server.ts'

for (const requestTimeoutMs of [100, 30_000, 600_000]) {
  test(`a server can be created with a request timeout of ${requestTimeoutMs} ms, which is that of headers`, async () => {
    const app = createServer({
      logger: pino({ level: 'silent' }),
      requestTimeoutMs,
      trustedProxies: 0,
      origin: () => 'http://localhost',
      problemPage: async () => '',
    })
    assert.equal(app.server.headersTimeout, requestTimeoutMs)
    assert.equal(app.server.requestTimeout, 0)
    await app.close()
  })
}
