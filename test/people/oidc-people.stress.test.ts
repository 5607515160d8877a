import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sendForm, sessionCookieOf } from '../support/browser-session.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type IdentityProvider, type ProviderPerson, startIdentityProvider } from '../support/identity-provider.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newKey, newPerson } from '../support/people.ts'
import { startProvisioning } from '../support/scim.ts'

const PASSWORD = 'quartz lantern vivid moss'

let provider: IdentityProvider
let mail: MailServer
let nodes: Nodes
let admin: Client
let nobody: Client
let number = 0
before(async () => {
  provider = await startIdentityProvider()
  mail = await startMailServer()
  nodes = await startNodes({
    SVC_OIDC_ISSUER: provider.issuer,
    SVC_OIDC_CLIENT_ID: 'recto',
    SVC_SMTP_URL: mail.url,
    SVC_MAIL_FROM: 'Recto <recto@example.org>',
  })
  admin = nodes.admins[0]
  nobody = nodes.as(0, undefined)
  await admin.space('docs', { visibility: 'private' })
})
after(async () => {
  await nodes[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
})

const fresh = () => `p${++number}@example.org`
const claims = (email: string, more: object = {}) => ({
  sub: `sub-${++number}`,
  name: 'Ada',
  email,
  email_verified: true,
  ...more,
})
const meOf = async (cookie: string) => assertStatus(await nobody.get('/me', { cookie }), 200).json
const whoIs = async (person: ProviderPerson) => meOf(await provider.cookie(nobody, person))
const principal = async (id: string) => (await admin.get(`/admin/principals/${id}`)).json
const auditOf = async (id: string) =>
  (await admin.all(`/admin/audit?target=${id}`)) as { action: string; details: Record<string, unknown> }[]

async function invite(email: string, input: object = {}, client = admin): Promise<{ path: string; id: string }> {
  const { url, invitation } = assertStatus(await client.post('/admin/invitations', { email, ...input }), 201).json
  return { path: new URL(url).pathname, id: invitation.id }
}
const accept = (path: string) => sendForm(nobody, path, { name: 'Ada', password: PASSWORD })
const withPassword = (email: string) => sendForm(nobody, '/sign-in/password', { email, password: PASSWORD })

test('an invited person who signs in with the provider has the invited role, spaces and groups, and the invitation is used up', async () => {
  const email = fresh()
  const group = assertStatus(await admin.post('/admin/groups', { name: 'Authors' }), 201).json.id
  const { path, id } = await invite(email, {
    role: 'admin',
    groups: [group],
    spaces: [{ space: 'docs', role: 'editor' }],
  })
  const page = assertStatus(await nobody.get(path, { accept: 'text/html' }), 200).text
  assert.match(page, new RegExp(`href="/sign-in/oidc\\?next=${encodeURIComponent(path)}">Join with 127`))
  const person = claims(email.toUpperCase())
  const cookie = await provider.cookie(nobody, person)
  const me = await meOf(cookie)
  assert.equal(me.role, 'admin')
  assert.equal((await principal(me.id)).email, email)
  assert.equal((await nobody.get('/spaces/docs', { cookie })).json.role, 'admin', 'as an admin of the organisation')
  const members = await admin.all('/spaces/docs/members')
  assert.equal(members.find((member) => member.principal.id === me.id).role, 'editor')
  assert.ok((await admin.all(`/admin/groups/${group}/members`)).some((member) => member.principal.id === me.id))
  assert.ok(!(await admin.all('/admin/invitations')).some((open) => open.id === id))
  assertProblem(await accept(path), 404, 'link_invalid')
  assert.equal((await whoIs(person)).id, me.id)
})

test('the holder of an invitation joins with the provider by another address, and lands in the space', async () => {
  const { path } = await invite(fresh(), { spaces: [{ space: 'docs', role: 'viewer' }] })
  const answer = assertStatus(await provider.signIn(nobody, claims(fresh()), path), 303)
  assert.equal(answer.headers.get('location'), '/open/docs')
  assert.equal((await nobody.get('/spaces/docs', { cookie: sessionCookieOf(answer) })).json.role, 'viewer')
  assertProblem(await accept(path), 404, 'link_invalid')
  // The next one with that link is only signed in.
  const late = assertStatus(await provider.signIn(nobody, claims(fresh()), path), 303)
  assert.equal(late.headers.get('location'), '/')
})

test('a person with an account who is invited to a folder as a guest is added to its rule, and stays what they are', async () => {
  const email = fresh()
  const person = claims(email)
  const { id } = await whoIs(person)
  assertStatus(await admin.call('PUT', `/spaces/docs/members/${id}`, { json: { role: 'editor' } }), 201)
  const rule = { read: [], write: 'inherit' }
  assertStatus(await admin.call('PUT', '/spaces/docs/rules/hr', { json: rule }), 201)
  const lead = await newPerson(admin, 'Lead')
  assertStatus(await admin.call('PUT', `/spaces/docs/members/${lead.id}`, { json: { role: 'admin' } }), 201)
  for (const folder of ['hr', 'open']) {
    const input = { email, role: 'editor', guest: true, folder }
    assertStatus(await lead.client.post('/spaces/docs/invitations', input), 201)
  }
  const me = await whoIs(person)
  assert.deepEqual([me.id, (await principal(id)).guest], [id, false])
  const { items } = assertStatus(await admin.get('/spaces/docs/rules'), 200).json
  const [hr, ...others] = items
  assert.deepEqual(others, [], 'a new rule would give them nothing')
  assert.deepEqual([hr.read[0].principal.id, hr.write, hr.guests], [id, 'inherit', []])
})

test('an account with the verified address is linked, audited and told by mail, and keeps its password and keys', async () => {
  const email = fresh()
  const { path } = await invite(email)
  const own = await meOf(sessionCookieOf(assertStatus(await accept(path), 303)))
  const key = await newKey(admin, own.id)
  const person = claims(email)
  assert.equal((await whoIs(person)).id, own.id)
  const [entry] = (await auditOf(own.id)).filter(({ action }) => action === 'identity.linked')
  assert.deepEqual(entry?.details, { issuer: provider.issuer, subject: person.sub, email, credentialsEnded: false })
  await until(() => mail.mails.some(({ to, text }) => to.includes(email) && text.includes('connected')))
  assertStatus(await withPassword(email), 303)
  assertStatus(await nodes.as(0, key.secret).get('/me'), 200)
  // Once: the second sign-in links nothing.
  assert.equal((await whoIs(person)).id, own.id)
  assert.equal((await auditOf(own.id)).filter(({ action }) => action === 'identity.linked').length, 1)
})

test('an account that a member set up in the name of somebody loses its credentials when they sign in', async () => {
  const eve = await newPerson(admin, 'Eve')
  assertStatus(await eve.client.post('/spaces', { slug: 'trap' }), 201)
  const email = fresh()
  const { url } = assertStatus(await eve.client.post('/spaces/trap/invitations', { email, role: 'viewer' }), 201).json
  const cookie = sessionCookieOf(assertStatus(await accept(new URL(url).pathname), 303))
  const hijacked = await meOf(cookie)
  const key = await newKey(admin, hijacked.id)
  const person = claims(email)
  assert.equal((await whoIs(person)).id, hijacked.id)
  assertStatus(await withPassword(email), 401)
  await until(async () => (await nobody.get('/me', { cookie })).status === 401)
  await until(async () => (await nodes.as(1, key.secret).get('/me')).status === 401)
  assert.equal(
    (await auditOf(hijacked.id)).find(({ action }) => action === 'identity.linked')?.details.credentialsEnded,
    true,
  )
  await until(() => mail.mails.some(({ to, text }) => to.includes(email) && text.includes('have ended')))
})

test('an unverified address links nothing, accepts nothing and is nobody’s', async () => {
  const email = fresh()
  const account = assertStatus(await admin.post('/admin/principals', { name: 'Own', kind: 'human', email }), 201).json
  const invited = fresh()
  const { id } = await invite(invited, { role: 'admin' })
  for (const [address, verified] of [
    [email, false],
    [email, undefined],
    [email, 'true'],
    [invited, false],
    [`Ada <${email}>`, true],
    [`${email}\u0000`, true],
  ] as const) {
    const me = await whoIs(claims(address, { email_verified: verified }))
    assert.notEqual(me.id, account.id)
    assert.deepEqual([me.role, (await principal(me.id)).email], ['member', null])
  }
  assert.ok((await admin.all('/admin/invitations')).some((open) => open.id === id))
})

test('an address that the provider gives to somebody else leads to no account of before', async () => {
  const email = fresh()
  const first = await whoIs(claims(email))
  const second = await whoIs(claims(email))
  assert.notEqual(second.id, first.id)
  assert.deepEqual([(await principal(first.id)).email, (await principal(second.id)).email], [email, null])
})

test('an address that changes at the provider changes in the account, but one that an admin set stays', async () => {
  const person = claims(fresh())
  const { id } = await whoIs(person)
  const [next, set, last] = [fresh(), fresh(), fresh()]
  await whoIs({ ...person, email: next })
  assert.equal((await principal(id)).email, next)
  assertStatus(await admin.patch(`/admin/principals/${id}`, { email: set }), 200)
  await whoIs({ ...person, email: last })
  assert.equal((await principal(id)).email, set)
})

test('accounts of before, without an address, get that of the provider unless another account has it', async () => {
  const person = claims(fresh())
  const { id } = await whoIs(person)
  await nodes.query('update principal set email = null where id = $1', [id])
  await whoIs(person)
  assert.equal((await principal(id)).email, person.email)
  await nodes.query('update principal set email = null where id = $1', [id])
  assertStatus(await admin.post('/admin/principals', { name: 'Other', kind: 'human', email: person.email }), 201)
  assert.equal((await whoIs(person)).id, id)
  assert.equal((await principal(id)).email, null)
})

test('a disabled account stays disabled, and its person gets no second one', async () => {
  const email = fresh()
  const { id } = assertStatus(await admin.post('/admin/principals', { name: 'Gone', kind: 'human', email }), 201).json
  const invitation = await invite(fresh())
  await nodes.query('update invitation set email = $1 where id = $2', [email, invitation.id])
  assertStatus(await admin.patch(`/admin/principals/${id}`, { disabled: true }), 200)
  const answer = await provider.signIn(nobody, claims(email))
  assert.equal(sessionCookieOf(answer), '')
  assert.match(answer.text, /disabled/)
  const people = await admin.all('/admin/principals?limit=200')
  assert.deepEqual(
    people.filter((one) => one.email === email).map((one) => one.id),
    [id],
  )
  assert.ok((await admin.all('/admin/invitations')).some((open) => open.id === invitation.id))
})

test('a person whom SCIM keeps is linked, and the address stays that of SCIM', async () => {
  const scim = await startProvisioning(admin)
  const email = fresh()
  const id = await scim.user(email)
  const person = claims(email)
  assert.equal((await whoIs(person)).id, id)
  await whoIs({ ...person, email: fresh() })
  assert.equal((await principal(id)).email, email)
})

test('whoever only signs in with the provider gets no password by mail', async () => {
  const email = fresh()
  const { id } = await whoIs(claims(email))
  assertStatus(await sendForm(nobody, '/forgot-password', { email }), 200)
  const other = fresh()
  assertStatus(await admin.post('/admin/principals', { name: 'Other', kind: 'human', email: other }), 201)
  assertStatus(await sendForm(nobody, '/forgot-password', { email: other }), 200)
  await until(() => mail.mails.some(({ to }) => to.includes(other)))
  assert.ok(!(await auditOf(id)).some(({ action }) => action === 'password.forgotten'))
  assert.ok(!mail.mails.some(({ to }) => to.includes(email)))
})

test('an invitation that is accepted and signed in to at the same moment makes one account', async () => {
  for (let round = 0; round < 8; round++) {
    const email = fresh()
    const { path } = await invite(email, { spaces: [{ space: 'docs', role: 'viewer' }] })
    const person = claims(email)
    const [, signedIn] = await Promise.all([
      accept(path),
      provider.signIn(nobody, person),
      provider.signIn(nodes.as(1, undefined), person),
    ])
    assertStatus(signedIn, 303)
    const { rows } = await nodes.query('select id from principal where email = $1', [email])
    assert.equal(rows.length, 1)
    assert.equal((await whoIs(person)).id, rows[0].id)
  }
})

test('where the operator does not trust its addresses the provider links and accepts nothing', async () => {
  await using other = await startNodes({
    SVC_OIDC_ISSUER: provider.issuer,
    SVC_OIDC_CLIENT_ID: 'recto',
    SVC_OIDC_TRUST_EMAIL: '0',
  })
  const [boss] = other.admins
  const email = fresh()
  const { id } = assertStatus(await boss.post('/admin/principals', { name: 'Own', kind: 'human', email }), 201).json
  const cookie = await provider.cookie(other.as(0, undefined), claims(email))
  const me = assertStatus(await other.as(0, undefined).get('/me', { cookie }), 200).json
  assert.notEqual(me.id, id)
  assert.equal((await boss.get(`/admin/principals/${me.id}`)).json.email, null)
})
