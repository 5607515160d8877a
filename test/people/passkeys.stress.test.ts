import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, before, test } from 'node:test'
import pg from 'pg'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { openSection, startBrowser } from '../support/browser.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'

const PASSWORD = 'quartz lantern vivid moss'

let database: TestDatabase
let service: Service
let admin: Client
let browser: Browser
let origin: string
before(async () => {
  // Passkeys belong to a host name, not to an IP address.
  const port = await freePort()
  origin = `http://localhost:${port}`
  database = await createTestDatabase()
  service = await startService({
    SVC_PORT: String(port),
    SVC_PUBLIC_URL: origin,
    SVC_TRUST_PROXY: '1',
    SVC_DATABASE_URL: database.url,
  })
  admin = service.admin
  browser = await startBrowser()
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  await new Promise((done) => server.close(done))
  assert.ok(typeof address === 'object' && address)
  return address.port
}

/** A browser with an authenticator. */
interface Device {
  readonly context: BrowserContext
  readonly page: Page
  readonly cdp: CDPSession
  readonly authenticatorId: string
}

interface Person extends Device {
  readonly id: string
}

async function newDevice(): Promise<Device> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { context, page, cdp, authenticatorId }
}

/** Somebody who is signed in with a password, in a browser with an authenticator. */
async function newPerson(name: string): Promise<Person> {
  const email = `${name.toLowerCase()}@example.org`
  const { id } = assertStatus(await admin.post('/admin/principals', { name, kind: 'human', email }), 201).json
  const link = assertStatus(await admin.post(`/admin/principals/${id}/password-link`), 201).json
  const device = await newDevice()
  const { page } = device
  await page.goto(origin + new URL(link.url).pathname)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Save and sign in' }).click()
  await page.waitForURL(`${origin}/`)
  return { ...device, id }
}

async function addPasskey({ page }: Person, name: string): Promise<void> {
  await page.goto(`${origin}/account`)
  await openSection(page, 'Passkeys')
  await page.getByLabel('Name of the passkey').fill(name)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.waitForURL(`${origin}/account?done=passkey#passkeys`)
}

/** Signs in with the passkey; returns what the browser sent. */
async function signIn({ page }: Device): Promise<{ readonly json: unknown; readonly cookie: string }> {
  await page.context().clearCookies()
  await page.goto(`${origin}/sign-in`)
  const [request] = await Promise.all([
    page.waitForRequest(`${origin}/sign-in/passkey`),
    page.getByRole('button', { name: 'Sign in with a passkey' }).click(),
  ])
  const { cookie = '' } = await request.allHeaders()
  return { json: request.postDataJSON(), cookie }
}

function send(json: unknown, cookie: string) {
  const headers = { cookie, 'x-forwarded-for': '192.0.2.9', 'sec-fetch-site': 'same-origin' }
  return service.nobody.call('POST', '/sign-in/passkey', { json, headers })
}

// First: the link ends with the first use of the key.
test('the first person sets up the account with a passkey instead of a password', async () => {
  const setup = new URL(service.app.setupUrl ?? '')
  const first = await newDevice()
  const { page } = first
  await page.goto(setup.href)
  // Without the fields of the account nothing is created.
  await page.getByRole('button', { name: 'Create the account with a passkey' }).click()
  assert.equal(await page.locator('#name').evaluate((input) => input.matches(':invalid')), true)
  await page.getByLabel('Your name').fill('Dora')
  await page.getByLabel('E-mail address').fill('Dora@Example.org')
  await page.getByRole('button', { name: 'Create the account with a passkey' }).click()
  await page.waitForURL(`${origin}/`)
  await signIn(first)
  await page.waitForURL(`${origin}/`)
  const me = (await page.request.get(`${origin}/me`)).json()
  const { id, name, role } = await me
  assert.deepEqual([name, role], ['Dora', 'admin'])
  assert.equal((await admin.get(`/admin/principals/${id}`)).json.email, 'dora@example.org')
  assertProblem(await service.nobody.get(setup.pathname), 404, 'link_invalid')
  const [passkey] = (await admin.get('/me/passkeys')).json.items
  assertStatus(await admin.delete(`/me/passkeys/${passkey.id}`), 204)
  await first.context.close()
})

test('a passkey is added, signs in without a name or password, is renamed and removed', async () => {
  const ada = await newPerson('Ada')
  const { page, cdp, authenticatorId } = ada
  await addPasskey(ada, 'Laptop')
  assert.match(await page.getByRole('list', { name: 'Passkeys' }).innerText(), /Laptop\s+added .*never used/)

  await openSection(page, 'Where you are signed in')
  await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await page.waitForURL(/\/sign-in/)
  await page.goto(`${origin}/sign-in?next=/account`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(`${origin}/account`)
  assert.equal(await page.locator('h1').innerText(), 'Ada')
  await openSection(page, 'Passkeys')
  assert.match(await page.getByRole('list', { name: 'Passkeys' }).innerText(), /last used/)

  // One for each device: the authenticator knows that it has one.
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('This device already has a passkey').waitFor()

  await page.getByLabel('New name of Laptop').fill('Old laptop')
  await page.getByRole('button', { name: 'Rename Laptop' }).click()
  await page.getByText('The passkey was renamed.').waitFor()
  await page.locator('summary', { hasText: 'Remove Old laptop' }).click()
  await page.getByRole('button', { name: 'Remove the passkey: Old laptop' }).click()
  await page.getByText('The passkey was removed.').waitFor()
  const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
  assert.equal(credentials.length, 1)

  await page.context().clearCookies()
  await page.goto(`${origin}/sign-in`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByText('The passkey did not sign you in').waitFor()
  const log = await admin.all(`/admin/audit?target=${ada.id}`)
  const actions = log
    .map(({ action }: { action: string }) => action)
    .filter((action: string) => /^passkey/.test(action))
  assert.deepEqual(actions, ['passkey.removed', 'passkey.added'])
  await ada.context.close()
})

test('a response is valid once, for its challenge, and every rejection has the same text', async () => {
  const ben = await newPerson('Ben')
  await addPasskey(ben, 'Phone')
  const first = await signIn(ben)
  await ben.page.waitForURL(`${origin}/`)
  const second = await signIn(ben)
  await ben.page.waitForURL(`${origin}/`)
  const { response } = second.json as { response: object }
  // Passkeys that are synchronised between devices do not count: only the used challenge tells of a replay.
  const client = new pg.Client({ ...database.connection })
  await client.connect()
  await client.query('update passkey set counter = 0 where principal_id = $1', [ben.id])
  await client.end()
  const attempts: [unknown, string][] = [
    [second.json, second.cookie], // replayed
    [second.json, first.cookie], // the answer to another challenge
    [second.json, ''],
    [second.json, `${second.cookie}A`],
    [{ response: {} }, first.cookie],
    [{ response: { ...response, id: 'AAAA' } }, first.cookie],
    [{ response: { id: 'x'.repeat(5000) } }, first.cookie],
  ]
  const details = new Set<string>()
  for (const [json, cookie] of attempts) {
    details.add(assertProblem(await send(json, cookie), 403, 'sign_in_failed').json.detail)
  }
  assert.equal(details.size, 1, [...details].join('\n'))
  await ben.context.close()
})

test('a copied authenticator, and a disabled person, do not sign in', async () => {
  const eve = await newPerson('Eve')
  const { page, cdp, authenticatorId } = eve
  await addPasskey(eve, 'Key')
  const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
  const [copy] = credentials
  assert.ok(copy)
  await signIn(eve)
  await page.waitForURL(`${origin}/`)
  // The state of the authenticator before that sign-in: its counter is behind.
  await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId: copy.credentialId })
  await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: copy })
  await signIn(eve)
  await page.getByText('The passkey did not sign you in').waitFor()
  // That of the owner goes on: its counter is ahead.
  await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId: copy.credentialId })
  await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: { ...copy, signCount: copy.signCount + 10 } })
  await signIn(eve)
  await page.waitForURL(`${origin}/`)
  assertStatus(await admin.patch(`/admin/principals/${eve.id}`, { disabled: true }), 200)
  await signIn(eve)
  await page.getByText('The passkey did not sign you in').waitFor()
  await eve.context.close()
})

test('keys, agents and other sessions do not create passkeys; those of others are not found', async () => {
  const post = (path: string, json: unknown) => admin.call('POST', path, { json })
  assertProblem(await post('/account/passkeys/options', {}), 400, 'invalid_request')
  assertProblem(await post('/account/passkeys', { name: 'x', response: {} }), 400, 'invalid_request')
  const fay = await newPerson('Fay')
  await addPasskey(fay, 'Hers')
  const headers = { cookie: (await fay.context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ') }
  const [passkey] = assertStatus(await service.nobody.get('/me/passkeys', headers), 200).json.items
  assert.deepEqual([passkey.name, passkey.lastUsedAt], ['Hers', null])
  assert.deepEqual((await admin.get('/me/passkeys')).json.items, [])
  assertProblem(await admin.patch(`/me/passkeys/${passkey.id}`, { name: 'mine' }), 404, 'not_found')
  assertProblem(await admin.delete(`/me/passkeys/${passkey.id}`), 404, 'not_found')
  await fay.context.close()
})

test('an invited colleague joins with a passkey; its challenge works for this link only, once', async () => {
  const invite = async (email: string) => {
    const { url } = assertStatus(await admin.post('/admin/invitations', { email }), 201).json
    return new URL(url).pathname
  }
  const path = await invite('gil@example.org')
  const other = await invite('hal@example.org')
  const device = await newDevice()
  const { page } = device
  await page.goto(origin + path)
  await page.getByLabel('Your name').fill('Gil')
  // Caught on the way, so that it can be sent elsewhere first.
  const attempts: { json: unknown; cookie: string }[] = []
  await page.route(`${origin}${path}/passkey`, async (route) => {
    const { cookie = '' } = await route.request().allHeaders()
    attempts.push({ json: route.request().postDataJSON(), cookie })
    const [{ json } = { json: {} }] = attempts
    const stolen = await post(other, json, cookie)
    assertProblem(stolen, 400, 'invalid_request')
    await route.continue()
  })
  await page.getByRole('button', { name: 'Join with a passkey' }).click()
  await page.waitForURL(`${origin}/`)
  const me = await (await page.request.get(`${origin}/me`)).json()
  assert.deepEqual([me.name, me.role], ['Gil', 'member'])
  const [attempt] = attempts
  assert.ok(attempt)
  assertProblem(await post(path, attempt.json, attempt.cookie), 404, 'link_invalid')
  assertProblem(await post(other, attempt.json, attempt.cookie), 400, 'invalid_request')
  await signIn(device)
  await page.waitForURL(`${origin}/`)
  const actions = (await admin.all(`/admin/audit?actor=${me.id}`)).map(({ action }) => action)
  assert.ok(actions.includes('passkey.added') && !actions.includes('password.set'), actions.join())
  // The other way works as well.
  await page.context().clearCookies()
  await page.goto(origin + other)
  await page.getByLabel('Your name').fill('Hal')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Join', exact: true }).click()
  await page.waitForURL(`${origin}/`)
  await device.context.close()
})

test('a link for a new password takes no passkey', async () => {
  const { id } = assertStatus(
    await admin.post('/admin/principals', { name: 'Ida', kind: 'human', email: 'ida@example.org' }),
    201,
  ).json
  const { url } = assertStatus(await admin.post(`/admin/principals/${id}/password-link`), 201).json
  const { pathname } = new URL(url)
  const account = { name: 'Ida', email: 'ida@example.org' }
  assertProblem(await post(pathname, { ...account, response: {} }, ''), 404, 'link_invalid')
  const options = { json: account, headers: { 'sec-fetch-site': 'same-origin' } }
  const answer = await service.nobody.call('POST', `${pathname}/passkey/options`, options)
  assertProblem(answer, 404, 'link_invalid')
})

function post(path: string, json: unknown, cookie: string) {
  const headers = { cookie, 'sec-fetch-site': 'same-origin' }
  return service.nobody.call('POST', `${path}/passkey`, { json, headers })
}
