import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { assertProblem, assertStatus, Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { startProcess } from '../support/process.ts'

test('after SIGTERM a node is not ready, serves with `Connection: close` while it drains, and ends at a second signal', async () => {
  const data = mkdtempSync(join(tmpdir(), 'recto-drain-'))
  try {
    const recto = await startProcess({ data, env: { SVC_DRAIN_SECONDS: '600' } })
    const admin = new Client(recto.url, recto.key)
    await admin.space('drain')
    assert.equal((await admin.get('/readyz')).headers.get('connection'), 'keep-alive')
    recto.child.kill('SIGTERM')
    await until(async () => (await admin.get('/readyz')).status === 503)
    const rejected = assertProblem(await admin.get('/readyz'), 503, 'shutting_down')
    assert.equal(rejected.headers.get('connection'), 'close')
    assertStatus(await admin.get('/healthz'), 200)
    const written = assertStatus(await admin.put('/pages/drain/page', 'text'), 201)
    assert.equal(written.headers.get('connection'), 'close')
    assert.equal(assertStatus(await admin.get('/pages/drain/page.md'), 200).text, 'text')
    recto.child.kill('SIGTERM')
    assert.equal(await recto.ended, 0)
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
})
