import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Answer, assertProblem, assertStatus, type Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newOwner, type Person } from '../support/people.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

let nodes: Nodes
let admin: Client
let browser: Client
let ann: Person
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
  browser = nodes.as(0, undefined)
  ann = await newOwner(admin, 'Ann')
})
after(() => nodes[Symbol.asyncDispose]())

interface Session {
  readonly cookie: string
  readonly token: string
}

/** Signs in as a browser does, and tells its session cookie and the token that scripts read. */
async function signIn(): Promise<Session> {
  const answer = await browser.call('POST', '/sign-in', {
    body: new URLSearchParams({ key: ann.key }).toString(),
    headers: FORM,
  })
  const [session = '', csrf = ''] = assertStatus(answer, 303).headers.getSetCookie()
  return { cookie: session.split(';')[0] ?? '', token: /^recto_csrf=([^;]+)/.exec(csrf)?.[1] ?? '' }
}

function create(headers: Record<string, string>, slug = 'made-by-cookie'): Promise<Answer> {
  return browser.call('POST', '/spaces', { json: { slug }, headers })
}

test('a request that changes something with a cookie needs the CSRF token of its session', async () => {
  const { cookie, token } = await signIn()
  const other = await signIn()
  for (const headers of [
    {},
    { 'x-csrf-token': '' },
    { 'x-csrf-token': `${token}x` },
    { 'x-csrf-token': token.toLowerCase() },
    { 'x-csrf-token': other.token },
    // The cookie alone proves nothing: the browser adds it unasked.
    { cookie: `${cookie}; recto_csrf=${token}` },
  ]) {
    const answer = assertProblem(await create({ cookie, ...headers }), 403, 'csrf_token_invalid')
    assert.match(answer.json.detail, /X-CSRF-Token/)
  }
  for (const [method, path] of [
    ['PUT', '/pages/personal/x'],
    ['PATCH', '/pages/personal/x/metadata'],
    ['DELETE', '/spaces/nowhere'],
    ['POST', '/mcp'],
  ] as const) {
    assertProblem(await browser.call(method, path, { headers: { cookie } }), 403, 'csrf_token_invalid')
  }
  assertStatus(await create({ cookie, 'x-csrf-token': token }), 201)
  assertStatus(await browser.get('/me', { cookie }), 200)
})

test('a request with a key needs no CSRF token, also with a cookie', async () => {
  const { cookie } = await signIn()
  assertStatus(await ann.client.post('/spaces', { slug: 'by-key' }), 201)
  assertStatus(await ann.client.post('/spaces', { slug: 'by-both' }, { cookie }), 201)
})

test('the body of a page written with curl is not parsed as a form', async () => {
  const { cookie, token } = await signIn()
  const body = `csrf=${token}`
  const put = (headers: Record<string, string>) =>
    browser.call('PUT', '/pages/personal/raw', { body, headers: { cookie, ...FORM, ...headers } })
  assertProblem(await put({}), 403, 'csrf_token_invalid')
  assertStatus(await put({ 'x-csrf-token': token }), 201)
})

test('a form has the token in a field, and signing out with it ends its own session only', async () => {
  const { cookie, token } = await signIn()
  const other = await signIn()
  const out = (body: string, headers: Record<string, string> = FORM) =>
    browser.call('POST', '/sign-out', { body, headers: { cookie, ...headers } })
  assertProblem(await out(''), 403, 'csrf_token_invalid')
  assertProblem(await out(`csrf=${other.token}`), 403, 'csrf_token_invalid')
  assertProblem(await out(`csrf=${other.token}&csrf=${token}`), 400, 'invalid_request')
  assertProblem(await out(`csrf[]=${token}`), 403, 'csrf_token_invalid')
  assertProblem(
    await out(JSON.stringify({ csrf: token }), { 'content-type': 'application/json' }),
    403,
    'csrf_token_invalid',
  )
  assertStatus(await browser.get('/me', { cookie }), 200)
  const cookies = assertStatus(await out(`csrf=${token}`), 303).headers.getSetCookie()
  assert.deepEqual(
    cookies.map((text) => /^(\w+)=;.*Max-Age=0/.exec(text)?.[1]),
    ['svc_session', 'recto_csrf'],
  )
  assertProblem(await browser.get('/me', { cookie }), 401, 'unauthorized')
  // The session is over: there is nothing left to protect.
  assertStatus(await out(''), 303)
})

test('forms have the token if a person is signed in, masked differently in each response', async () => {
  const { cookie, token } = await signIn()
  const tokens = async () => {
    const { text } = await browser.get('/sign-in', { cookie })
    assert.ok(!text.includes(token), 'the token itself is in no screen')
    return [...text.matchAll(/name="csrf" value="([\w-]{86})"/g)].map(([, masked = '']) => masked)
  }
  const [first, again] = [await tokens(), await tokens()]
  assert.deepEqual([first.length, again.length], [2, 2])
  assert.notEqual(first[0], again[0])
  for (const [n, masked] of [...first, ...again].entries()) {
    assertStatus(await create({ cookie, 'x-csrf-token': masked }, `masked-${n}`), 201)
  }
  assert.ok(!(await browser.get('/sign-in')).text.includes('name="csrf"'))
})

test('a masked token of another session, or one that was changed, is rejected', async () => {
  const { cookie } = await signIn()
  const other = await signIn()
  const { text } = await browser.get('/sign-in', { cookie: other.cookie })
  const masked = /name="csrf" value="([\w-]{86})"/.exec(text)?.[1] ?? ''
  const changed = (masked.startsWith('A') ? 'B' : 'A') + masked.slice(1)
  const rejected = async (as: string, sent: string) =>
    assertProblem(await create({ cookie: as, 'x-csrf-token': sent }), 403, 'csrf_token_invalid')
  await rejected(cookie, masked)
  for (const sent of [changed, masked.slice(0, 43), masked.slice(43), `${masked}A`, 'A'.repeat(86)]) {
    await rejected(other.cookie, sent)
  }
  const form = { cookie: other.cookie, ...FORM }
  assertStatus(await browser.call('POST', '/sign-out', { body: `csrf=${masked}`, headers: form }), 303)
})

test('any response sets the token cookie of a browser that lacks it or has that of another session', async () => {
  const { cookie, token } = await signIn()
  const expected = `recto_csrf=${token}; Path=/; Max-Age=604800; SameSite=Lax`
  for (const stale of ['', '; recto_csrf=', '; recto_csrf=of-another-session']) {
    assert.deepEqual((await browser.get('/me', { cookie: cookie + stale })).headers.getSetCookie(), [expected])
  }
  const known = { cookie: `${cookie}; recto_csrf=${token}` }
  assert.deepEqual((await browser.get('/me', known)).headers.getSetCookie(), [])
  assert.deepEqual((await ann.client.get('/me')).headers.getSetCookie(), [])
})
