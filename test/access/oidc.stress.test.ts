import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import Provider from 'oidc-provider'
import type { Browser, BrowserContext } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertProblem, assertStatus } from '../support/client.ts'
import { startProvisioning } from '../support/scim.ts'
import { type Service, startService } from '../support/service.ts'

interface Account {
  readonly name: string
  readonly email: string
  readonly email_verified: boolean
  readonly groups: string[]
}

const people: Record<string, Account> = {
  ada: { name: 'Ada', email: 'ada@example.org', email_verified: true, groups: ['staff'] },
  bob: { name: 'Bob', email: 'bob@example.org', email_verified: true, groups: ['wiki-admins'] },
  cat: { name: 'Cat', email: 'cat@example.org', email_verified: true, groups: ['staff'] },
  gus: { name: 'Gus', email: 'gus@example.org', email_verified: true, groups: ['staff', 'authors'] },
  sam: { name: 'Sam', email: 'sam@example.org', email_verified: true, groups: ['staff'] },
  tia: { name: 'Tia', email: 'tia@example.org', email_verified: false, groups: ['staff'] },
  mal: { name: 'Mal', email: 'ada@example.org', email_verified: false, groups: ['guests'] },
}

let browser: Browser
let server: Server
let provider: Provider
let issuer: string
let service: Service

before(async () => {
  browser = await startBrowser()
  server = createServer((request, response) => provider.callback()(request, response))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on TCP
  service = await startService({
    SVC_OIDC_ISSUER: issuer,
    SVC_OIDC_CLIENT_ID: 'recto',
    SVC_OIDC_CLIENT_SECRET: 'a secret/of:the client',
    SVC_OIDC_SCOPE: 'openid profile email groups',
    SVC_OIDC_ROLE_CLAIM: 'groups',
    SVC_OIDC_ROLES: 'wiki-admins=admin,staff=member',
    SVC_OIDC_GROUPS_CLAIM: 'groups',
    SVC_OIDC_ADMIN_EMAIL: 'ada@example.org',
  })
  provider = startProvider(`${service.admin.base}/sign-in/callback`)
})
after(async () => {
  await browser.close()
  await service[Symbol.asyncDispose]()
  server.closeAllConnections()
  server.close()
})

function startProvider(redirectUri: string): Provider {
  return new Provider(issuer, {
    clients: [{ client_id: 'recto', client_secret: 'a secret/of:the client', redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'], groups: ['groups'] },
    scopes: ['openid', 'profile', 'email', 'groups'],
    features: { devInteractions: { enabled: true } },
    pkce: { required: () => true },
    cookies: { keys: ['of the test'] },
    findAccount: async (_ctx: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id, ...people[id] }),
    }),
  })
}

/** Walks through the provider's own pages as that person. */
async function signInByBrowser(context: BrowserContext, person: string, path: string) {
  const page = await context.newPage()
  await page.goto(service.admin.base + path)
  assert.equal(new URL(page.url()).pathname, '/sign-in')
  await page.getByRole('link', { name: /^Sign in with 127/ }).click()
  await page.locator('input[name=login]').fill(person)
  await page.locator('input[name=password]').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL((url) => url.origin === service.admin.base)
  return page
}

/** The cookies of one client, by origin and name: no two of a name are needed at the same time. */
class CookieJar {
  readonly #origins = new Map<string, Map<string, string>>()

  of(origin: string): Map<string, string> {
    const cookies = this.#origins.get(origin) ?? new Map<string, string>()
    this.#origins.set(origin, cookies)
    return cookies
  }

  header(origin: string): string {
    return [...this.of(origin)].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  store(origin: string, headers: Headers): void {
    for (const cookie of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '') this.of(origin).delete(name)
      else this.of(origin).set(name, value)
    }
  }
}

/** Signs in through the same pages by HTTP; the status and the text of the page where it ends. */
async function signIn(person: string, jar = new CookieJar()) {
  let url = new URL('/sign-in/oidc?next=/spaces', service.admin.base)
  let body: URLSearchParams | undefined
  for (let step = 0; step < 20; step++) {
    const headers = { cookie: jar.header(url.origin), accept: 'text/html' }
    const response = await fetch(url, {
      method: body ? 'POST' : 'GET',
      headers,
      redirect: 'manual',
      ...(body && { body }),
    })
    jar.store(url.origin, response.headers)
    const location = response.headers.get('location')
    const text = await response.text()
    body = undefined
    if (location !== null) {
      url = new URL(location, url)
    } else if (url.origin === issuer) {
      const [, action = ''] = /<form[^>]* action="([^"]+)"/.exec(text) ?? assert.fail(text)
      const [, prompt = ''] = /name="prompt" value="(\w+)"/.exec(text) ?? assert.fail(text)
      body = new URLSearchParams({ prompt, ...(prompt === 'login' && { login: person, password: 'any' }) })
      url = new URL(action, url)
    } else {
      return { jar, status: response.status, text }
    }
  }
  throw new Error('the sign-in does not end')
}

/** What the service tells the person with these cookies about itself. */
async function whoIs(cookie: string) {
  return assertStatus(await service.nobody.get('/me', { cookie }), 200).json
}

async function browserCookie(context: BrowserContext): Promise<string> {
  return (await context.cookies(service.admin.base)).map(({ name, value }) => `${name}=${value}`).join('; ')
}

/** Signs in with cookies of its own; what the service tells the person about itself. */
async function signInAs(person: string) {
  const { jar, status } = await signIn(person)
  assert.equal(status, 200)
  return whoIs(jar.header(service.admin.base))
}

test('a sign-in returns to the page, and the first admin is recognised by a verified e-mail address', async () => {
  await service.admin.space('docs')
  assertStatus(await service.admin.put('/pages/docs/guide', '# The guide'), 201)
  const context = await browser.newContext()
  const page = await signInByBrowser(context, 'ada', '/pages/docs/guide')
  assert.equal(new URL(page.url()).pathname, '/pages/docs/guide')
  assert.match(await page.locator('h1').first().innerText(), /The guide/)
  const me = await whoIs(await browserCookie(context))
  assert.deepEqual(
    { ...me, id: '' },
    { id: '', name: 'Ada', kind: 'human', role: 'admin', scopes: ['read', 'propose', 'write', 'admin'] },
  )
  const [entry] = await service.admin.all(`/admin/audit?target=${me.id}`)
  assert.equal(entry.action, 'principal.created')
  assert.deepEqual(entry.details, { kind: 'human', role: 'admin', issuer, email: 'ada@example.org' })

  assert.equal((await signInAs('ada')).id, me.id)
  await context.close()
})

test('the role follows the claim with each sign-in', async () => {
  const { id, role } = await signInAs('bob')
  assert.equal(role, 'admin')
  people.bob = { name: 'Bob', email: 'bob@example.org', email_verified: true, groups: ['staff'] }
  assert.equal((await signInAs('bob')).role, 'member')
  const entries = await service.admin.all(`/admin/audit?target=${id}&action=principal.updated`)
  assert.deepEqual(entries[0].details, { role: { from: 'admin', to: 'member' } })
})

test('a person without a role, or who is disabled, cannot sign in', async () => {
  const stranger = await signIn('mal')
  assert.match(stranger.text, /have access to this workspace/)
  assert.deepEqual([...stranger.jar.of(service.admin.base).keys()], [])

  const { id } = await signInAs('cat')
  assertStatus(await service.admin.patch(`/admin/principals/${id}`, { disabled: true }), 200)
  assert.match((await signIn('cat')).text, /disabled/)
})

test('each sign-in adds the person to the groups of the claim, and removes them from the others', async () => {
  const { admin } = service
  const [authors, editors, guests] = await Promise.all(
    ['Authors', 'Editors', 'Guests'].map(
      async (name) => assertStatus(await admin.post('/admin/groups', { name }), 201).json.id as string,
    ),
  )
  const { id } = await signInAs('gus')
  const groups = async () =>
    (await admin.all(`/admin/groups?member=${id}`)).map(({ name }: { name: string }) => name).sort()
  assert.deepEqual(await groups(), ['Authors'])
  assertStatus(await admin.call('PUT', `/admin/groups/${guests}/members/${id}`), 201)
  const [member] = await admin.all(`/admin/groups/${authors}/members`)
  assert.equal(member.source, 'oidc')

  Object.assign(people.gus ?? {}, { groups: ['staff', 'EDITORS'] })
  await signInAs('gus')
  assert.deepEqual(await groups(), ['Editors', 'Guests'])
  const log = await admin.all(`/admin/audit?target=${editors}&action=group.member_added`)
  assert.equal(log[0].details.source, 'oidc')
})

test('a callback with the state of another browser, or a wrong one, signs nobody in', async () => {
  const { nobody } = service
  assertProblem(await nobody.get('/sign-in/callback?code=x&state=y'), 403, 'sign_in_failed')
  assertProblem(await nobody.get('/sign-in/callback', { cookie: 'svc_sign_in=bm9uZQ' }), 403, 'sign_in_failed')
  const left = assertStatus(await nobody.get('/sign-in/oidc?next=//evil.example'), 303)
  const to = new URL(left.headers.get('location') ?? '')
  assert.equal(to.origin, issuer)
  assert.equal(to.searchParams.get('code_challenge_method'), 'S256')
  assert.equal(to.searchParams.get('redirect_uri'), `${service.admin.base}/sign-in/callback`)
  const cookie = /^[^;]+/.exec(left.headers.get('set-cookie') ?? '')?.[0] ?? ''
  assert.match(left.headers.get('set-cookie') ?? '', /HttpOnly; SameSite=Lax/)
  assert.equal(JSON.parse(Buffer.from(cookie.split('=')[1] ?? '', 'base64url').toString()).next, '/')
  for (const query of [
    'code=x&state=other',
    `code=x&state=${to.searchParams.get('state')}`,
    `error=access_denied&state=${to.searchParams.get('state')}`,
    '',
  ]) {
    const answer = assertProblem(await nobody.get(`/sign-in/callback?${query}`, { cookie }), 403, 'sign_in_failed')
    assert.match(answer.headers.get('set-cookie') ?? '', /^svc_sign_in=;.*Max-Age=0/)
  }
})

test('an unavailable provider is 503, and the next sign-in tries again', async () => {
  await using lonely = await startService({ SVC_OIDC_ISSUER: 'http://127.0.0.1:1', SVC_OIDC_CLIENT_ID: 'recto' })
  const answer = assertProblem(await lonely.nobody.get('/sign-in/oidc'), 503, 'sign_in_unavailable')
  assert.equal(answer.headers.get('retry-after'), '10')
  assertProblem(await lonely.nobody.get('/sign-in/oidc'), 503, 'sign_in_unavailable')
})

test('keys need a recent sign-in at the provider, which the screen asks for', async () => {
  const context = await browser.newContext()
  const page = await signInByBrowser(context, 'ada', '/account')
  await page.goto(`${service.admin.base}/account#keys`)
  const create = async () => {
    await page.locator('#keyName').fill('nightly')
    await page.getByRole('button', { name: 'Create the key' }).click()
  }
  await create()
  assert.match(await page.locator('h1').innerText(), /Confirm that it is you/)
  // The form waits in this window, while the other one asks the provider.
  const continueHere = () => page.getByRole('button', { name: 'Continue' }).click()
  await continueHere()
  assert.match(await page.locator('.error').innerText(), /You have not confirmed yet/)
  const [other] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: /^Sign in with 127.* again/ }).click(),
  ])
  await other.getByText('Close this window').waitFor()
  await other.close()
  await continueHere()
  assert.match(await page.locator('#secret').innerText(), /^svc_/)
  assert.match(await page.locator('main').innerText(), /nightly/)
  await context.close()
})

test('a person of SCIM signs in by a verified address or by the id at the provider, and by nothing else', async () => {
  const provider = await startProvisioning(service.admin)
  const signedIn = async (person: string): Promise<string> => (await signInAs(person)).id
  const sam = await provider.user('sam@example.org')
  assert.equal(await signedIn('sam'), sam)
  // An address that nobody verified is no proof.
  const tia = await provider.user('tia@example.org')
  assert.notEqual(await signedIn('tia'), tia)
  const uma = await provider.user('uma@example.org', { externalId: 'uma' })
  people.uma = { name: 'Uma', email: 'other@example.org', email_verified: false, groups: ['staff'] }
  assert.equal(await signedIn('uma'), uma)
  // A deleted person's identity goes to the next person of SCIM.
  assertStatus(await provider.call('DELETE', `/Users/${uma}`), 204)
  const next = await provider.user('uma@example.org', { externalId: 'uma' })
  assert.equal(await signedIn('uma'), next)
})

test('people who signed in before are found by SCIM, and admins are not linked by ids', async () => {
  const provider = await startProvisioning(service.admin)
  const find = async (email: string) => (await provider.find('Users', `userName eq "${email}"`)).json.Resources
  people.vic = { name: 'Vic', email: 'Vic@example.org', email_verified: true, groups: ['staff'] }
  const { id } = await signInAs('vic')
  const [found] = await find('vic@example.org')
  assert.deepEqual([found.id, found.userName], [id, 'vic@example.org'])
  const boss = await provider.user('boss@example.org', { externalId: 'wes' })
  assertStatus(await service.admin.patch(`/admin/principals/${boss}`, { role: 'admin' }), 200)
  people.wes = { name: 'Wes', email: 'wes@example.org', email_verified: true, groups: ['staff'] }
  assert.notEqual((await signInAs('wes')).id, boss)
})
