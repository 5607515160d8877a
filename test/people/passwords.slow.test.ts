import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sendForm, sessionCookieOf } from '../support/browser-session.ts'
import { type Answer, assertProblem, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { startLocalService } from '../support/local-service.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newKey } from '../support/people.ts'

const PASSWORD = 'quartz lantern vivid moss'
const OTHER = 'granite meadow seven owls'

let nodes: Nodes
let admin: Client
let number = 0
before(async () => {
  nodes = await startNodes({ SVC_TRUST_PROXY: '1' })
  admin = nodes.admins[0]
})
after(() => nodes[Symbol.asyncDispose]())

/** Each test has an address of its own, so that none uses up the limit of another. */
const freshAddress = () => `192.0.2.${++number}`
const browser = (node: 0 | 1 = 0) => nodes.as(node, undefined)
const pathOf = (link: { readonly url: string }) => new URL(link.url).pathname

interface Person {
  readonly id: string
  readonly email: string
  readonly cookie: string
}

async function newAccount(name: string, more: Readonly<Record<string, unknown>> = {}) {
  const email = `${name.toLowerCase()}-${++number}@example.org`
  const { id } = assertStatus(await admin.post('/admin/principals', { name, kind: 'human', email, ...more }), 201).json
  return { id: id as string, email }
}

async function newLink(id: string): Promise<string> {
  return pathOf(assertStatus(await admin.post(`/admin/principals/${id}/password-link`), 201).json)
}

/** Somebody who chose a password by a link, and is signed in. */
async function newPerson(name: string, more: Readonly<Record<string, unknown>> = {}): Promise<Person> {
  const account = await newAccount(name, more)
  const answer = await redeem(await newLink(account.id))
  return { ...account, cookie: sessionCookieOf(assertStatus(answer, 303)) }
}

function redeem(path: string, fields: Readonly<Record<string, string>> = {}, from = freshAddress()) {
  return sendForm(browser(), path, { password: PASSWORD, ...fields }, { 'x-forwarded-for': from })
}

function signIn(email: string, password: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return sendForm(
    browser(),
    '/sign-in/password',
    { email, password },
    { 'x-forwarded-for': freshAddress(), ...headers },
  )
}

const whoIs = (cookie: string, node: 0 | 1 = 0) => browser(node).get('/me', { cookie })

test('the first start prints a link that makes the first person an admin with a password, once', async () => {
  const path = nodes.setupPath
  assert.match(assertStatus(await browser().get(path), 200).text, /Set up your account/)
  const fields = { name: 'Dora', email: ' Dora@Example.org ' }
  assert.match(assertStatus(await redeem(path, { ...fields, email: 'x' }), 400).text, /must be an e-mail/)
  const answer = assertStatus(await redeem(path, fields), 303)
  assert.equal(answer.headers.get('location'), '/')
  const me = assertStatus(await whoIs(sessionCookieOf(answer), 1), 200).json
  assert.deepEqual([me.name, me.role], ['Dora', 'admin'])
  assert.equal((await admin.get(`/admin/principals/${me.id}`)).json.email, 'dora@example.org')
  assertStatus(await signIn('DORA@example.org', PASSWORD), 303)

  assertProblem(await redeem(path, fields), 404, 'link_invalid')
  assertProblem(await browser().get(path), 404, 'link_invalid')
})

test('of concurrent uses of one link one succeeds', async () => {
  const { id } = await newAccount('Race')
  const path = await newLink(id)
  const answers = await Promise.all(Array.from({ length: 8 }, () => redeem(path)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [303, ...Array(7).fill(404)])
  const { rows } = await nodes.query('select count(*)::int as n from session where principal_id = $1', [id])
  assert.equal(rows[0].n, 1)
})

test('a link that expired, was replaced, revoked or never existed is rejected with one text', async () => {
  const { id } = await newAccount('Eve')
  const replaced = await newLink(id)
  const expired = await newLink(id)
  const other = await newAccount('Kim')
  const ofDisabled = await newLink(other.id)
  assertStatus(await admin.patch(`/admin/principals/${other.id}`, { disabled: true }), 200)
  assertStatus(await admin.patch(`/admin/principals/${other.id}`, { disabled: false }), 200)
  const moved = await newAccount('Moe')
  const toOldAddress = await newLink(moved.id)
  assertStatus(await admin.patch(`/admin/principals/${moved.id}`, { email: 'new-moe@example.org' }), 200)
  const guessed = `${expired.slice(0, -6)}abcdef`
  assertProblem(await browser().get(replaced), 404, 'link_invalid')
  // Last: the next link that is created sweeps expired ones away.
  await nodes.query(`update one_time_link set expires_at = now() - interval '1 second' where principal_id = $1`, [id])
  const details = new Set<string>()
  for (const path of [replaced, expired, ofDisabled, toOldAddress, guessed, '/link/x']) {
    details.add(assertProblem(await browser().get(path), 404, 'link_invalid').json.detail)
    details.add(assertProblem(await redeem(path), 404, 'link_invalid').json.detail)
  }
  assert.equal(details.size, 1)
})

test('after 30 guessed links a client address is blocked, and links work from other addresses', async () => {
  const from = freshAddress()
  const guess = () => browser().get('/link/x', { 'x-forwarded-for': from })
  for (let i = 0; i < 30; i++) assertProblem(await guess(), 404, 'link_invalid')
  assert.ok(Number(assertProblem(await guess(), 429, 'too_many_requests').headers.get('retry-after')) > 0)
  const { id } = await newAccount('Lea')
  assertStatus(await redeem(await newLink(id)), 303)
})

test('only hashes of links and passwords are stored', async () => {
  const { id } = await newAccount('Hal')
  const path = await newLink(id)
  const links = await nodes.query('select l::text as stored, hash from one_time_link l where principal_id = $1', [id])
  assert.ok(!links.rows[0].stored.includes(path.split('/')[2]))
  assert.equal(links.rows[0].hash.length, 32)
  assertStatus(await redeem(path), 303)
  const { rows } = await nodes.query('select hash from password where principal_id = $1', [id])
  assert.match(rows[0].hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
})

test('opening a link changes nothing, and another site cannot use it', async () => {
  const { id } = await newAccount('Ida')
  const path = await newLink(id)
  for (let i = 0; i < 3; i++) assertStatus(await browser().get(path), 200)
  const cross = { 'sec-fetch-site': 'cross-site', origin: 'http://evil.example' }
  assertProblem(await sendForm(browser(), path, { password: PASSWORD }, cross), 403, 'cross_site')
  assertStatus(await redeem(path), 303)
})

test('a sign-in with a password creates a new session id', async () => {
  const { email, cookie: old } = await newPerson('Ann')
  const answer = assertStatus(await signIn(email, PASSWORD, { cookie: old }), 303)
  const fresh = sessionCookieOf(answer)
  assert.match(fresh, /^svc_session=ses_\w{36}$/)
  assert.notEqual(fresh, old)
  assertStatus(await whoIs(fresh, 1), 200)
  assertProblem(await whoIs(old), 401, 'unauthorized')
  // A cookie that somebody planted does not become the session.
  const planted = `svc_session=${fresh.slice(12, -6)}abcdef`
  assert.notEqual(sessionCookieOf(await signIn(email, PASSWORD, { cookie: planted })), planted)
})

test('a failed sign-in has the same response for any reason', async () => {
  const ann = await newPerson('Ann')
  const disabled = await newPerson('Dan')
  assertStatus(await admin.patch(`/admin/principals/${disabled.id}`, { disabled: true }), 200)
  const withoutPassword = await newAccount('Wim')
  const answers = [
    await signIn(ann.email, OTHER),
    await signIn('nobody@example.org', PASSWORD),
    await signIn('no address', PASSWORD),
    await signIn(disabled.email, PASSWORD),
    await signIn(withoutPassword.email, PASSWORD),
    await signIn(ann.email, `${PASSWORD} `),
    await signIn(ann.email, PASSWORD.toUpperCase()),
    await signIn(ann.email, ''),
  ]
  const texts = answers.map((answer) => {
    assertStatus(answer, 401)
    assert.equal(answer.headers.get('set-cookie'), null)
    return answer.text.replace(/value="[^"]*"/g, '')
  })
  assert.equal(new Set(texts).size, 1)
})

test('an e-mail address without an account takes as much work as one with an account', async () => {
  // In this process, whose processor time includes the threads that derive keys.
  await using local = await startLocalService({ SVC_TRUST_PROXY: '1' })
  const person = { name: 'Tim', kind: 'human', email: 'tim@example.org' }
  const { id } = assertStatus(await local.admin.post('/admin/principals', person), 201).json
  const link = assertStatus(await local.admin.post(`/admin/principals/${id}/password-link`), 201).json
  assertStatus(await sendForm(local.nobody, pathOf(link), { password: PASSWORD }), 303)
  const work = async (email: string) => {
    const before = process.cpuUsage()
    const from = { 'x-forwarded-for': freshAddress() }
    assertStatus(await sendForm(local.nobody, '/sign-in/password', { email, password: OTHER }, from), 401)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  let [known, unknown] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  // In turn: a service that has just started does other work beside the first requests.
  for (let i = 0; i < 8; i++) {
    known = Math.min(known, await work(person.email))
    unknown = Math.min(unknown, await work('nobody-2@example.org'))
  }
  assert.ok(unknown > known / 2 && known > unknown / 2, `${known} µs and ${unknown} µs of processor time`)
})

test('guessing one account from many addresses is limited; its keys and sessions continue to work', async () => {
  const { id, email, cookie } = await newPerson('Bob')
  const { secret } = await newKey(admin, id)
  for (const address of [email, 'nobody-3@example.org']) {
    const answers = await Promise.all(Array.from({ length: 10 }, () => signIn(address, OTHER)))
    assert.ok(answers.every(({ status }) => status === 401))
    const limited = assertProblem(await signIn(address, PASSWORD), 429, 'too_many_requests')
    assert.ok(Number(limited.headers.get('retry-after')) > 0)
  }
  assertStatus(await whoIs(cookie), 200)
  assertStatus(await nodes.as(0, secret).get('/me'), 200)
  assertStatus(await sendForm(browser(), '/sign-in', { key: secret }), 303)
  assertStatus(await redeem(await newLink(id)), 303)
})

test('guessing many accounts from one address is limited; other addresses and keys continue to work', async () => {
  const { id, email } = await newPerson('Cat')
  const { secret } = await newKey(admin, id)
  const from = { 'x-forwarded-for': freshAddress() }
  const guesses = Array.from({ length: 30 }, (_, i) => signIn(`guess-${i}@example.org`, PASSWORD, from))
  assert.ok((await Promise.all(guesses)).every(({ status }) => status === 401))
  assertProblem(await signIn(email, PASSWORD, from), 429, 'too_many_requests')
  assertStatus(await signIn(email, PASSWORD), 303)
  assertStatus(await nodes.as(0, secret).get('/me', from), 200)
  assertStatus(await sendForm(browser(), '/sign-in', { key: secret }, from), 303)
})

test('a new password has at least 12 characters and is not common; there are no other rules', async () => {
  const { id } = await newAccount('Ned')
  const path = await newLink(id)
  const cases = [
    ['short words', /at least 12 characters/],
    ['mòssmòssmòs', /at least 12 characters/],
    ['Sonyericsson', /most common passwords/],
    ['password12345', /most common passwords/],
    ['PasswordPassword', /most common passwords/],
    ['aaaaaaaaaaaaaaaa', /most common passwords/],
    ['x'.repeat(2000), /at most 1024 characters/],
  ] as const
  for (const [password, text] of cases) {
    const answer = assertStatus(await redeem(path, { password }), 400)
    assert.match(answer.text, text)
    assert.ok(!answer.text.includes(password))
  }
  assertStatus(await redeem(path, { password: 'vlqkzrpwjxhm' }), 303)
})

test('changing the password ends all other sessions and open links, and needs the current password', async () => {
  const { id, email, cookie } = await newPerson('Fay')
  const elsewhere = sessionCookieOf(await signIn(email, PASSWORD))
  const link = await newLink(id)
  const change = (current: string, password: string) =>
    sendForm(browser(), '/account/password', { current, password }, { cookie })
  assert.match(assertStatus(await change(OTHER, OTHER), 400).text, /is not your password/)
  assert.match(assertStatus(await change(PASSWORD, 'short'), 400).text, /at least 12/)
  assertStatus(await whoIs(elsewhere, 1), 200)
  assertStatus(await change(PASSWORD, OTHER), 303)
  await until(async () => (await whoIs(elsewhere, 1)).status === 401)
  assertStatus(await whoIs(cookie), 200)
  assertProblem(await redeem(link), 404, 'link_invalid')
  assertStatus(await signIn(email, PASSWORD), 401)
  assertStatus(await signIn(email, OTHER), 303)
})

test('guessing the current password with a stolen session is limited, too', async () => {
  const { cookie } = await newPerson('Gus')
  const change = (current: string) => sendForm(browser(), '/account/password', { current, password: OTHER }, { cookie })
  for (let i = 0; i < 10; i++) assertStatus(await change(OTHER), 400)
  assertProblem(await change(PASSWORD), 429, 'too_many_requests')
})

test('sessions are listed with their browser, and ended individually', async () => {
  const { email, cookie } = await newPerson('Joy')
  const other = sessionCookieOf(
    await signIn(email, PASSWORD, { 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0' }),
  )
  const { items } = assertStatus(await browser().get('/me/sessions', { cookie }), 200).json
  assert.deepEqual(
    items.map((item: { current: boolean }) => item.current),
    [true, false],
  )
  assert.match(items[1].userAgent, /Firefox/)
  assert.match(items[1].address, /^192\.0\.2\.\d+$/)
  assert.match((await browser().get('/account', { cookie, accept: 'text/html' })).text, /Firefox, Linux/)
  const stranger = await newPerson('Max')
  const end = (id: string, by: string) => sendForm(browser(), `/account/sessions/${id}/end`, {}, { cookie: by })
  assertProblem(await end(items[1].id, stranger.cookie), 404, 'not_found')
  assertStatus(await end(items[1].id, cookie), 303)
  await until(async () => (await whoIs(other, 1)).status === 401)
  assertStatus(await whoIs(cookie), 200)
  assertProblem(await end(items[1].id, cookie), 404, 'not_found')
})

test('all other sessions end at once, by the button and over the API; the own one and keys go on', async () => {
  const { id, email, cookie } = await newPerson('Abe')
  const { secret } = await newKey(admin, id)
  const stranger = await newPerson('Ada')
  const others = async () => [
    sessionCookieOf(await signIn(email, PASSWORD)),
    sessionCookieOf(await signIn(email, PASSWORD)),
  ]
  const areOut = (cookies: readonly string[]) =>
    until(async () => {
      const answers = await Promise.all(cookies.map((each) => whoIs(each, 1)))
      return answers.every(({ status }) => status === 401)
    })
  const first = await others()
  const account = await browser().get('/account', { cookie, accept: 'text/html' })
  assert.match(account.text, /Sign out everywhere else/)
  assertStatus(await sendForm(browser(), '/account/sessions/end-others', {}, { cookie }), 303)
  await areOut(first)
  assertStatus(await whoIs(cookie), 200)
  const second = await others()
  const key = nodes.as(0, secret)
  assertStatus(await key.delete('/me/sessions'), 204)
  await areOut([...second, cookie])
  assertStatus(await key.get('/me'), 200)
  assertStatus(await whoIs(stranger.cookie), 200)
})

test('a session of a restricted key ends no other sessions and sets no password', async () => {
  const { id, cookie, email } = await newPerson('Liz')
  const { secret } = await newKey(admin, id, { scopes: ['write'] })
  const limited = sessionCookieOf(assertStatus(await sendForm(browser(), '/sign-in', { key: secret }), 303))
  const change = { current: PASSWORD, password: OTHER }
  assertProblem(await sendForm(browser(), '/account/password', change, { cookie: limited }), 403, 'forbidden')
  const { items } = (await browser().get('/me/sessions', { cookie: limited })).json
  const key = nodes.as(0, secret)
  assertProblem(await key.delete(`/me/sessions/${items[0].id}`), 403, 'forbidden')
  assertProblem(await key.delete('/me/sessions'), 403, 'forbidden')
  assertStatus(await whoIs(cookie), 200)
  assertStatus(await signIn(email, PASSWORD), 303)
})

test('only organisation admins create links, and only for people with an e-mail address', async () => {
  const agent = assertStatus(await admin.post('/admin/principals', { name: 'Bot', kind: 'agent' }), 201).json
  const bare = assertStatus(await admin.post('/admin/principals', { name: 'Kay', kind: 'human' }), 201).json
  for (const { id } of [agent, bare]) {
    assertProblem(await admin.post(`/admin/principals/${id}/password-link`), 400, 'invalid_request')
  }
  const member = await newPerson('Mia')
  const { secret } = await newKey(admin, member.id)
  assertProblem(await nodes.as(0, secret).post(`/admin/principals/${bare.id}/password-link`), 403, 'forbidden')
  assertProblem(
    await admin.post('/admin/principals', { name: 'A', kind: 'agent', email: 'a@example.org' }),
    400,
    'invalid_request',
  )
  assertProblem(
    await admin.post('/admin/principals', { name: 'M', kind: 'human', email: member.email.toUpperCase() }),
    409,
    'email_taken',
  )
  assertProblem(await admin.patch(`/admin/principals/${bare.id}`, { email: member.email }), 409, 'email_taken')
  assertProblem(await admin.patch(`/admin/principals/${bare.id}`, { email: 'a b@c' }), 400, 'invalid_request')
  assertStatus(await admin.patch(`/admin/principals/${member.id}`, { email: null }), 200)
  assertStatus(await signIn(member.email, PASSWORD), 401)
})

test('an admin with a password counts as the last admin of the organisation', async () => {
  await using own = await startNodes()
  const [first] = own.admins
  const answer = await sendForm(own.as(0, undefined), own.setupPath, {
    name: 'Solo',
    email: 'solo@example.org',
    password: PASSWORD,
  })
  const cookie = sessionCookieOf(assertStatus(answer, 303))
  const { items } = (await first.get('/me/api-keys')).json
  assertStatus(await first.delete(`/me/api-keys/${items[0].id}`), 204)
  const csrf = { cookie, 'x-csrf-token': '' }
  assertStatus(await own.as(0, undefined).get('/admin/principals', csrf), 200)
})
