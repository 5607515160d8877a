import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { assertStatus, Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type RectoProcess, ROOT, startProcess } from '../support/process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: number }
}

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: readonly Attribute[]
}

const SRC = join(ROOT, 'packages/server/src')
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'

/** What a collector was sent, OTLP over HTTP in JSON. */
function spansOf({ received }: Receiver): Span[] {
  return received.flatMap(({ json }) =>
    json.resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: Span[] }[] }) =>
      scopeSpans.flatMap(({ spans }) => spans),
    ),
  )
}

async function withProcess(env: Record<string, string>, use: (recto: RectoProcess) => Promise<void>) {
  const data = mkdtempSync(join(tmpdir(), 'recto-test-'))
  try {
    await using recto = await startProcess({ data, env })
    await use(recto)
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

test('spans of requests and their statements are exported, in the trace of the caller', async () => {
  await using collector = await startReceiver((response) => response.end('{}'))
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: new URL(collector.url).origin,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  }
  await withProcess(env, async ({ url, key }) => {
    const admin = new Client(url, key)
    assertStatus(await admin.post('/spaces', { slug: 'docs' }), 201)
    const headers = { traceparent: `00-${TRACE}-${PARENT}-01` }
    assertStatus(await admin.put('/pages/docs/secret-plan', 'x', headers), 201)
    // Those that are left are sent at the end.
  })
  assert.equal(collector.received[0]?.path, '/v1/traces')
  const { attributes } = (await collector.nth(1)).json.resourceSpans[0].resource
  const resource = Object.fromEntries(attributes.map((a: Attribute) => [a.key, a.value.stringValue]))
  assert.equal(resource['service.name'], 'recto')
  assert.equal(resource['deployment.environment.name'], 'test')

  const traced = spansOf(collector).filter(({ traceId }) => traceId === TRACE)
  const request = traced.find(({ parentSpanId }) => parentSpanId === PARENT)
  assert.equal(request?.name, 'PUT /pages/:space/:path')
  const values = Object.fromEntries(request?.attributes.map((a) => [a.key, Object.values(a.value)[0]]) ?? [])
  assert.equal(values['http.route'], '/pages/:space/:path')
  assert.equal(values['http.response.status_code'], 201)
  assert.match(String(values['enduser.id']), /^[0-9a-f-]{36}$/)
  // The handler's, which runs after the body was read.
  const commit = traced.find(({ name }) => name === 'commit')
  assert.equal(commit?.parentSpanId, request?.spanId)
  assert.doesNotMatch(JSON.stringify(collector.received.map(({ body }) => body)), /secret-plan/)
})

test('a collector that never responds delays neither requests nor the shutdown', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await until(() => silent.listening)
  const { port } = silent.address() as { port: number } // it listens on TCP
  let ended = 0
  await withProcess({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }, async (recto) => {
    assertStatus(await new Client(recto.url, recto.key).get('/me'), 200)
    recto.child.kill('SIGTERM')
    assert.equal(await recto.ended, 0)
    ended++
  })
  assert.equal(ended, 1)
  silent.close()
})

test('the SDK is loaded by a dynamic import only', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const importers = (pattern: RegExp) => files.filter((file) => pattern.test(readFileSync(join(SRC, file), 'utf8')))
  assert.deepEqual(importers(/@opentelemetry\//), ['platform/http/telemetry/tracing.ts'])
  assert.deepEqual(importers(/^import (?!type)[^'\n]*'[^'\n]*\/tracing\.ts'/m), [])
  assert.deepEqual(importers(/import\('\.\.\/platform\/http\/telemetry\/tracing\.ts'\)/), ['app/app.ts'])
})

test('an endpoint that is not a URL is a configuration error', async () => {
  await assert.rejects(
    withProcess({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, async () => {}),
    /OTEL_EXPORTER_OTLP_ENDPOINT: must be an address/,
  )
})
