import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { parse } from 'yaml'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type LocalService, startEmbeddedService } from '../support/local-service.ts'
import { scrape } from '../support/metrics.ts'
import { ROOT } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'

let service: LocalService
before(async () => {
  service = await startEmbeddedService({ SVC_WEBHOOKS_ALLOW_HTTP: '1', SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1' })
  await service.admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

const value = async (sample: string) => (await scrape(service.nobody)).samples.get(sample)
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** The names of metrics in PromQL; a histogram is known by its samples. */
function namesIn(expressions: readonly string[]): Set<string> {
  const names = expressions.flatMap((text) => text.match(/\b(?:recto|process|nodejs)_\w+/g) ?? [])
  return new Set(names.map((name) => name.replace(/_seconds_(bucket|sum|count)$/, '_seconds')))
}

async function assertServed(names: ReadonlySet<string>): Promise<void> {
  const { types } = await scrape(service.nobody)
  assert.ok(names.size > 10, 'few names were found')
  assert.deepEqual(
    [...names].filter((name) => !types.has(name)),
    [],
  )
}

test('every metric that the Grafana dashboard queries exists', async () => {
  const dashboard = JSON.parse(read('deploy/grafana.json'))
  const targets = dashboard.panels.flatMap((panel: { targets?: { expr: string }[] }) => panel.targets ?? [])
  await assertServed(namesIn(targets.map(({ expr }: { expr: string }) => expr)))
})

test('every metric of an alerting rule exists, and every rule has a summary', async () => {
  const { groups } = parse(read('deploy/alerts.yaml'))
  const rules = groups.flatMap((group: { rules: unknown[] }) => group.rules)
  for (const rule of rules) assert.ok(rule.alert && rule.annotations.summary && rule.labels.severity)
  await assertServed(namesIn(rules.map(({ expr }: { expr: string }) => expr)))
})

test('docs/operations.md lists exactly the metrics that exist', async () => {
  const documented = [...read('docs/operations.md').matchAll(/^\| `(recto_\w+)/gm)].map(([, name]) => name)
  const served = [...(await scrape(service.nobody)).types.keys()].filter((name) => name.startsWith('recto_'))
  assert.deepEqual(documented.sort(), served.sort())
})

test('a client that disconnects reduces the number of open requests, and its request counts as 499', async () => {
  const before = (await value('recto_http_requests_open')) ?? Number.NaN
  const left = 'recto_http_request_duration_seconds_count{method="GET",route="/changes",status="499"}'
  assert.equal(await value(left), undefined)
  const client = new AbortController()
  const waiting = fetch(`${service.app.address}/changes?since=now&wait=30`, {
    headers: { authorization: `Bearer ${service.admin.key}` },
    signal: client.signal,
  })
  await until(async () => (await value('recto_http_requests_open')) === before + 1)
  await until(async () => (await value('recto_feed_readers{kind="wait"}')) === 1)
  client.abort()
  await assert.rejects(waiting)
  await until(async () => (await value('recto_http_requests_open')) === before)
  assert.equal(await value(left), 1)
  await until(async () => (await value('recto_feed_readers{kind="wait"}')) === 0)
})

test('an invalid URL is counted as a request without a route', async () => {
  assertStatus(await service.nobody.get('/pages/docs/%zz'), 400)
  const count = 'recto_http_request_duration_seconds_count{method="GET",route="none",status="400"}'
  assert.equal(await value(count), 1)
})

test('the database is up, its statements are timed by name, and its pool and disk are known', async () => {
  assertStatus(await service.admin.put('/pages/docs/a', 'x'), 201)
  const { samples } = await scrape(service.nobody)
  assert.equal(samples.get('recto_database_up'), 1)
  assert.equal(samples.get('recto_database_failovers_total'), 0)
  assert.ok((samples.get('recto_database_statement_seconds_count{name="commit"}') ?? 0) > 0)
  assert.ok((samples.get('recto_database_pool_wait_seconds_count') ?? 0) > 0)
  assert.equal(samples.get('recto_database_pool_size'), 16)
  assert.ok((samples.get('recto_database_pool_connections{state="in_use"}') ?? -1) >= 0)
  const free = samples.get('recto_disk_free_bytes') ?? 0
  assert.ok(free > (samples.get('recto_disk_reserve_bytes') ?? Number.POSITIVE_INFINITY))
  // Names come from the code, never from what a caller sends.
  for (const name of samples.keys()) assert.doesNotMatch(name, /docs/)
})

test('a cache counts its hits, misses, entries and bytes', async () => {
  assertStatus(await service.admin.put('/pages/docs/cached', '# Title'), 201)
  const before = await scrape(service.nobody)
  for (let n = 0; n < 3; n++) {
    assertStatus(await service.admin.get('/pages/docs/cached.md'), 200)
    assertStatus(await service.admin.get('/pages/docs/cached', { accept: 'text/html' }), 200)
  }
  const { samples } = await scrape(service.nobody)
  for (const cache of ['contents', 'documents']) {
    const hits = `recto_cache_hits_total{cache="${cache}"}`
    assert.ok((samples.get(hits) ?? 0) >= (before.samples.get(hits) ?? 0) + 2, cache)
    assert.ok((samples.get(`recto_cache_misses_total{cache="${cache}"}`) ?? -1) >= 0, cache)
    assert.ok((samples.get(`recto_cache_entries{cache="${cache}"}`) ?? 0) >= 1, cache)
    assert.ok((samples.get(`recto_cache_bytes{cache="${cache}"}`) ?? 0) > 0, cache)
  }
})

test('delivery attempts are counted by outcome, and pending deliveries and disabled webhooks have gauges', async () => {
  await using receiver = await startReceiver((response, _, count) => response.writeHead(count === 1 ? 204 : 410).end())
  const made = assertStatus(
    await service.admin.post('/admin/webhooks', { url: receiver.url, events: ['page.created'] }),
    201,
  )
  assertStatus(await service.admin.put('/pages/docs/told', 'x'), 201)
  await until(async () => (await value('recto_webhook_attempts_total{outcome="succeeded"}')) === 1)
  await until(async () => (await value('recto_webhook_deliveries_pending')) === 0)
  assert.equal(await value('recto_webhook_oldest_due_seconds'), 0)
  assertStatus(await service.admin.put('/pages/docs/gone', 'x'), 201)
  await until(async () => (await value('recto_webhooks_disabled{reason="gone"}')) === 1)
  assert.equal(await value('recto_webhook_attempts_total{outcome="failed"}'), 1)
  assertStatus(await service.admin.delete(`/admin/webhooks/${made.json.webhook.id}`), 204)
  assert.equal(await value('recto_webhooks_disabled{reason="gone"}'), 0)
})

test('the build metric has the version', async () => {
  const { version } = JSON.parse(read('package.json'))
  const info = `recto_build_info{version="${version}",node="${process.versions.node}"}`
  assert.equal(await value(info), 1)
})
