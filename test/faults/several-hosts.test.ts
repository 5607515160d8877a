import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { noReplication, startReplicated } from '../support/replicated.ts'
import { startService } from '../support/service.ts'

test('with several hosts the primary is found, and the new one after a promotion', {
  skip: noReplication,
}, async () => {
  using servers = await startReplicated()
  const { primary, standby } = servers
  // The standby comes first: it takes no writes, and is passed by.
  await using service = await startService({
    SVC_DATABASE_URL: `postgres://recto@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/recto?target_session_attrs=read-write`,
    SVC_DATABASE_POOL: '4',
  })
  const { admin } = service
  await admin.space('followed')
  assertStatus(await admin.put('/pages/followed/page', 'one'), 201)

  primary.crash()
  await until(async () => (await admin.get('/readyz')).status === 503)
  standby.promote()
  const promoted = performance.now()
  // Within the five seconds no client needs to try twice: what it sends waits for the new primary.
  assertStatus(await admin.put('/pages/followed/page', 'two', { 'if-match': '"1"' }), 200)
  const back = performance.now() - promoted
  assert.ok(back < 5_000, `writes were back after ${back} ms`)
  assertStatus(await admin.get('/readyz'), 200)
  assert.equal((await admin.get('/pages/followed/page.md')).text, 'two')
})

test('a frozen primary that was replaced receives no write when it thaws', { skip: noReplication }, async () => {
  using servers = await startReplicated()
  const { primary, standby } = servers
  await using service = await startService({
    SVC_DATABASE_URL: `postgres://recto@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/recto`,
    SVC_DATABASE_POOL: '4',
  })
  const { admin } = service
  await admin.space('frozen')
  primary.signal('SIGSTOP')
  try {
    await until(async () => (await admin.get('/readyz')).status === 503)
    standby.promote()
    await until(async () => (await admin.put('/pages/frozen/page', 'on the new one')).status === 201, 20_000)
  } finally {
    primary.signal('SIGCONT')
  }
  for (let version = 1; version <= 20; version++) {
    assertStatus(await admin.put('/pages/frozen/page', `v${version}`, { 'if-match': `"${version}"` }), 200)
  }
  // The new primary is gone, and the old one takes writes again as it believes: none is sent there.
  standby.crash()
  await until(async () => (await admin.get('/readyz')).status === 503)
  assertStatus(await admin.get('/pages/frozen/page.md'), 503)
})
