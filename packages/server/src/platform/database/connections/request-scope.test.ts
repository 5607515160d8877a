import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestScope } from './request-scope.ts'

/** A clock of its own, and a request of so many statements of which each waits a second for a connection. */
function afterStatements(count: number, t: { mock: typeof test.mock }, scope: () => RequestScope) {
  let now = 1_000_000
  t.mock.method(performance, 'now', () => now)
  const request = scope()
  for (let n = 0; n < count; n++) {
    const since = now
    now += 1_000
    request.waited(since)
    request.answered()
  }
  return { request, now }
}

test('the waits of the statements of a request share one budget', (t) => {
  const { request, now } = afterStatements(3, t, () => new RequestScope({ readsOnly: true }))
  assert.equal(request.waitedMs, 3_000)
  assert.equal(now - request.alive, 3_000)
})

test('each statement of a stream has the whole budget, however long those before it have waited', (t) => {
  const { request, now } = afterStatements(100, t, () => {
    const request = new RequestScope({ readsOnly: true })
    request.streams()
    return request
  })
  assert.equal(request.waitedMs, 0)
  assert.equal(request.alive, now)
})
