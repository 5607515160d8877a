import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '../../access/caller.ts'
import { createCredentialCache } from './authenticate.ts'

const caller: Caller = {
  id: '1',
  name: 'A',
  kind: 'human',
  orgRole: 'member',
  guest: false,
  scope: 'read',
  spaceIds: null,
  personal: true,
  keyId: 'k',
}

test('a caller is looked up once, and again within a second', async () => {
  let now = 0
  let lookups = 0
  const known = createCredentialCache(() => now)
  const find = async () => {
    lookups += 1
    return caller
  }
  await Promise.all([known.get('a', find), known.get('a', find)])
  now = 899
  assert.equal(await known.get('a', find), caller)
  assert.equal(lookups, 1)
  now = 999
  await known.get('a', find)
  assert.equal(lookups, 2)
})

test('failed lookups are not cached, and only found callers count as valid', async () => {
  const known = createCredentialCache(() => 0)
  assert.equal(await known.get('a', async () => undefined), undefined)
  assert.equal(known.wasValid('a'), false)
  await assert.rejects(known.get('a', async () => Promise.reject(new Error('away'))))
  assert.equal(await known.get('a', async () => caller), caller)
  assert.equal(known.wasValid('a'), true)
  known.forget('a')
  assert.equal(known.wasValid('a'), false)
})

test('a key that was valid counts as valid until a lookup finds it revoked', async () => {
  let now = 0
  const known = createCredentialCache(() => now)
  await known.get('a', async () => caller)
  now = 5_000
  assert.equal(known.wasValid('a'), true)
  assert.equal(await known.get('a', async () => undefined), undefined)
  assert.equal(known.wasValid('a'), false)
})

test('after a change of credentials each is looked up again, also one whose lookup is pending', async () => {
  const known = createCredentialCache(() => 0)
  await known.get('a', async () => caller)
  const pending = Promise.withResolvers<Caller>()
  const joined = known.get('b', () => pending.promise)
  known.expireAll()
  assert.equal(known.recent('a'), undefined)
  assert.equal(known.wasValid('a'), true, 'nobody else can lock out a key that was valid until now')
  assert.equal(await known.get('a', async () => undefined), undefined)
  assert.equal(await known.get('b', async () => undefined), undefined)
  pending.resolve(caller)
  assert.equal(await joined, caller)
  assert.equal(known.recent('b'), undefined)
})
