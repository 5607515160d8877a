import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertProblem, assertStatus, Client } from '../support/client.ts'
import { dataFolder, until } from '../support/embedded.ts'
import { missing, startLoadBalancer } from '../support/load-balancer.ts'
import { startPausingProxy } from '../support/pausing-proxy.ts'
import { startService } from '../support/service.ts'

test('while the database is unavailable haproxy keeps requests on a node, which sends Retry-After', {
  skip: missing('haproxy'),
}, async () => {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(dataFolder())
  await using postgres = await folder.start()
  const { host, port, user, password, database } = postgres.connection
  const proxy = stack.use(await startPausingProxy(`${host}/.s.PGSQL.${port}`))
  const service = stack.use(
    await startService({
      SVC_DATABASE_URL: `postgres://${user}:${password}@127.0.0.1:${proxy.port}/${database}`,
      SVC_TRUST_PROXY: '1',
    }),
  )
  const node = Number(new URL(service.admin.base).port)
  const haproxy = stack.use(await startLoadBalancer('haproxy', [node]))
  const admin = new Client(haproxy.url, service.admin.key)
  await until(async () => (await haproxy.state('recto')) === 'UP')
  await admin.space('docs')
  assertStatus(await admin.put('/pages/docs/page', 'text'), 201)

  await postgres[Symbol.asyncDispose]()
  await until(async () => (await haproxy.state('recto')) === 'DOWN')
  assert.equal(await haproxy.state('alive'), 'UP')
  const began = performance.now()
  const answer = assertProblem(await admin.get('/pages/docs/page.md'), 503, 'database_unavailable')
  assert.equal(answer.headers.get('retry-after'), '2')
  // Not at once: the database might have come back.
  assert.ok(performance.now() - began > 5_000)

  const waiting = admin.get('/pages/docs/page.md')
  await using _ = await folder.start()
  assertStatus(await waiting, 200)
})
