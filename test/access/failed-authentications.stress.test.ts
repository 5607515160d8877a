import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newToken } from '@recto/lib/encoding/token.ts'
import { MAX_ADDRESSES } from '../../packages/server/src/identity/principals/failed-authentications.ts'
import { MAX_FAILURES } from '../../packages/server/src/identity/principals/failure-limiter.ts'
import { assertProblem, assertStatus } from '../support/client.ts'
import { startService } from '../support/service.ts'

const proxied = { SVC_TRUST_PROXY: '1' }
/** Nothing is written before the service stops. */
const never = { failuresPeriodMs: 20 * 24 * 3_600_000 }
const QUERY = '/admin/audit?action=authentication.failed'
const from = (address: string) => ({ 'x-forwarded-for': address })

test('failed API authentications are in the audit log, one entry per address with a count', async () => {
  await using service = await startService(proxied, never)
  const begin = new Date().toISOString()
  const stranger = service.as(newToken('svc_'))
  for (let n = 0; n < MAX_FAILURES; n++) {
    assertProblem(await stranger.get('/me', from('192.0.2.1')), 401, 'unauthorized')
  }
  for (let n = 0; n < 3; n++) {
    assertProblem(await stranger.get('/me', from('192.0.2.1')), 429, 'too_many_requests')
  }
  assertProblem(await service.as('no-key').get('/spaces', from('2001:db8::1')), 401, 'unauthorized')
  // Neither a request without a key nor one with a valid key is a failure.
  assertProblem(await service.nobody.get('/me', from('192.0.2.3')), 401, 'unauthorized')
  assertStatus(await service.admin.get('/me', from('192.0.2.4')), 200)
  assert.deepEqual(await service.admin.all(QUERY), [])

  await service.restart()
  const entries = (await service.admin.all(QUERY)).reverse()
  assert.deepEqual(
    entries.map(({ actor, action, target, address, details: { count, throttled } }) => {
      return { actor, action, target, address, count, throttled }
    }),
    [['192.0.2.1', MAX_FAILURES + 3, 3] as const, ['2001:db8::1', 1, 0] as const].map(
      ([address, count, throttled]) => ({
        actor: null,
        action: 'authentication.failed',
        target: { type: 'address', id: address, name: address },
        address,
        count,
        throttled,
      }),
    ),
  )
  for (const { createdAt: at, details } of entries) {
    assert.ok(begin <= at && at <= details.lastAt && details.lastAt <= new Date().toISOString())
  }
  const [{ id }] = await service.admin.all(`${QUERY}&target=2001:db8::1`)
  assert.equal(id, entries[1].id)
  const screen = await service.admin.get('/manage/audit', { accept: 'text/html' })
  assert.match(screen.text, /authentication\.failed[\s\S]*192\.0\.2\.1/)
  await service.restart()
  assert.equal((await service.admin.all(QUERY)).length, 2)
})

test('client addresses beyond the limit share one entry', async () => {
  await using service = await startService(proxied, never)
  const stranger = service.as('no-key')
  const addresses = Array.from({ length: MAX_ADDRESSES + 5 }, (_, n) => `10.0.${n >> 8}.${n & 255}`)
  for (const address of addresses) assertStatus(await stranger.get('/me', from(address)), 401)
  await service.restart()
  const entries = await service.admin.all(`${QUERY}&limit=200`)
  assert.equal(entries.length, MAX_ADDRESSES + 1)
  const others = entries.filter((entry) => entry.address === null)
  assert.deepEqual(
    others.map(({ target, details }) => [target, details.count]),
    [[{ type: 'address', id: 'others', name: 'Other addresses' }, 5]],
  )
})

test('the counts are written at the end of their period, while the service runs', async () => {
  await using service = await startService({}, { failuresPeriodMs: 200 })
  const stranger = service.as('no-key')
  for (let n = 0; n < 4; n++) assertStatus(await stranger.get('/me'), 401)
  const count = async () => (await service.admin.all(QUERY)).reduce((sum, { details }) => sum + details.count, 0)
  while ((await count()) < 4) await sleep(20)
  assert.equal(await count(), 4)
})
