import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newToken } from '../../src/lib/token.ts'
import { assertProblem, assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { startService } from '../support/service.ts'

test('an address with 30 failed authentications gets 429, while keys in use there go on', async () => {
  await using service = await startService({ SVC_TRUST_PROXY: '1' })
  const from = { 'x-forwarded-for': '192.0.2.1' }
  const guess = (headers = from) => service.as(newToken('svc_')).get('/me', headers)
  assertStatus(await service.admin.get('/me', from), 200)
  const answers = await Promise.all(Array.from({ length: 40 }, () => guess()))
  assert.equal(answers.filter(({ status }) => status === 401).length, 30)
  assert.equal(answers.filter(({ status }) => status === 429).length, 10)

  const refused = assertProblem(await guess(), 429, 'too_many_requests')
  assert.match(refused.headers.get('retry-after') ?? '', /^(29\d|300)$/)
  assertStatus(await service.admin.get('/me', from), 200)
  assertProblem(await service.nobody.get('/me', from), 401, 'unauthorized')
  const ann = await newPerson(service.admin, 'Ann')
  assertProblem(await ann.client.get('/me', from), 429, 'too_many_requests')
  assertStatus(await ann.client.get('/me'), 200)
  assertStatus(await guess({ 'x-forwarded-for': '192.0.2.2' }), 401)
})

test('a hundred requests at once with a key that the node has not seen are one attempt', async () => {
  await using service = await startService()
  await service.restart()
  const answers = await Promise.all(Array.from({ length: 100 }, () => service.admin.get('/me')))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
})

test('a key has its requests a minute, and every answer tells what is left', async () => {
  await using service = await startService({ SVC_RATE_LIMIT: '20' })
  const ann = await newPerson(service.admin, 'Ann')
  const first = assertStatus(await ann.client.get('/me'), 200)
  assert.equal(first.headers.get('ratelimit-policy'), '"default";q=20;w=60')
  assert.equal(first.headers.get('ratelimit'), '"default";r=19;t=60')
  assert.match((await ann.client.get('/spaces/absent')).headers.get('ratelimit') ?? '', /r=18;/)
  for (let left = 17; left >= 0; left--) assertStatus(await ann.client.get('/me'), 200)

  const refused = assertProblem(await ann.client.get('/me'), 429, 'too_many_requests')
  assert.match(refused.headers.get('ratelimit') ?? '', /^"default";r=0;t=\d+$/)
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
  assertStatus(await service.admin.get('/me'), 200)
  assertStatus(await service.nobody.get('/healthz'), 200)
})

test('the limit can be switched off', async () => {
  await using service = await startService({ SVC_RATE_LIMIT: '0' })
  assert.equal((await service.admin.get('/me')).headers.get('ratelimit'), null)
})

test('what a client itself writes into X-Forwarded-For does not make it someone else', async () => {
  await using service = await startService({ SVC_TRUST_PROXY: '1' })
  const answers = []
  for (let guess = 0; guess < 31; guess++) {
    const from = { 'x-forwarded-for': `198.51.100.${guess}, 192.0.2.1` }
    answers.push((await service.as(newToken('svc_')).get('/me', from)).status)
  }
  assert.deepEqual(answers, [...Array(30).fill(401), 429])
})
