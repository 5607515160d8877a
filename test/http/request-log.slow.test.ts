import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { after, before, test } from 'node:test'
import { pino } from 'pino'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type LocalService, startLocalService } from '../support/local-service.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests read what they assert
type Line = Record<string, any>

const lines: Line[] = []
const log = pino(
  { level: 'info' },
  new Writable({
    write(chunk, _, done) {
      lines.push(JSON.parse(chunk.toString()))
      done()
    },
  }),
)
let service: LocalService
before(async () => {
  service = await startLocalService({}, {}, log)
  await service.admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

const requests = () => lines.filter(({ msg }) => msg === 'request')

/** The line of the request with this id, once it is there. */
async function lineOf(requestId: string): Promise<Line> {
  const find = () => requests().find((line) => line.requestId === requestId)
  await until(() => find() !== undefined)
  return find() as Line // it is there
}

test('a write has a line with method, route, status, time, principal and request id, and no URL', async () => {
  const { id } = assertStatus(await service.admin.get('/me'), 200).json
  const headers = { 'x-request-id': 'write-1' }
  assertStatus(await service.admin.put('/pages/docs/secret-plan', 'x', headers), 201)
  const { level, time, pid, hostname, ms, ...line } = await lineOf('write-1')
  assert.equal(level, 30)
  assert.ok(ms > 0)
  assert.deepEqual(line, {
    method: 'PUT',
    route: '/pages/:space/:path',
    status: 201,
    principal: id,
    requestId: 'write-1',
    msg: 'request',
  })
  assert.doesNotMatch(JSON.stringify(requests()), /secret-plan/)
})

test('a read has no line unless it fails; an error has one, also without a principal or a route', async () => {
  assertStatus(await service.admin.get('/me', { 'x-request-id': 'read-1' }), 200)
  assertStatus(await service.nobody.get('/me', { 'x-request-id': 'error-1' }), 401)
  assertStatus(await service.nobody.get('/%zz', { 'x-request-id': 'error-2' }), 400)
  const unauthorized = await lineOf('error-1')
  assert.deepEqual([unauthorized.status, unauthorized.route, unauthorized.principal], [401, '/me', undefined])
  const malformed = await lineOf('error-2')
  assert.deepEqual([malformed.status, malformed.route], [400, 'none'])
  assert.equal(
    requests().find(({ requestId }) => requestId === 'read-1'),
    undefined,
  )
})

test('a read that takes more than a second has a line', async () => {
  assertStatus(await service.admin.get('/changes?since=now&wait=2', { 'x-request-id': 'slow-1' }), 200)
  const { status, ms } = await lineOf('slow-1')
  assert.equal(status, 200)
  assert.ok(ms > 1_000)
})

test('a request whose client disconnects has a line with status 499', async () => {
  const client = new AbortController()
  const headers = { authorization: `Bearer ${service.admin.key}`, 'x-request-id': 'left-1' }
  const url = `${service.app.address}/changes?since=now&wait=30`
  const waiting = fetch(url, { headers, signal: client.signal })
  await until(async () => /recto_feed_readers\{kind="wait"\} 1/.test((await service.nobody.get('/metrics')).text))
  client.abort()
  await assert.rejects(waiting)
  assert.equal((await lineOf('left-1')).status, 499)
})

test('the line has the trace of a valid traceparent, and nothing of an invalid one', async () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  const send = async (traceparent: string, id: string) => {
    await service.admin.put('/pages/docs/traced', 'x', { traceparent, 'x-request-id': id })
    return (await lineOf(id)).traceId
  }
  assert.equal(await send(`00-${trace}-00f067aa0ba902b7-01`, 'trace-1'), trace)
  assert.equal(await send(`cc-${trace}-00f067aa0ba902b7-01-what-comes`, 'trace-2'), trace)
  for (const [n, wrong] of [
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `ff-${trace}-00f067aa0ba902b7-01`,
    `00-${trace}-00f067aa0ba902b7-01-more`,
    `00-${trace.toUpperCase()}-00f067aa0ba902b7-01`,
    'nonsense',
  ].entries()) {
    assert.equal(await send(wrong, `no-trace-${n}`), undefined, wrong)
  }
})

test('with SVC_LOG_REQUESTS=all every request has a line', async () => {
  await using all = await startLocalService({ SVC_LOG_REQUESTS: 'all' }, {}, log)
  assertStatus(await all.admin.get('/me', { 'x-request-id': 'all-1' }), 200)
  const { method, route, status } = await lineOf('all-1')
  assert.deepEqual({ method, route, status }, { method: 'GET', route: '/me', status: 200 })
})
