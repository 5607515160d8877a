import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { newToken } from '@recto/lib/encoding/token.ts'
import { pino } from 'pino'
import { assertProblem, assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { startLocalService } from '../support/local-service.ts'
import { scrape } from '../support/metrics.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

/** Behind a proxy, so that each test has client addresses of its own; without a rate limit. */
let proxied: Service
before(async () => {
  proxied = await startService({ SVC_TRUST_PROXY: '1', SVC_RATE_LIMIT: '0' })
})
after(() => proxied[Symbol.asyncDispose]())

test('a client address with 30 failed authentications gets 429, while valid keys continue to work, new ones too', async () => {
  const service = proxied
  const from = { 'x-forwarded-for': '192.0.2.1' }
  const guess = (headers = from) => service.as(newToken('svc_')).get('/me', headers)
  assertStatus(await service.admin.get('/me', from), 200)
  const answers = await Promise.all(Array.from({ length: 40 }, () => guess()))
  assert.equal(answers.filter(({ status }) => status === 401).length, 30)
  assert.equal(answers.filter(({ status }) => status === 429).length, 10)

  const rejected = assertProblem(await guess(), 429, 'too_many_requests')
  assert.match(rejected.headers.get('retry-after') ?? '', /^(29\d|300)$/)
  assertStatus(await service.admin.get('/me', from), 200)
  assertProblem(await service.nobody.get('/me', from), 401, 'unauthorized')
  // Keys that the node has never seen, with and without the failures of others in between, and by the form.
  const ann = await newPerson(service.admin, 'Ann')
  assertStatus(await ann.client.get('/me', from), 200)
  const newKeys = await Promise.all(['Ben', 'Cleo', 'Dan'].map((name) => newPerson(service.admin, name)))
  const mixed = await Promise.all(
    newKeys.flatMap(({ client }) => [guess(), client.get('/me', from), service.as('svc_typo').get('/me', from)]),
  )
  assert.deepEqual(
    mixed.map(({ status }) => status),
    newKeys.flatMap(() => [429, 200, 429]),
  )
  const form = { ...from, 'content-type': 'application/x-www-form-urlencoded' }
  const body = `key=${(await newPerson(service.admin, 'Eva')).key}`
  assertStatus(await service.nobody.call('POST', '/sign-in', { headers: form, body }), 303)
  // A key that ends is a failure like any other.
  await service.admin.patch(`/admin/principals/${ann.id}`, { disabled: true })
  await until(async () => (await ann.client.get('/me', from)).status === 429)
  assertStatus(await guess({ 'x-forwarded-for': '192.0.2.2' }), 401)
})

test('a hundred concurrent requests with a key that is new to the node count as one attempt', async () => {
  const from = { 'x-forwarded-for': '192.0.2.3' }
  await proxied.restart()
  const answers = await Promise.all(Array.from({ length: 100 }, () => proxied.admin.get('/me', from)))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
})

test('fifty keys that are first used concurrently from one client address are all accepted', async () => {
  const service = proxied
  const keys: string[] = []
  const me = (await service.admin.get('/me')).json.id
  for (let n = 0; n < 50; n++) {
    const made = await service.admin.post('/admin/api-keys', { principal: me, name: `k${n}`, scopes: ['read'] })
    keys.push(assertStatus(made, 201).json.secret)
  }
  const from = { 'x-forwarded-for': '192.0.2.4' }
  const answers = await Promise.all(keys.map((key) => service.as(key).get('/me', from)))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  const guesses = Array.from({ length: 40 }, () => service.as(newToken('svc_')).get('/me', from))
  const rejected = (await Promise.all(guesses)).filter(({ status }) => status === 429)
  assert.equal(rejected.length, 10)
})

test('a key has a quota of requests per minute, and every response has the remaining quota', async () => {
  await using service = await startService({ SVC_RATE_LIMIT: '20' })
  const ann = await newPerson(service.admin, 'Ann')
  const first = assertStatus(await ann.client.get('/me'), 200)
  assert.equal(first.headers.get('ratelimit-policy'), '"default";q=20;w=60')
  assert.equal(first.headers.get('ratelimit'), '"default";r=19;t=60')
  assert.match((await ann.client.get('/spaces/absent')).headers.get('ratelimit') ?? '', /r=18;/)
  for (let left = 17; left >= 0; left--) assertStatus(await ann.client.get('/me'), 200)

  const rejected = assertProblem(await ann.client.get('/me'), 429, 'too_many_requests')
  assert.match(rejected.headers.get('ratelimit') ?? '', /^"default";r=0;t=\d+$/)
  assert.match(rejected.headers.get('retry-after') ?? '', /^\d+$/)
  assertStatus(await service.admin.get('/me'), 200)
  assertStatus(await service.nobody.get('/healthz'), 200)
})

test('the limit can be switched off', async () => {
  assert.equal((await proxied.admin.get('/me')).headers.get('ratelimit'), null)
})

test('a client cannot change its address with X-Forwarded-For', async () => {
  const service = proxied
  const answers = []
  for (let guess = 0; guess < 31; guess++) {
    const from = { 'x-forwarded-for': `198.51.100.${guess}, 192.0.2.5` }
    answers.push((await service.as(newToken('svc_')).get('/me', from)).status)
  }
  assert.deepEqual(answers, [...Array(30).fill(401), 429])
})

test('failed authentications of one client count together whatever ports and junk its proxy forwards', async () => {
  const service = proxied
  const { client } = await newPerson(service.admin, 'Ann')
  for (const [name, forwardedFor] of [
    ['IPv4', (n: number) => `192.0.2.6:${50_000 + n}`],
    ['IPv6', (n: number) => `[2001:db8::1]:${50_000 + n}`],
    ['junk', (n: number) => `198.51.100.${n}, unknown${n}`],
  ] as const) {
    const statuses = []
    for (let guess = 0; guess < 31; guess++) {
      const from = { 'x-forwarded-for': forwardedFor(guess) }
      statuses.push((await service.as(newToken('svc_')).get('/me', from)).status)
    }
    assert.deepEqual(statuses, [...Array(30).fill(401), 429], name)
  }
  // Everybody whom the proxy does not name shares one address: valid keys pass.
  assertStatus(await client.get('/me', { 'x-forwarded-for': 'unknown' }), 200)
})

test('behind an untrusted proxy invalid tokens block no valid key, and the setting is logged once', async () => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  await using service = await startLocalService({}, {}, log)
  const from = { 'x-forwarded-for': '192.0.2.1' }
  const people = []
  for (const name of ['Ann', 'Ben', 'Cleo']) people.push(await newPerson(service.admin, name))
  const warnings = () => lines.filter((line) => line.includes('SVC_TRUST_PROXY'))
  assert.equal(warnings().length, 0)
  const guess = (token: string) => service.as(token).get('/me', from)
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => guess(n % 2 === 0 ? newToken('svc_') : `svc_${n}`)),
  )
  assert.equal(answers.filter(({ status }) => status === 401).length, 30)
  assert.equal(answers.filter(({ status }) => status === 429).length, 10)

  // Keys that this node has never seen, by the API and by the form.
  for (const { key } of people) assertStatus(await service.as(key).get('/me', from), 200)
  const form = { ...from, 'content-type': 'application/x-www-form-urlencoded' }
  const body = `key=${(await newPerson(service.admin, 'Dan')).key}`
  assertStatus(await service.nobody.call('POST', '/sign-in', { headers: form, body }), 303)
  assertProblem(await guess(newToken('svc_')), 429, 'too_many_requests')
  assert.equal(warnings().length, 1)
  assert.match(warnings()[0] ?? '', /set SVC_TRUST_PROXY to the number of proxies in front/)
})

test('the open requests of a key are limited, whether they end or their clients disconnect', async () => {
  await using service = await startService({ SVC_MAX_CONCURRENT_REQUESTS: '3' })
  const ann = await newPerson(service.admin, 'Ann')
  const leave = new AbortController()
  const waiting = Array.from({ length: 3 }, () =>
    fetch(`${service.admin.base}/changes?since=now&wait=30`, {
      signal: leave.signal,
      headers: { authorization: `Bearer ${ann.key}` },
    }),
  )
  const held = async (resource: string) =>
    (await scrape(service.nobody)).samples.get(`recto_held{resource="${resource}"}`)
  await until(async () => (await held('streams')) === 3)
  const began = performance.now()
  const rejected = assertProblem(await ann.client.get('/me'), 429, 'too_many_requests')
  assert.match(rejected.headers.get('retry-after') ?? '', /^\d+$/)
  assert.ok(performance.now() - began > 9_500)
  assertStatus(await service.admin.get('/me'), 200)

  const late = ann.client.get('/me')
  await until(async () => (await held('requests_waiting')) === 1)
  leave.abort()
  assert.ok((await Promise.allSettled(waiting)).every(({ status }) => status === 'rejected'))
  assertStatus(await late, 200)
  // A body that never comes: the request ends with its connection.
  for (let n = 0; n < 6; n++) await breakOff(service.admin.base, ann.key)
  await until(async () => (await ann.client.get('/me')).status === 200)
  const answers = await Promise.all(Array.from({ length: 3 }, () => ann.client.get('/me')))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  )
})

test('200 requests of a key wait for their turn, without a rate limit too, and further ones get 429 at once', async () => {
  await using service = await startService({ SVC_MAX_CONCURRENT_REQUESTS: '4', SVC_RATE_LIMIT: '0' })
  const [ann, ben] = [await newPerson(service.admin, 'Ann'), await newPerson(service.admin, 'Ben')]
  const leave = new AbortController()
  const headers = { authorization: `Bearer ${ann.key}` }
  const open = Array.from({ length: 4 }, () =>
    fetch(`${service.admin.base}/changes?since=now&wait=30`, { signal: leave.signal, headers }),
  )
  const held = async (resource: string) =>
    (await scrape(service.nobody)).samples.get(`recto_held{resource="${resource}"}`)
  await until(async () => (await held('requests')) === 4)
  const statuses: number[] = []
  const sent = Array.from({ length: 210 }, async () => {
    statuses.push((await ann.client.get('/me')).status)
  })
  await until(async () => statuses.length === 10 && (await held('requests_waiting')) === 200)
  assert.deepEqual([...new Set(statuses)], [429])
  // Other keys wait for none of them.
  assertStatus(await ben.client.get('/me'), 200)
  leave.abort()
  await Promise.allSettled([...open, ...sent])
  assert.equal(statuses.filter((status) => status === 200).length, 200)
  await until(async () => (await held('requests')) === 0 && (await held('requests_waiting')) === 0)
})

/** Begins to send a page, and leaves once the service has begun to read it. */
async function breakOff(base: string, key: string): Promise<void> {
  const { hostname, port } = new URL(base)
  const socket = connect(Number(port), hostname)
  const head = `PUT /pages/personal/x HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n`
  socket.write(`${head}Content-Type: text/markdown\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n`)
  await new Promise((resolve) => socket.once('data', resolve))
  socket.write('# the beginning')
  socket.destroy()
}

test('the open streams and long polls of a key and of a node are limited, and a closed one frees its slot', async () => {
  await using service = await startService({ SVC_MAX_STREAMS_PER_KEY: '3', SVC_MAX_STREAMS: '5' })
  const [ann, ben] = [await newPerson(service.admin, 'Ann'), await newPerson(service.admin, 'Ben')]
  const leave = new AbortController()
  const open = (key: string, accept: string, query: string) =>
    fetch(`${service.admin.base}/changes?since=now${query}`, {
      signal: leave.signal,
      headers: { authorization: `Bearer ${key}`, accept },
    })
  const stream = (key: string) => open(key, 'text/event-stream', '')
  assert.deepEqual([(await stream(ann.key)).status, (await stream(ann.key)).status], [200, 200])
  const poll = open(ann.key, 'application/json', '&wait=30').catch(() => undefined)
  await until(async () => (await ann.client.get('/changes?since=now&wait=1')).status === 429)
  const rejected = assertProblem(await ann.client.get('/changes?wait=1'), 429, 'too_many_requests')
  assert.match(rejected.headers.get('retry-after') ?? '', /^\d+$/)
  // What does not wait is no long poll.
  assertStatus(await ann.client.get('/changes?since=now'), 200)

  for (let n = 0; n < 2; n++) assert.equal((await stream(ben.key)).status, 200)
  assertProblem(await ben.client.get('/changes?since=now&wait=1'), 429, 'too_many_requests')
  leave.abort()
  await poll
  await until(async () => (await ann.client.get('/changes?since=now&wait=1')).status === 200)
})
