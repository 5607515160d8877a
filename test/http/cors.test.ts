import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertProblem, assertStatus, Client } from '../support/client.ts'
import { startService } from '../support/service.ts'

// Decisions, section 1: `SVC_CORS_ORIGINS` opens the API to browsers of other origins, for bearer credentials only.
const APP = 'https://app.example.org'
const OTHER = 'https://other.example.org'

const preflightOf = (origin: string, method = 'PUT') => ({
  origin,
  'access-control-request-method': method,
  'access-control-request-headers': 'authorization,if-match',
})

test('scripts of a listed origin may call the API, and those of other origins may not', async () => {
  await using service = await startService({ SVC_CORS_ORIGINS: `${APP}, http://localhost:5173` })
  const { admin } = service
  const anonymous = new Client(admin.base, undefined)
  await admin.space('docs')
  const preflight = await anonymous.call('OPTIONS', '/pages/docs/a', { headers: preflightOf(APP) })
  assertStatus(preflight, 204)
  assert.equal(preflight.headers.get('access-control-allow-origin'), APP)
  assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /\bPUT\b/)
  for (const name of ['Authorization', 'If-Match', 'Idempotency-Key', 'Repr-Digest', 'Content-Digest'])
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', new RegExp(`\\b${name}\\b`))
  assert.equal(preflight.headers.get('access-control-allow-credentials'), null)
  const made = assertStatus(await admin.put('/pages/docs/a', '# A', { origin: APP }), 201)
  assert.equal(made.headers.get('access-control-allow-origin'), APP)
  for (const name of ['ETag', 'Link', 'Location', 'Retry-After', 'RateLimit', 'RateLimit-Policy'])
    assert.match(made.headers.get('access-control-expose-headers') ?? '', new RegExp(`\\b${name}\\b`))
  const read = await admin.get('/pages/docs/a', { origin: APP, accept: 'text/markdown' })
  assert.deepEqual(read.headers.get('vary')?.split(', '), ['Accept', 'Accept-Encoding', 'Origin'])
  // Errors can be read, those without a credential too.
  const rejected = assertProblem(await anonymous.get('/pages/docs/a', { origin: APP }), 401, 'unauthorized')
  assert.equal(rejected.headers.get('access-control-allow-origin'), APP)
  const foreign = await anonymous.call('OPTIONS', '/pages/docs/a', { headers: preflightOf(OTHER) })
  assertStatus(foreign, 204)
  for (const name of ['origin', 'methods', 'headers'])
    assert.equal(foreign.headers.get(`access-control-allow-${name}`), null)
  const toOther = await admin.get('/pages/docs/a', { origin: OTHER })
  assert.equal(toOther.headers.get('access-control-allow-origin'), null)
  // A cache must not give the answer for one origin to another.
  assert.match(toOther.headers.get('vary') ?? '', /\bOrigin\b/)
})

test('a cookie is no credential for another origin, listed or not', async () => {
  await using service = await startService({ SVC_CORS_ORIGINS: '*' })
  const { admin } = service
  const anonymous = new Client(admin.base, undefined)
  await admin.space('docs')
  const preflight = await anonymous.call('OPTIONS', '/spaces', { headers: preflightOf(OTHER, 'POST') })
  assert.equal(preflight.headers.get('access-control-allow-origin'), '*')
  assert.equal(preflight.headers.get('access-control-allow-credentials'), null)
  const signIn = await fetch(`${admin.base}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ key: admin.key ?? '' }),
  })
  const cookie = signIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  assertStatus(await anonymous.get('/spaces', { cookie }), 200)
  const foreign = { cookie, origin: OTHER, 'sec-fetch-site': 'cross-site' }
  assertProblem(await anonymous.post('/spaces', { slug: 'stolen' }, foreign), 403, 'cross_site')
  assert.equal((await admin.get('/pages/docs/none', { origin: OTHER })).headers.get('access-control-allow-origin'), '*')
})
