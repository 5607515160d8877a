import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { connect, openBrowser, registerApp } from '../support/oauth.ts'
import { newKey, newOwner, newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { ROUTE_RULES } from './route-rules.ts'

// No credential makes another one, an account or a way to sign in that allows more than it does itself.

let mails: MailServer
let service: Service
let admin: Client
before(async () => {
  mails = await startMailServer()
  service = await startService({ SVC_SMTP_URL: mails.url, SVC_MAIL_FROM: 'recto@example.org' })
  admin = service.admin
  await admin.space('docs')
})
after(async () => {
  await service[Symbol.asyncDispose]()
  await mails[Symbol.asyncDispose]()
})

const NOTHING = '00000000-0000-7000-8000-000000000000'
const KEY = { name: 'k', scopes: ['admin'] }

interface Begetting {
  /** Who may: any unlimited credential, or only that of a person. */
  readonly for: 'unlimited' | 'person'
  /** A request; without one the route is a screen over the same use case. */
  readonly json?: (of: Ids) => unknown
}

interface Ids {
  readonly person: string
  readonly invitation: string
}

/** The routes that make credentials, accounts, ways to sign in, and what gives people rights beyond one space. */
const BEGETTING: Readonly<Record<string, Begetting>> = {
  'POST /me/api-keys': { for: 'unlimited', json: () => KEY },
  'POST /account/keys': { for: 'unlimited' },
  'POST /connect/keys': { for: 'unlimited' },
  'POST /oauth/consent/:uid': { for: 'unlimited' },
  'POST /account/password': { for: 'unlimited' },
  'POST /account/passkeys/options': { for: 'person' },
  'POST /account/passkeys': { for: 'person' },
  'POST /admin/api-keys': { for: 'person', json: ({ person }) => ({ ...KEY, principal: person }) },
  'POST /manage/people/:id/keys': { for: 'person' },
  'POST /admin/principals': { for: 'person', json: () => ({ name: 'P', kind: 'human' }) },
  'POST /manage/people': { for: 'person' },
  'PATCH /admin/principals/:id': { for: 'person', json: () => ({ email: 'taken-over@example.org' }) },
  'POST /manage/people/:id': { for: 'person' },
  'POST /manage/people/:id/state': { for: 'unlimited' },
  'POST /admin/principals/:id/password-link': { for: 'person', json: () => undefined },
  'POST /manage/people/:id/password-link': { for: 'person' },
  'POST /admin/principals/:id/merge': { for: 'person', json: () => ({ into: NOTHING }) },
  'POST /manage/people/:id/merge': { for: 'person' },
  'POST /admin/groups': { for: 'person', json: () => ({ name: 'G' }) },
  'POST /manage/groups': { for: 'person' },
  'PUT /admin/groups/:id/members/:principal': { for: 'unlimited', json: () => undefined },
  'POST /manage/groups/:id/members': { for: 'unlimited' },
  'POST /admin/scim/token': { for: 'person', json: () => undefined },
  'POST /manage/scim/token': { for: 'person' },
  'POST /admin/invitations': { for: 'person', json: () => ({ email: 'a@example.org' }) },
  'POST /manage/invitations': { for: 'person' },
  'POST /admin/invitations/:id/resend': { for: 'person', json: () => undefined },
  'POST /manage/invitations/:id/resend': { for: 'person' },
  'POST /spaces/:space/invitations': { for: 'person', json: () => ({ email: 'b@example.org', role: 'viewer' }) },
  'POST /settings/:slug/invitations': { for: 'person' },
  'POST /spaces/:space/invitations/:id/resend': { for: 'person', json: () => undefined },
  'POST /settings/:slug/invitations/:id/resend': { for: 'person' },
  'POST /admin/webhooks': { for: 'unlimited', json: () => ({ url: 'https://example.org/', events: ['*'] }) },
  'PATCH /admin/webhooks/:id': { for: 'unlimited', json: () => ({ spaceSlug: null }) },
  'POST /admin/webhooks/:id/rotate-secret': { for: 'unlimited', json: () => undefined },
  'POST /manage/webhooks': { for: 'unlimited' },
  'POST /manage/webhooks/:id': { for: 'unlimited' },
  'POST /manage/webhooks/:id/rotate': { for: 'unlimited' },
  'POST /space-templates/org': { for: 'unlimited', json: () => ({ space: 'docs' }) },
  'POST /settings/:slug/template': { for: 'unlimited' },
}

/** All other routes that write, and why they beget nothing. */
const OTHERS: readonly (readonly [why: string, routes: RegExp])[] = [
  [
    'who signs in proves it: by a key, whose limits the session keeps, or by what is the person’s own',
    /^POST \/(sign-in|link|invitation|confirm)(\/|$)/,
  ],
  ['it needs the code, or the refresh token, of a consent', /^POST \/oauth\/(token|register)$/],
  [
    'it ends, deletes or disables',
    /^(DELETE |POST .*\/(revoke|remove|end|end-others|delete|dismiss|cancel)$|POST \/(sign-out|oauth\/revoke|unsubscribe\/:token)$)/,
  ],
  ['only the provider has the token', /^(POST|PUT|PATCH) \/scim\/v2\//],
  [
    'it names or shows what is there',
    /^(POST \/account\/(profile|picture|appearance|passkeys\/:id)|PATCH \/(me\/passkeys|admin\/groups)\/:id|POST \/manage\/groups\/:id)$/,
  ],
  ['it asks for access, which another gives', /^POST \/(access-requests|ask-for-access)$/],
  [
    'it is about favourites, watches, the inbox, unsaved texts, order and icons',
    /^(POST|PUT|PATCH) \/(me\/favourites|me\/watches|me\/notification|me\/unsaved|favourite|inbox|watch|icon|spaces\/:space\/order)/,
  ],
  [
    'it gives a role in the space that the credential itself administers',
    /^(PUT \/spaces\/:space\/(members|groups|rules)\/|POST \/spaces\/:space\/access-requests\/|POST \/settings\/:slug\/(members|groups|rules\/edit|requests\/:id\/(approve|decline))$|PATCH \/spaces\/:space$|POST \/settings\/:slug(\/slug|\/review)?$)/,
  ],
  [
    'it makes a space: a credential for some spaces may not',
    /^POST \/(spaces|new-space|space-templates\/:source\/:id\/spaces|gallery\/:source\/:id)$/,
  ],
  [
    'it sends events again, or tests',
    /^POST \/(admin|manage)\/webhooks\/:id\/(test|state|deliveries\/:deliveryId\/redeliver)$/,
  ],
  ['only a person in a browser makes share links, which read one page', /^POST \/(shares?\/|s\/:secret$)/],
  ['only a person in a browser says that a page is right', /^(PUT|POST) \/(verifications|verify)\//],
  ['it moves bytes, or indexes', /^POST \/(admin\/files\/migrate|links\/rebuild|manage\/links)$/],
  [
    'it proposes changes, or merges them where the credential may write',
    /^(POST|PATCH) \/(spaces\/:space\/change-requests|to-review)/,
  ],
  ['it comments on what the credential reads', /^(POST|PATCH) \/(threads?|comments)\//],
  [
    'it writes content where the credential may',
    /^(POST|PUT|PATCH) \/(pages|files|metadata|spaces\/:space\/(import|move-folder|delete-folder)|reports|history|tick|new|move|delete|move-folder|delete-folder|edit|preview|rename-file|delete-file|replace-file|upload|import|trash|mcp)([/ ]|$)/,
  ],
]

test('every route that writes begets rights under one rule, or does not, because', () => {
  const routes = new Set(Object.keys(ROUTE_RULES).map((route) => route.replace(/ \(.*\)$/, '')))
  const writing = [...routes].filter((route) => !/^(GET|HEAD) /.test(route))
  const unknown = writing.filter((route) => !(route in BEGETTING) && !OTHERS.some(([, those]) => those.test(route)))
  assert.deepEqual(unknown, [])
  assert.deepEqual(
    Object.keys(BEGETTING).filter((route) => !routes.has(route)),
    [],
  )
})

test('limited credentials beget nothing, and agents bring in nobody', async () => {
  const owner = await newOwner(admin, 'Owner', { role: 'admin' })
  const make = async (input: object) =>
    service.as(assertStatus(await owner.client.post('/me/api-keys', { name: 'k', ...input }), 201).json.secret)
  const agent = await newPerson(admin, 'Agent', { kind: 'agent', role: 'admin' })
  const browser = await openBrowser(admin.base, owner.key)
  const clientId = await registerApp(service.nobody)
  const { access_token: token } = await connect(service.nobody, browser, clientId, { resource: admin.base })
  const callers = {
    'a key for one space': await make({ scopes: ['admin'], spaces: ['docs'] }),
    'a key that writes': await make({ scopes: ['write'] }),
    'an app': service.as(token),
    'an agent': agent.client,
  }
  const victim = await newPerson(admin, 'Victim')
  const invited = assertStatus(
    await admin.post('/spaces/docs/invitations', { email: 'open@example.org', role: 'viewer' }),
    201,
  ).json
  const ids = { person: victim.id, invitation: invited.invitation.id }
  for (const [route, { for: who, json }] of Object.entries(BEGETTING)) {
    if (!json) continue
    const [method = '', url = ''] = route.split(' ')
    const id = route.includes('invitations') ? ids.invitation : route.includes('principals') ? ids.person : NOTHING
    const path = url.replace(':space', 'docs').replace(':id', id).replace(':principal', ids.person)
    for (const [name, client] of Object.entries(callers)) {
      if (name === 'an agent' && who !== 'person') continue
      const body = json(ids)
      const answer = await client.call(method, path, body === undefined ? {} : { json: body })
      assert.equal(answer.status, 403, `${route} by ${name}: ${answer.status} ${answer.text}`)
    }
  }
  const limited = callers['a key for one space']
  assertProblem(await limited.post('/spaces', { slug: 'more' }), 403, 'forbidden')
  assert.equal((await admin.all('/admin/invitations')).length, 1)
})

test('a key that ends makes none that lasts longer', async () => {
  const owner = await newOwner(admin, 'Ends')
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const { secret } = assertStatus(await owner.client.post('/me/api-keys', { ...KEY, expiresAt }), 201).json
  const ending = service.as(secret)
  assert.equal(assertStatus(await ending.post('/me/api-keys', KEY), 201).json.apiKey.expiresAt, expiresAt)
  const later = new Date(Date.now() + 7_200_000).toISOString()
  assertProblem(await ending.post('/me/api-keys', { ...KEY, expiresAt: later }), 400, 'invalid_request')
})

test('a key that an admin makes for a person opens no personal space, nor does what is made with it', async () => {
  const email = 'own@example.org'
  const owner = await newOwner(admin, 'Own')
  assertStatus(await admin.patch(`/admin/principals/${owner.id}`, { email }), 200)
  assertStatus(await owner.client.put('/pages/personal/diary', 'mine'), 201)
  assertProblem(
    await admin.post('/admin/api-keys', { ...KEY, principal: owner.id, spaces: ['personal'] }),
    400,
    'invalid_request',
  )
  const given = await newKey(admin, owner.id)
  const taken = service.as(given.secret)
  const more = service.as(assertStatus(await taken.post('/me/api-keys', KEY), 201).json.secret)
  for (const client of [taken, more]) {
    assertProblem(await client.get('/pages/personal/diary.md'), 404, 'not_found')
    assertProblem(await client.get('/spaces/personal'), 404, 'not_found')
    assert.equal((await client.all('/spaces')).filter(({ kind }) => kind === 'personal').length, 0)
    assertProblem(await client.post('/me/api-keys', { ...KEY, spaces: ['personal'] }), 400, 'invalid_request')
  }
  const browser = await openBrowser(admin.base, given.secret)
  const clientId = await registerApp(service.nobody)
  const { access_token: token } = await connect(service.nobody, browser, clientId, { resource: admin.base })
  assertProblem(await service.as(token).get('/pages/personal/diary.md'), 404, 'not_found')
  assertStatus(await owner.client.get('/pages/personal/diary.md'), 200)
  const keys = await owner.client.all('/me/api-keys')
  assert.ok(keys.some(({ id, createdBy }) => id === given.apiKey.id && createdBy.name === 'Admin'))
  await until(() => mails.mails.some(({ to, text }) => to.includes(email) && /Admin made the API key/.test(text)))
})

test('a limited credential sees no other keys, sessions, passkeys and connections of its owner', async () => {
  const owner = await newOwner(admin, 'Seen')
  const input = { name: 'reads', scopes: ['read'] }
  const { secret, apiKey } = assertStatus(await owner.client.post('/me/api-keys', input), 201).json
  const reader = service.as(secret)
  assert.deepEqual(
    (await reader.all('/me/api-keys')).map(({ id }) => id),
    [apiKey.id],
  )
  for (const list of ['sessions', 'passkeys', 'connections']) {
    assert.deepEqual(await reader.all(`/me/${list}`), [], list)
  }
  assert.equal((await owner.client.all('/me/api-keys')).length, 2)
  assert.equal((await owner.client.all('/me/sessions')).length, 1)
  const browser = await openBrowser(admin.base, owner.key)
  const clientId = await registerApp(service.nobody)
  const { access_token: token } = await connect(service.nobody, browser, clientId, { resource: admin.base })
  const app = service.as(token)
  assert.deepEqual(await app.all('/me/api-keys'), [])
  assert.deepEqual(await app.all('/me/sessions'), [])
  assert.equal((await app.all('/me/connections')).length, 1)
})

test('an invitation of a known address answers as any other; the list tells the admins of the space', async () => {
  const lead = await newOwner(admin, 'Lead')
  const known = 'known@example.org'
  assertStatus(await admin.post('/admin/principals', { name: 'K', kind: 'human', email: known }), 201)
  assertStatus(await lead.client.post('/spaces', { slug: 'leads' }), 201)
  const invite = (email: string) => lead.client.post('/spaces/leads/invitations', { email, role: 'viewer' })
  const [first, second] = [assertStatus(await invite(known), 201), assertStatus(await invite('new@example.org'), 201)]
  assert.deepEqual(Object.keys(first.json.invitation), Object.keys(second.json.invitation))
  const listed = await lead.client.all('/spaces/leads/invitations')
  assert.deepEqual(
    listed.map(({ email, hasAccount }) => [email, hasAccount]),
    [
      [known, true],
      ['new@example.org', false],
    ],
  )
  assertProblem(await admin.post('/admin/invitations', { email: known }), 409, 'email_taken')
})
