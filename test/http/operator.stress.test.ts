import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ConnectionSettings } from '../../packages/server/src/platform/database/embedded/server.ts'
import { type Answer, assertProblem, assertStatus, Client } from '../support/client.ts'
import { ask, type DataFolder, dataFolder, until } from '../support/embedded.ts'
import { databaseEnv, type LocalService, startLocalService } from '../support/local-service.ts'
import { urlOf } from '../support/test-database.ts'

const SVC_METRICS_TOKEN = 'a-token-of-metrics'
const withToken = { authorization: `Bearer ${SVC_METRICS_TOKEN}` }
const wrongToken = { authorization: `Bearer ${SVC_METRICS_TOKEN}x` }

const stack = new AsyncDisposableStack()
let database: DataFolder
let connection: ConnectionSettings
/** Three services of one database: one with a token, one with a port of its own for metrics, one with both. */
let token: LocalService
let port: LocalService
let both: LocalService
before(async () => {
  database = stack.use(dataFolder())
  ;({ connection } = stack.use(await database.start()))
  const shared = { ...databaseEnv({ url: urlOf(connection) }), SVC_DATABASE_POOL: '4' }
  const start = async (env: Readonly<Record<string, string>>) =>
    stack.use(await startLocalService({ ...shared, ...env }))
  token = await start({ SVC_METRICS_TOKEN })
  port = await start({ SVC_METRICS_PORT: '0' })
  both = await start({ SVC_METRICS_TOKEN, SVC_METRICS_PORT: '0' })
})
after(() => stack.disposeAsync())

/** Who asks the port of the metrics, with no key. */
const operator = ({ app }: LocalService) => new Client(app.metricsAddress ?? '', undefined)

/** Stops the database while `work` runs. */
async function withoutDatabase(service: LocalService, work: () => Promise<void>): Promise<void> {
  for (const pid of database.processes()) process.kill(pid, 'SIGSTOP')
  try {
    await until(async () => (await service.nobody.get('/readyz')).status === 503)
    await work()
  } finally {
    for (const pid of database.processes()) process.kill(pid, 'SIGCONT')
  }
  await until(async () => (await service.nobody.get('/readyz')).status === 200)
}

const REASON = /did not answer|database is down|does not answer|no answer/i
const assertReason = (answer: Answer) => {
  assertProblem(answer, 503, 'database_unavailable')
  assert.match(answer.json.detail, REASON)
}
const assertNoReason = (answer: Answer) => {
  assertProblem(answer, 503, 'database_unavailable')
  assert.equal(answer.json.detail, 'The service is not ready.')
}

test('what is damaged is told by /readyz to whoever may read the reason only', async () => {
  await ask(
    connection,
    `create function find_damage() returns trigger language plpgsql as $$ begin
      raise exception 'invalid page in block 7' using errcode = 'data_corrupted'; end $$`,
  )
  await ask(
    connection,
    `create trigger damage before insert on space for each row when (new.slug = 'damaged') execute function find_damage()`,
  )
  const services = [token, port, both]
  for (const { app } of services) {
    const admin = new Client(app.address, token.admin.key)
    assertProblem(await admin.post('/spaces', { slug: 'damaged' }), 500, 'storage_damaged')
  }
  for (const { nobody } of services) assert.deepEqual((await nobody.get('/readyz')).json, { status: 'ready' })
  const told = [await token.nobody.get('/readyz', withToken), await operator(port).get('/readyz')]
  for (const answer of [...told, await operator(both).get('/readyz', withToken)]) {
    assert.match(assertStatus(answer, 200).json.detail, /found damaged storage/)
  }
})

test('with SVC_METRICS_TOKEN /readyz shows the reason only with the token', () =>
  withoutDatabase(token, async () => {
    assertNoReason(await token.nobody.get('/readyz'))
    assertNoReason(await token.admin.get('/readyz'))
    assertNoReason(await token.nobody.get('/readyz', wrongToken))
    assertReason(await token.nobody.get('/readyz', withToken))
  }))

test('with SVC_METRICS_PORT metrics and the reason of /readyz are on that port only', async () => {
  for (const path of ['/metrics', '/%6detrics', '/metrics?x=1', '/metrics/', '//metrics']) {
    const answer = await port.nobody.get(path)
    // A slash at the end redirects, to what is not there either.
    const target = answer.status === 308 ? await port.nobody.get('/metrics') : answer
    assert.ok(target.status >= 400, `${path}: ${answer.status}, ${target.status}`)
    assert.ok(![answer, target].some(({ text }) => text.includes('process_cpu')), path)
  }
  assert.ok(!Object.hasOwn((await port.nobody.get('/openapi.json')).json.paths, '/metrics'))
  assert.match(assertStatus(await operator(port).get('/metrics'), 200).text, /recto_database_up 1/)
  assertStatus(await operator(port).get('/healthz'), 200)
  assertStatus(await operator(port).get('/readyz'), 200)
  // Nothing else is: neither pages nor signing in.
  for (const path of ['/me', '/', '/openapi.json', '/sign-in', '/pages/a/b']) {
    assertProblem(await operator(port).get(path), 404, 'not_found')
  }
  assertProblem(await operator(port).call('POST', '/metrics'), 405, 'method_not_allowed')
  await withoutDatabase(port, async () => {
    assertNoReason(await port.nobody.get('/readyz'))
    assertReason(await operator(port).get('/readyz'))
    assert.match(assertStatus(await operator(port).get('/metrics'), 200).text, /recto_database_up 0/)
  })
})

test('with both, the port of the metrics requires the token, and it gives no access elsewhere', async () => {
  assertProblem(await operator(both).get('/metrics'), 401, 'unauthorized')
  assertProblem(await operator(both).get('/metrics', wrongToken), 401, 'unauthorized')
  assertStatus(await operator(both).get('/metrics', withToken), 200)
  assertProblem(await both.nobody.get('/metrics', withToken), 404, 'not_found')
  await withoutDatabase(both, async () => {
    assertNoReason(await both.nobody.get('/readyz', withToken))
    assertNoReason(await operator(both).get('/readyz'))
    assertReason(await operator(both).get('/readyz', withToken))
  })
})
