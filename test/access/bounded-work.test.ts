import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertProblem, assertStatus } from '../support/client.ts'
import { startService } from '../support/service.ts'

test('each message of an MCP batch counts for the rate limit', async () => {
  await using service = await startService({ SVC_RATE_LIMIT: '30' })
  const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-03-26' }
  const batch = Array.from({ length: 20 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }))
  const first = assertStatus(await service.admin.post('/mcp', batch, headers), 200)
  assert.match(first.headers.get('ratelimit') ?? '', /r=10;/)
  assertProblem(await service.admin.post('/mcp', batch, headers), 429, 'too_many_requests')
})

test('a patch with too many keys is rejected and changes nothing', async () => {
  await using service = await startService()
  await service.admin.space('docs')
  assertStatus(await service.admin.put('/pages/docs/a', 'x'), 201)
  const keys = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`k${n}`, 1]))
  const some = Object.fromEntries(Object.entries(keys).slice(0, 1_001))
  for (const set of [keys, some, { a: keys }, { a: [some], ...keys }, { a: new Array(500_000).fill(0) }]) {
    const answer = await service.admin.patch('/pages/docs/a/metadata', { set })
    assertProblem(answer, 413, 'payload_too_large')
    assert.equal(answer.json.issues.length, 1)
  }
  assert.deepEqual((await service.admin.get('/pages/docs/a/metadata')).json.entries, [])
})
