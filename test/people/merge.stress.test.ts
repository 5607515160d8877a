import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { deriveCsrfToken } from '../../packages/server/src/identity/sessions/csrf.ts'
import { sendForm, sessionCookieOf } from '../support/browser-session.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts'
import { startMailServer } from '../support/mail-server.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newKey, newPerson } from '../support/people.ts'
import { startProvisioning } from '../support/scim.ts'
import { startService } from '../support/service.ts'

const PASSWORD = 'quartz lantern vivid moss'

let provider: IdentityProvider
let nodes: Nodes
let admin: Client
let nobody: Client
let number = 0
before(async () => {
  provider = await startIdentityProvider()
  nodes = await startNodes({ SVC_OIDC_ISSUER: provider.issuer, SVC_OIDC_CLIENT_ID: 'recto' })
  admin = nodes.admins[0]
  nobody = nodes.as(0, undefined)
  for (const slug of ['docs', 'lab', 'team']) await admin.space(slug, { visibility: 'private' })
})
after(async () => {
  await nodes[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

const merge = (id: string, into: string, client = admin) => client.post(`/admin/principals/${id}/merge`, { into })
const principal = async (id: string) => (await admin.get(`/admin/principals/${id}`)).json
const setRole = async (space: string, id: string, role: string) =>
  assert.ok((await admin.call('PUT', `/spaces/${space}/members/${id}`, { json: { role } })).status < 300)
const roleIn = async (space: string, id: string) =>
  (await admin.all(`/spaces/${space}/members`)).find((member) => member.principal.id === id)?.role

/** A client with a key that the person made: those of others do not open the personal space. */
async function ownClient(cookie: string, input: object = {}): Promise<Client> {
  const headers = {
    cookie,
    'x-csrf-token': deriveCsrfToken(cookie.split('=')[1] ?? ''),
    'sec-fetch-site': 'same-origin',
  }
  const made = await nobody.call('POST', '/me/api-keys', {
    json: { name: 'own', scopes: ['admin'], ...input },
    headers,
  })
  return nodes.as(0, assertStatus(made, 201).json.secret)
}

/**
 * Somebody with an account with a password, and one of the provider, as they were made before addresses were linked.
 */
async function splitPerson(name: string) {
  const email = `${name.toLowerCase()}-${++number}@example.org`
  const { url } = assertStatus(await admin.post('/admin/invitations', { email }), 201).json
  const joined = assertStatus(await sendForm(nobody, new URL(url).pathname, { name, password: PASSWORD }), 303)
  const cookie = sessionCookieOf(joined)
  const { id } = (await nobody.get('/me', { cookie })).json
  const person = {
    sub: `sub-${++number}`,
    name: `${name} at work`,
    email: `other-${number}@example.org`,
    email_verified: true,
  }
  const identity = (await nobody.get('/me', { cookie: await provider.cookie(nobody, person) })).json
  await nodes.query('update principal set email = null where id = $1', [identity.id])
  return { id, email, cookie, other: identity.id as string, person }
}

test('a merge moves roles, groups, the identity and favourites, ends the keys and keeps the authorship, at once', async () => {
  const { id, email, other, person } = await splitPerson('Ada')
  await setRole('docs', id, 'viewer')
  await setRole('docs', other, 'editor')
  await setRole('lab', other, 'viewer')
  await setRole('team', id, 'admin')
  await setRole('team', other, 'viewer')
  const group = assertStatus(await admin.post('/admin/groups', { name: `Writers ${++number}` }), 201).json.id
  assertStatus(await admin.call('PUT', `/admin/groups/${group}/members/${other}`), 201)
  const own = await ownClient(await provider.cookie(nobody, person))
  assertStatus(await own.put('/pages/docs/hers', '# Hers'), 201)
  assertStatus(await own.call('PUT', '/me/favourites/docs/hers'), 204)
  assertStatus(await own.put('/pages/personal/diary', '# Dear'), 201)
  const streaming = await provider.cookie(nobody, person)

  const remaining = assertStatus(await merge(other, email), 200).json
  assert.equal(remaining.id, id)
  assert.deepEqual(
    [await roleIn('docs', id), await roleIn('lab', id), await roleIn('team', id)],
    ['editor', 'viewer', 'admin'],
  )
  for (const space of ['docs', 'lab', 'team']) assert.equal(await roleIn(space, other), undefined)
  assert.deepEqual(
    (await admin.all(`/admin/groups/${group}/members`)).map((member) => member.principal.id),
    [id],
  )
  assertStatus(await own.get('/me'), 401)
  await until(async () => (await nodes.as(1, own.key).get('/me')).status === 401)
  assertStatus(await nobody.get('/me', { cookie: streaming }), 401)

  const cookie = await provider.cookie(nobody, person)
  assert.equal((await nobody.get('/me', { cookie })).json.id, id)
  assert.match((await nobody.get('/pages/personal/diary.md', { cookie })).text, /Dear/)
  const favourites = assertStatus(await nobody.get('/me/favourites', { cookie }), 200).json.items
  assert.match(JSON.stringify(favourites), /"hers"/)
  assert.equal(favourites.length, 1)
  const page = (await admin.get('/pages/docs/hers', { accept: 'application/json' })).json
  assert.deepEqual([page.createdBy.id, page.createdBy.name], [other, 'Ada'])
  assertStatus(await admin.patch(`/admin/principals/${id}`, { name: 'Ada King' }), 200)
  const renamed = (await admin.get('/pages/docs/hers/versions')).json.items[0]
  assert.equal(renamed.createdBy.name, 'Ada King')

  const [entry] = await admin.all(`/admin/audit?target=${other}&action=principal.merged`)
  assert.equal(entry.details.into.id, id)
  assert.deepEqual(entry.details.spaces, [
    { space: 'docs', role: 'editor' },
    { space: 'lab', role: 'viewer' },
  ])
  const merged = await principal(other)
  assert.deepEqual([merged.disabled, merged.email, merged.name], [true, null, 'Ada King'])
  for (const change of [{ disabled: false }, { name: 'Back' }, { email: 'back@example.org' }]) {
    assertProblem(await admin.patch(`/admin/principals/${other}`, change), 409, 'accounts_not_mergeable')
  }
  assertProblem(await merge(other, id), 409, 'accounts_not_mergeable')
})

test('merged the other way round the account of the provider gets the address, and the password ends', async () => {
  const { id, email, other, person, cookie } = await splitPerson('Bea')
  assertStatus(await merge(id, other), 200)
  assert.equal((await principal(other)).email, email)
  assertStatus(await sendForm(nobody, '/sign-in/password', { email, password: PASSWORD }), 401)
  assertStatus(await nobody.get('/me', { cookie }), 401)
  assert.equal((await nobody.get('/me', { cookie: await provider.cookie(nobody, person) })).json.id, other)
})

test('of two personal spaces with pages neither is lost: the merge is refused and changes nothing', async () => {
  const { id, other, cookie, person } = await splitPerson('Cleo')
  const mine = await ownClient(cookie)
  const hers = await ownClient(await provider.cookie(nobody, person))
  assertStatus(await mine.put('/pages/personal/a', 'mine'), 201)
  assertStatus(await hers.put('/pages/personal/a', 'hers'), 201)
  await setRole('lab', other, 'editor')
  const refused = assertProblem(await merge(other, id), 409, 'accounts_not_mergeable')
  assert.match(refused.json.detail, /export its personal space with its history/)
  assert.equal(await roleIn('lab', other), 'editor')
  assert.equal((await hers.get('/pages/personal/a.md')).text, 'hers')
  const etag = (await hers.get('/pages/personal/a.md')).headers.get('etag') ?? ''
  assertStatus(await hers.call('DELETE', '/pages/personal/a?purge=true', { headers: { 'if-match': etag } }), 204)
  assertStatus(await merge(other, id), 200)
  assert.equal((await mine.get('/pages/personal/a.md')).text, 'mine')
})

test('the person is told by mail, at both of their addresses', async () => {
  await using mails = await startMailServer()
  await using service = await startService({ SVC_SMTP_URL: mails.url, SVC_MAIL_FROM: 'Recto <recto@example.org>' })
  const make = async (name: string, email?: string) =>
    assertStatus(await service.admin.post('/admin/principals', { name, kind: 'human', ...(email && { email }) }), 201)
      .json.id
  const [one, two, three] = [
    await make('Gil', 'gil@example.org'),
    await make('Gil at work', 'gil@work.example'),
    await make('Gil at home'),
  ]
  assertStatus(await merge(two, one, service.admin), 200)
  await until(() => mails.mails.length === 2)
  assert.deepEqual(mails.mails.flatMap(({ to }) => to).toSorted(), ['gil@example.org', 'gil@work.example'])
  for (const text of mails.mails.map((mail) => mail.text.replace(/=?\r?\n/g, ''))) {
    assert.match(text, /merged two accounts of yours at Recto: one remains, with the e-mail address gil@example\.org/)
    assert.match(text, /of the other one have ended/)
  }
  // What is refused is not told, and nobody is told twice at one address.
  assertProblem(await merge(two, one, service.admin), 409, 'accounts_not_mergeable')
  assertStatus(await merge(one, three, service.admin), 200)
  await until(() => mails.mails.length === 3)
})

test('an empty personal space gives way, and keys for it are for the one that came', async () => {
  const { id, other, cookie, person } = await splitPerson('Dee')
  assertStatus(await (await ownClient(cookie)).get('/spaces/personal'), 200)
  const personal = await ownClient(cookie, { scopes: ['read'], spaces: ['personal'] })
  const hers = await ownClient(await provider.cookie(nobody, person))
  assertStatus(await hers.put('/pages/personal/b', 'hers'), 201)
  assertStatus(await merge(other, id), 200)
  await until(async () => (await personal.get('/pages/personal/b.md')).text === 'hers')
})

test('merges that are no merge of one person are refused', async () => {
  const { id, other } = await splitPerson('Eli')
  const robot = await newPerson(admin, 'Robot', { kind: 'agent' })
  const boss = await newPerson(admin, 'Boss', { role: 'admin' })
  const gone = await newPerson(admin, 'Gone')
  assertStatus(await admin.patch(`/admin/principals/${gone.id}`, { disabled: true }), 200)
  const scim = await startProvisioning(admin)
  const kept = await scim.user(`kept-${++number}@example.org`)
  for (const [from, into] of [
    [id, id],
    [robot.id, id],
    [id, robot.id],
    [gone.id, id],
    [id, gone.id],
    [kept, id],
    [boss.id, id],
  ] as const) {
    assertProblem(await merge(from, into, boss.client), 409, 'accounts_not_mergeable')
  }
  assertProblem(await merge(id, 'nobody@example.org'), 404, 'not_found')
  assertProblem(await merge('none', id), 404, 'not_found')
  const member = await newPerson(admin, 'Member')
  assertProblem(await merge(other, id, member.client), 403, 'forbidden')
  const limited = await newKey(admin, boss.id, { spaces: ['docs'] })
  assertProblem(await merge(other, id, nodes.as(0, limited.secret)), 403, 'forbidden')
  // What SCIM keeps may remain.
  assertStatus(await merge(other, kept), 200)
})

test('two admins who merge both ways at once make one account', async () => {
  for (let round = 0; round < 5; round++) {
    const { id, other } = await splitPerson('Fay')
    const answers = await Promise.all([merge(id, other), merge(other, id, nodes.admins[1])])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
    assert.equal([await principal(id), await principal(other)].filter(({ disabled }) => disabled).length, 1)
  }
})

test('the last admin is not merged away', async () => {
  await using own = await startNodes()
  const [first] = own.admins
  const member = await newPerson(first, 'Member')
  const boss = await newPerson(first, 'Boss', { role: 'admin' })
  const me = (await first.get('/me')).json.id
  assertStatus(await first.patch(`/admin/principals/${boss.id}`, { role: 'admin' }), 200)
  assertStatus(await boss.client.post(`/admin/principals/${me}/merge`, { into: member.id }), 200)
  assertProblem(await boss.client.patch(`/admin/principals/${boss.id}`, { role: 'member' }), 409, 'last_admin')
})

test('the screen of a person merges, works without script and says why it does not', async () => {
  const { id, email, other } = await splitPerson('Gus')
  const boss = await newPerson(admin, 'Screen', { role: 'admin' })
  const signedIn = await sendForm(nobody, '/sign-in', { key: boss.key })
  const cookie = sessionCookieOf(assertStatus(signedIn, 303))
  assert.match(
    (await nobody.get(`/manage/people/${other}`, { cookie, accept: 'text/html' })).text,
    /has another account, too/,
  )
  const wrong = await sendForm(nobody, `/manage/people/${other}/merge`, { into: other }, { cookie })
  assert.match(wrong.text, /cannot be merged into itself/)
  const done = assertStatus(await sendForm(nobody, `/manage/people/${other}/merge`, { into: email }, { cookie }), 303)
  assert.equal(done.headers.get('location'), `/manage/people/${id}?done=merged`)
})
