import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newToken } from '@recto/lib/encoding/token.ts'
import { deriveCsrfToken } from '../../packages/server/src/identity/sessions/csrf.ts'
import { type Answer, assertProblem, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newOwner, newPerson } from '../support/people.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
})
after(() => nodes[Symbol.asyncDispose]())

const HTML = { accept: 'text/html,application/xhtml+xml' }
const browser = (node: 0 | 1 = 0) => nodes.as(node, undefined)

function signIn(fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
  return browser().call('POST', '/sign-in', {
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', ...headers },
  })
}

function cookieOf(answer: Answer): string {
  return /^[^;]+/.exec(answer.headers.get('set-cookie') ?? '')?.[0] ?? ''
}

/** The header that proves that a page of ours sends the request. */
function proof(cookie: string): Record<string, string> {
  return { cookie, 'x-csrf-token': deriveCsrfToken(cookie.split('=')[1] ?? '') }
}

async function sessionOf(key: string): Promise<string> {
  return cookieOf(assertStatus(await signIn({ key }), 303))
}

test('a key in the form becomes a session cookie, of which only the hash is stored', async () => {
  const ann = await newPerson(admin, 'Ann')
  const answer = assertStatus(await signIn({ key: ` ${ann.key} `, next: '/spaces?limit=1' }), 303)
  assert.equal(answer.headers.get('location'), '/spaces?limit=1')
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  const [cookie = ''] = answer.headers.getSetCookie()
  assert.match(cookie, /^svc_session=ses_\w{36}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/)
  const me = assertStatus(await browser(1).get('/me', { cookie: cookieOf(answer) }), 200)
  assert.equal(me.json.name, 'Ann')

  const token = cookieOf(answer).split('=')[1] ?? ''
  const { rows } = await nodes.query('select session::text as stored, hash from session')
  for (const { stored } of rows) assert.ok(!stored.includes(token) && !stored.includes(ann.key))
  assert.equal(rows[0].hash.length, 32)
})

test('an invalid key is an error on the page, and no cookie is set', async () => {
  const answer = assertStatus(await signIn({ key: newToken('svc_'), next: '/x"><script>' }), 401)
  assert.match(answer.text, /not valid/)
  assert.ok(!answer.text.includes('<script>'))
  assert.equal(answer.headers.get('set-cookie'), null)
  assertProblem(await signIn({}), 400, 'invalid_request')
})

test('the sign-in page keeps `next` only if it is a URL of this origin', async () => {
  assert.match((await browser().get('/sign-in?next=%2Fpages%2Fa%2Fb')).text, /value="\/pages\/a\/b"/)
  assert.match((await browser().get('/sign-in?next=%2F%2Fevil.example')).text, /value="\/"/)
  const ann = await newPerson(admin, 'Ann')
  for (const next of ['//evil.example', 'https://evil.example', '/\\evil.example', '/.//evil.example']) {
    assert.equal((await signIn({ key: ann.key, next })).headers.get('location'), '/')
  }
})

test('a browser without a session is sent to the sign-in page and back; anything else gets 401', async () => {
  const address = '/pages/docs/a%2Flinks?version=2'
  const answer = assertStatus(await browser().get(address, HTML), 303)
  assert.equal(answer.headers.get('location'), `/sign-in?next=${encodeURIComponent(address)}`)
  assertStatus(await browser().get('/me', { ...HTML, cookie: 'svc_session=stale' }), 303)
  for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }, { accept: 'text/markdown' }]) {
    assertProblem(await browser().get('/pages/docs/a', headers), 401, 'unauthorized')
  }
  assertProblem(await browser().call('PUT', '/pages/docs/a', { body: 'x', headers: HTML }), 401, 'unauthorized')
  assertProblem(await browser().get('/me', { ...HTML, authorization: 'Bearer x' }), 401, 'unauthorized')
})

test('a session has the permissions of its key and ends with it; a key takes precedence over the cookie', async () => {
  const eve = await newPerson(admin, 'Eve', { scopes: ['read'] })
  await admin.space('shop', { defaultRole: 'editor' })
  const cookie = await sessionOf(eve.key)
  const write = { body: 'x', headers: { ...proof(cookie), 'sec-fetch-site': 'same-origin' } }
  assertProblem(await browser().call('PUT', '/pages/shop/x', write), 403, 'forbidden')
  assert.equal((await admin.get('/me', { cookie })).json.name, 'Admin')
  assertStatus(await admin.delete(`/admin/api-keys/${eve.keyId}`), 204)
  await until(async () => (await browser(1).get('/me', { cookie })).status === 401)
})

test('a request that changes something with a cookie must come from this site', async () => {
  const bob = await newOwner(admin, 'Bob')
  const cookie = await sessionOf(bob.key)
  const origin = admin.base
  const put = (headers: Record<string, string>) =>
    browser().call('PUT', '/pages/personal/note', {
      body: 'x',
      headers: { ...proof(cookie), 'if-match': '*', ...headers },
    })
  assertStatus(
    await browser().put('/pages/personal/note', 'x', { ...proof(cookie), 'sec-fetch-site': 'same-origin' }),
    201,
  )
  for (const allowed of [
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
    { origin },
    { origin: origin.toUpperCase().replace('HTTP', 'http') },
    {},
  ]) {
    assertStatus(await put(allowed), 200)
  }
  for (const rejected of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', origin: 'http://evil.example' },
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: `${origin}.evil.example` },
  ]) {
    assertProblem(await put(rejected), 403, 'cross_site')
  }
  // A key is no ambient credential.
  const elsewhere = { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site', 'if-match': '*' }
  assertStatus(await bob.client.put('/pages/personal/note', 'x', elsewhere), 200)
  assertStatus(await browser().get('/me', { cookie, 'sec-fetch-site': 'cross-site' }), 200)
})

test('another site cannot sign a browser in or out', async () => {
  const mal = await newPerson(admin, 'Mal')
  const cross = { 'sec-fetch-site': 'cross-site', origin: 'http://evil.example' }
  assertProblem(await signIn({ key: mal.key }, cross), 403, 'cross_site')
  const cookie = await sessionOf(mal.key)
  assertProblem(
    await browser().call('POST', '/sign-out', { headers: { ...proof(cookie), ...cross } }),
    403,
    'cross_site',
  )
  assertStatus(await browser().get('/me', { cookie }), 200)
})

test('signing out ends this session, or all of them on every node', async () => {
  const cat = await newPerson(admin, 'Cat')
  const [one, two, three] = [await sessionOf(cat.key), await sessionOf(cat.key), await sessionOf(cat.key)]
  const out = await browser().call('POST', '/sign-out', { headers: proof(one) })
  assert.equal(assertStatus(out, 303).headers.get('location'), '/sign-in')
  assert.match(out.headers.get('set-cookie') ?? '', /^svc_session=; .*Max-Age=0/)
  assertProblem(await browser().get('/me', { cookie: one }), 401, 'unauthorized')
  assertStatus(await browser(1).get('/me', { cookie: two }), 200)
  const everywhere = {
    body: `everywhere=1&csrf=${proof(two)['x-csrf-token']}`,
    headers: { cookie: two, 'content-type': 'application/x-www-form-urlencoded' },
  }
  assertStatus(await browser().call('POST', '/sign-out', everywhere), 303)
  for (const cookie of [two, three]) {
    await until(async () => (await browser(1).get('/me', { cookie })).status === 401)
  }
  assertStatus(await cat.client.get('/me'), 200)
})

test('a new sign-in replaces the previous session', async () => {
  const dan = await newPerson(admin, 'Dan')
  const old = await sessionOf(dan.key)
  const fresh = cookieOf(await signIn({ key: dan.key }, { cookie: old }))
  assert.notEqual(fresh, old)
  assertProblem(await browser().get('/me', { cookie: old }), 401, 'unauthorized')
  assertStatus(await browser().get('/me', { cookie: fresh }), 200)
})

test('a session ends after twelve hours without a request, and after seven days in any case', async () => {
  const fay = await newPerson(admin, 'Fay')
  const state = (cookie: string) => browser(1).get('/me', { cookie })
  const idle = await sessionOf(fay.key)
  await nodes.query(`update session set last_seen_at = now() - interval '11 hours 59 minutes'`)
  assertStatus(await state(idle), 200)
  await until(async () => {
    const { rows } = await nodes.query(
      `select count(*)::int as n from session where last_seen_at > now() - interval '1 minute'`,
    )
    return rows[0].n === 1
  })
  await nodes.query(`update session set last_seen_at = now() - interval '12 hours 1 minute'`)
  await until(async () => (await state(idle)).status === 401)

  const old = await sessionOf(fay.key)
  const { rows } = await nodes.query(
    `select expires_at - created_at = interval '7 days' as week from session order by created_at desc limit 1`,
  )
  assert.equal(rows[0].week, true)
  await nodes.query(`update session set expires_at = now() - interval '1 second'`)
  await until(async () => (await state(old)).status === 401)
})

test('a disabled principal is signed out, and remains signed out when enabled again', async () => {
  const gus = await newPerson(admin, 'Gus')
  const cookie = await sessionOf(gus.key)
  await admin.patch(`/admin/principals/${gus.id}`, { disabled: true })
  await until(async () => (await browser().get('/me', { cookie })).status === 401)
  await admin.patch(`/admin/principals/${gus.id}`, { disabled: false })
  assertProblem(await browser().get('/me', { cookie }), 401, 'unauthorized')
})

test('with https the cookie has the __Host- prefix', async () => {
  await using secure = await startNodes({ SVC_PUBLIC_URL: 'https://wiki.example' })
  const [first] = secure.admins
  const answer = await first.call('POST', '/sign-in', {
    json: { key: first.key },
    headers: { origin: 'https://wiki.example' },
  })
  const [session = '', csrf = ''] = assertStatus(answer, 303).headers.getSetCookie()
  assert.match(csrf, /^__Host-recto_csrf=[\w-]{43}; Path=\/; Max-Age=604800; SameSite=Lax; Secure$/)
  assert.match(session, /^__Host-svc_session=ses_\w{36}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure$/)
  assertStatus(await secure.as(1, undefined).get('/me', { cookie: cookieOf(answer) }), 200)
})

test('the log has sign-ins and sign-outs with their client address, and attempts with revoked keys', async () => {
  const hal = await newPerson(admin, 'Hal')
  const acts = async () =>
    (await admin.get(`/admin/audit?actor=${hal.id}`)).json.items.map(
      // biome-ignore lint/suspicious/noExplicitAny: an entry of the log
      ({ action, target, details, address }: any) => [action, target.type, target.name, details, address],
    )
  const cookie = await sessionOf(hal.key)
  const other = await sessionOf(hal.key)
  assertStatus(await browser().call('POST', '/sign-out', { headers: proof(cookie) }), 303)
  const everywhere = { body: `everywhere=1&csrf=${proof(other)['x-csrf-token']}` }
  const form = { cookie: other, 'content-type': 'application/x-www-form-urlencoded' }
  assertStatus(await browser().call('POST', '/sign-out', { ...everywhere, headers: form }), 303)
  assertStatus(await signIn({ key: newToken('svc_') }), 401)
  assertStatus(await signIn({ key: 'no key at all' }), 401)
  assertStatus(await admin.delete(`/admin/api-keys/${hal.keyId}`), 204)
  await until(async () => (await hal.client.get('/me')).status === 401)
  assertStatus(await signIn({ key: hal.key }), 401)
  const at = '127.0.0.1'
  assert.deepEqual(await acts(), [
    ['session.refused', 'api_key', 'key', { reason: 'revoked' }, at],
    ['session.ended', 'session', 'Hal', { everywhere: true }, at],
    ['session.ended', 'session', 'Hal', {}, at],
    ['session.created', 'session', 'Hal', { apiKey: hal.keyId }, at],
    ['session.created', 'session', 'Hal', { apiKey: hal.keyId }, at],
  ])
  const entry = (await admin.get(`/admin/audit?actor=${hal.id}&action=session.created`)).text
  assert.ok(!entry.includes(hal.key) && !entry.includes(cookie.split('=')[1] ?? '-'))
})
