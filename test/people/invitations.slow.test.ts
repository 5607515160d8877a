import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sendForm, sessionCookieOf } from '../support/browser-session.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson } from '../support/people.ts'

const PASSWORD = 'quartz lantern vivid moss'
const HTML = { accept: 'text/html' }

let mail: MailServer
let nodes: Nodes
let admin: Client
let number = 0
before(async () => {
  mail = await startMailServer()
  nodes = await startNodes({ SVC_TRUST_PROXY: '1', SVC_SMTP_URL: mail.url, SVC_MAIL_FROM: 'Recto <recto@example.org>' })
  admin = nodes.admins[0]
  await admin.space('docs', { name: 'Docs', visibility: 'private' })
  await admin.space('lab', { name: 'Lab', visibility: 'private' })
  assertStatus(await admin.put('/pages/docs/start', '# Start here'), 201)
})
after(async () => {
  await nodes[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
})

const browser = (node: 0 | 1 = 0) => nodes.as(node, undefined)
const freshAddress = () => ({ 'x-forwarded-for': `192.0.2.${++number}` })
const freshEmail = () => `guest-${++number}@example.org`
const pathOf = ({ url }: { readonly url: string }) => new URL(url).pathname

function accept(path: string, fields: Readonly<Record<string, string>> = {}, node: 0 | 1 = 0) {
  return sendForm(browser(node), path, { name: 'Gil', password: PASSWORD, ...fields }, freshAddress())
}

async function invited(input: Readonly<Record<string, unknown>> = {}) {
  const answer = assertStatus(await admin.post('/admin/invitations', { email: freshEmail(), ...input }), 201)
  return answer.json as { invitation: { id: string; email: string }; url: string; mailed: boolean }
}

test('an invited colleague opens the link, chooses name and password, and reads and writes', async () => {
  const spaces = [{ space: 'docs', role: 'editor' }]
  const sent = await invited({ spaces, email: 'Gil@Example.org' })
  assert.equal(sent.invitation.email, 'gil@example.org')
  assert.match(assertStatus(await browser(1).get(pathOf(sent), HTML), 200).text, /Admin invites you to .*Docs/)
  for (const path of [pathOf(sent), '/sign-in', '/forgot-password', '/link/none']) {
    const { text } = await browser(1).get(path, HTML)
    assert.doesNotMatch(text, /New page|role="search"|Administration/, `${path} needs no account`)
  }
  const answer = assertStatus(await accept(pathOf(sent), {}, 1), 303)
  assert.equal(answer.headers.get('location'), '/open/docs')
  const cookie = sessionCookieOf(answer)
  assert.match((await browser().get('/browse/docs', { ...HTML, cookie })).text, /Start here/)
  const me = assertStatus(await browser().get('/me', { cookie }), 200).json
  assert.deepEqual([me.name, me.role], ['Gil', 'member'])
  assertStatus(await browser().get('/spaces/personal', { cookie }), 200)
  assertProblem(await browser().get('/spaces/lab', { cookie }), 404, 'not_found')
  const { items } = (await admin.get('/spaces/docs/members')).json
  assert.equal(items.find(({ principal }: { principal: { id: string } }) => principal.id === me.id).role, 'editor')
  assertStatus(await sendForm(browser(), '/sign-in/password', { email: 'gil@example.org', password: PASSWORD }), 303)
  assert.ok(!(await admin.all('/admin/invitations')).some(({ id }) => id === sent.invitation.id))
  const actions = (await admin.all(`/admin/audit?actor=${me.id}`)).map(({ action }) => action)
  assert.deepEqual(actions.slice(-4), ['session.created', 'invitation.accepted', 'password.set', 'principal.created'])
})

test('the link is sent by mail, and shown with a note if the mail server rejects it', async () => {
  const sent = await invited({ spaces: [{ space: 'docs', role: 'viewer' }] })
  assert.equal(sent.mailed, true)
  const got = mail.mails.find(({ to }) => to.includes(sent.invitation.email))
  assert.ok(got?.text.includes(sent.url) && got.text.includes('Docs'))
  mail.refusing = true
  try {
    const rejected = await invited()
    assert.equal(rejected.mailed, false)
    assertStatus(await accept(pathOf(rejected)), 303)
  } finally {
    mail.refusing = false
  }
})

test('of concurrent acceptances of one invitation one creates an account', async () => {
  const sent = await invited()
  const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => accept(pathOf(sent), {}, i % 2 ? 1 : 0)))
  assert.equal(answers.filter(({ status }) => status === 303).length, 1)
  for (const answer of answers.filter(({ status }) => status !== 303)) {
    assert.ok([400, 404].includes(answer.status), `${answer.status}`)
  }
  const { items } = (await admin.get('/admin/principals?name=Gil&limit=200')).json
  assert.equal(items.filter(({ email }: { email: string }) => email === sent.invitation.email).length, 1)
  assertProblem(await accept(pathOf(sent)), 404, 'link_invalid')
})

test('an invitation with groups adds the new account to them, except to a deleted one', async () => {
  const [kept, ended] = await Promise.all(
    ['Kept', 'Ended'].map(async (name) => assertStatus(await admin.post('/admin/groups', { name }), 201).json.id),
  )
  assertStatus(await admin.call('PUT', `/spaces/lab/groups/${kept}`, { json: { role: 'viewer' } }), 201)
  assertProblem(await admin.post('/admin/invitations', { email: freshEmail(), groups: ['none'] }), 404, 'not_found')
  const sent = await invited({ groups: [kept, ended] })
  assertStatus(await admin.delete(`/admin/groups/${ended}`), 204)
  const cookie = sessionCookieOf(assertStatus(await accept(pathOf(sent)), 303))
  assert.equal((await browser().get('/spaces/lab', { cookie })).json.role, 'viewer')
  const members = (await admin.all(`/admin/groups/${kept}/members`)) as { source: string }[]
  assert.deepEqual(
    members.map(({ source }) => source),
    ['admin'],
  )
})

test('an invitation that expired, was revoked or resent, or whose inviter lost the role, is rejected', async () => {
  const expired = await invited()
  await nodes.query(`update invitation set expires_at = now() - interval '1 second' where id = $1`, [
    expired.invitation.id,
  ])
  const revoked = await invited()
  assertStatus(await admin.delete(`/admin/invitations/${revoked.invitation.id}`), 204)
  const old = await invited()
  const renewed = assertStatus(await admin.post(`/admin/invitations/${old.invitation.id}/resend`), 200).json

  const boss = await newPerson(admin, 'Boss', { role: 'admin' })
  const byBoss = assertStatus(
    await boss.client.post('/admin/invitations', { email: freshEmail(), role: 'admin' }),
    201,
  ).json
  assertStatus(await admin.patch(`/admin/principals/${boss.id}`, { role: 'member' }), 200)
  const lead = await newPerson(admin, 'Lead')
  const lab = `/spaces/lab/members/${lead.id}`
  assertStatus(await admin.call('PUT', lab, { json: { role: 'admin' } }), 201)
  const invite = { email: freshEmail(), role: 'editor' }
  const byLead = assertStatus(await lead.client.post('/spaces/lab/invitations', invite), 201).json
  assertStatus(await admin.call('PUT', lab, { json: { role: 'editor' } }), 200)
  const gone = await newPerson(admin, 'Gone', { role: 'admin' })
  const byGone = assertStatus(await gone.client.post('/admin/invitations', { email: freshEmail() }), 201).json
  assertStatus(await admin.patch(`/admin/principals/${gone.id}`, { disabled: true }), 200)

  const details = new Set<string>()
  for (const sent of [expired, revoked, old, byBoss, byLead, byGone, { url: `${old.url.slice(0, -6)}abcdef` }]) {
    details.add(assertProblem(await browser().get(pathOf(sent), freshAddress()), 404, 'link_invalid').json.detail)
    details.add(assertProblem(await accept(pathOf(sent)), 404, 'link_invalid').json.detail)
  }
  assert.equal(details.size, 1)
  assertStatus(await accept(pathOf(renewed)), 303)
  const again = await admin.post(`/admin/invitations/${expired.invitation.id}/resend`)
  assertStatus(await accept(pathOf(assertStatus(again, 200).json)), 303)
})

test('space admins invite into their space only, and see nothing of other invitations', async () => {
  const lead = await newPerson(admin, 'Lea')
  assertStatus(await admin.call('PUT', `/spaces/lab/members/${lead.id}`, { json: { role: 'admin' } }), 201)
  const broad = await invited({
    spaces: [
      { space: 'lab', role: 'viewer' },
      { space: 'docs', role: 'viewer' },
    ],
  })
  const asAdmin = await invited({ role: 'admin', spaces: [{ space: 'lab', role: 'viewer' }] })
  const invite = { email: freshEmail(), role: 'viewer' }
  const own = assertStatus(await lead.client.post('/spaces/lab/invitations', invite), 201).json
  const listed = (await lead.client.all('/spaces/lab/invitations')).map(({ id }) => id)
  assert.ok(listed.includes(own.invitation.id))
  for (const { invitation } of [broad, asAdmin]) {
    assert.ok(!listed.includes(invitation.id))
    assertProblem(await lead.client.delete(`/spaces/lab/invitations/${invitation.id}`), 404, 'not_found')
    assertProblem(await lead.client.post(`/spaces/lab/invitations/${invitation.id}/resend`), 404, 'not_found')
  }
  assertProblem(await lead.client.get('/admin/invitations'), 403, 'forbidden')
  assertProblem(await lead.client.post('/admin/invitations', { email: freshEmail() }), 403, 'forbidden')
  assertProblem(await lead.client.get('/spaces/docs/invitations'), 404, 'not_found')
  assertProblem(await lead.client.post('/spaces/docs/invitations', invite), 404, 'not_found')
  assertStatus(await lead.client.delete(`/spaces/lab/invitations/${own.invitation.id}`), 204)
  assertProblem(await accept(pathOf(own)), 404, 'link_invalid')
})

test('an invitation needs an e-mail address without an account, and shared spaces', async () => {
  const { invitation, url } = await invited()
  assertStatus(await accept(pathOf({ url })), 303)
  assertProblem(await admin.post('/admin/invitations', { email: invitation.email }), 409, 'email_taken')
  for (const spaces of [[{ space: 'personal', role: 'viewer' }], [{ space: 'docs', role: 'owner' }]]) {
    assertProblem(await admin.post('/admin/invitations', { email: freshEmail(), spaces }), 400, 'invalid_request')
  }
  const missing = { email: freshEmail(), spaces: [{ space: 'none', role: 'viewer' }] }
  assertProblem(await admin.post('/admin/invitations', missing), 404, 'not_found')
  assertProblem(await admin.post('/admin/invitations', { email: 'a@b, c@d' }), 400, 'invalid_request')
  // Two invitations of one address: whoever comes second is told to sign in.
  const email = freshEmail()
  const [one, two] = [await invited({ email }), await invited({ email })]
  assertStatus(await accept(pathOf(one)), 303)
  assert.match(assertStatus(await accept(pathOf(two)), 400).text, /Sign in.* to the account that you have/)
})

test('the screen invites in four clicks: the link is shown to copy, and invitations are listed', async () => {
  const answer = await sendForm(browser(), '/sign-in', { key: admin.key ?? '' })
  const cookie = sessionCookieOf(assertStatus(answer, 303))
  assert.match((await browser().get('/', { ...HTML, cookie })).text, /href="\/manage\/invitations"/)
  const email = freshEmail()
  const fields = { email, role: 'member', spaceRole: 'viewer', 'spaces[]': 'docs' }
  const made = assertStatus(await sendForm(browser(), '/manage/invitations', fields, { cookie }), 201)
  const [url = ''] = /http:\/\/[^<"]*\/invitation\/inv_\w+/.exec(made.text) ?? []
  assertStatus(await accept(pathOf({ url })), 303)
  assert.match(
    assertStatus(await sendForm(browser(), '/manage/invitations', fields, { cookie }), 409).text,
    /Another account/,
  )
  const inSpace = await sendForm(
    browser(),
    '/settings/lab/invitations',
    { email: freshEmail(), spaceRole: 'editor' },
    { cookie },
  )
  assert.match(assertStatus(inSpace, 201).text, /\/invitation\/inv_\w+/)
})

test('a forgotten password gets a link by mail; the response is the same without an account', async () => {
  const sent = await invited()
  assertStatus(await accept(pathOf(sent)), 303)
  const { email } = sent.invitation
  const ask = (address: string, from = freshAddress()) =>
    sendForm(browser(), '/forgot-password', { email: address }, from)
  const known = assertStatus(await ask(email.toUpperCase()), 200)
  const unknown = assertStatus(await ask('nobody@example.org'), 200)
  assert.equal(known.text, unknown.text)
  const link = () =>
    mail.mails.map(({ to, text }) => (to[0] === email ? /\/link\/lnk_\w+/.exec(text)?.[0] : '')).find(Boolean)
  await until(() => link() !== undefined)
  const password = 'granite meadow seven owls'
  assertStatus(await sendForm(browser(), link() ?? '', { password }, freshAddress()), 303)
  assertStatus(await sendForm(browser(), '/sign-in/password', { email, password }, freshAddress()), 303)
  assert.ok(!mail.mails.some(({ to }) => to.includes('nobody@example.org')))
})

test('mail is limited to three per hour for an account and 20 requests for an IP address', async () => {
  const sent = await invited()
  assertStatus(await accept(pathOf(sent)), 303)
  const { email } = sent.invitation
  for (let i = 0; i < 6; i++) {
    assertStatus(await sendForm(browser(), '/forgot-password', { email }, freshAddress()), 200)
  }
  // Mails are sent one after the other: that of another account comes after them.
  const other = await invited()
  assertStatus(await accept(pathOf(other)), 303)
  const from = freshAddress()
  const last = { email: other.invitation.email }
  assertStatus(await sendForm(browser(), '/forgot-password', last, from), 200)
  const passwordMails = (to: string) =>
    mail.mails.filter((got) => got.to.includes(to) && got.text.includes('/link/')).length
  await until(() => passwordMails(other.invitation.email) === 1)
  assert.equal(passwordMails(email), 3)
  for (let i = 1; i < 20; i++) {
    assertStatus(await sendForm(browser(), '/forgot-password', { email: freshEmail() }, from), 200)
  }
  assertProblem(await sendForm(browser(), '/forgot-password', last, from), 429, 'too_many_requests')
})

test('of 40 invitations and 40 resends to one address over both nodes five are mailed, and the others change nothing', async () => {
  const sender = await newPerson(admin, 'Sender', { role: 'admin' })
  const email = freshEmail()
  const before = mail.mails.length
  const clients = [nodes.as(0, sender.key), nodes.as(1, sender.key)] as const
  const [first] = await Promise.all(
    Array.from({ length: 40 }, (_, n) => clients[n % 2 ? 1 : 0].post('/admin/invitations', { email })),
  ).then((answers) => {
    assert.equal(answers.filter(({ status }) => status === 201).length, 5)
    const rejected = answers.filter(({ status }) => status !== 201)
    for (const answer of rejected) {
      assert.ok(Number(assertProblem(answer, 429, 'too_many_requests').headers.get('retry-after')) > 3000)
    }
    return answers.filter(({ status }) => status === 201)
  })
  const url = `/admin/invitations/${first?.json.invitation.id}/resend`
  const resent = await Promise.all(Array.from({ length: 40 }, (_, n) => clients[n % 2 ? 1 : 0].post(url)))
  for (const answer of resent) assertProblem(answer, 429, 'too_many_requests')
  assert.equal(mail.mails.length - before, 5)
  const open = (await admin.all('/admin/invitations')).filter((one) => one.email === email)
  assert.equal(open.length, 5)
  // The link that was sent still works: a refused resend did not replace it.
  assertStatus(await browser().get(pathOf(first?.json), HTML), 200)

  const statuses: number[] = []
  for (let n = 0; n < 46; n++) {
    statuses.push((await clients[0].post('/admin/invitations', { email: freshEmail() })).status)
  }
  assert.deepEqual(statuses, [...Array(45).fill(201), 429], 'a sender has 50 an hour')
  // An hour later.
  await nodes.query(`update rate_lease set since = since - interval '1 hour' where key like 'mail/%'`)
  assertStatus(await clients[0].post('/admin/invitations', { email }), 201)
})

test('the mails of the whole organisation are limited', async () => {
  await nodes.query(`insert into rate_lease (key, since, used, granted) values ('mail/all', now(), 500, 0)
    on conflict (key) do update set since = now(), used = 500`)
  const rejected = await admin.post('/admin/invitations', { email: freshEmail() })
  assertProblem(rejected, 429, 'too_many_requests')
  await nodes.query(`delete from rate_lease where key = 'mail/all'`)
  assertStatus(await admin.post('/admin/invitations', { email: freshEmail() }), 201)
})

test('names in the mail of an invitation are short, of one line, and become no link', async () => {
  const inviter = await newPerson(admin, 'Win at https://evil.example/now', { role: 'admin' })
  const email = freshEmail()
  const sent = assertStatus(await inviter.client.post('/admin/invitations', { email }), 201).json
  const { text = '' } = mail.mails.find(({ to }) => to.includes(email)) ?? {}
  assert.match(text, /Subject: Win at https evil\. example\/now invites you to Recto/)
  assert.deepEqual(text.split('text/html')[0]?.match(/https?:\/\/\S+/g), [sent.url])
})

test('what is no address is refused at every door', async () => {
  const person = await newPerson(admin, 'Doors')
  for (const email of [
    '<a@b.c>',
    'a@[127.0.0.1]',
    'group:a@b.c',
    'Ada <a@b.c>',
    '"a"@b.c',
    'a@127.0.0.1',
    'a\u200b@b.c',
  ]) {
    assertProblem(await admin.post('/admin/invitations', { email }), 400, 'invalid_request')
    const toSpace = await admin.post('/spaces/docs/invitations', { email, role: 'viewer' })
    assertProblem(toSpace, 400, 'invalid_request')
    const created = await admin.post('/admin/principals', { name: 'New', kind: 'human', email })
    assertProblem(created, 400, 'invalid_request')
    assertProblem(await admin.patch(`/admin/principals/${person.id}`, { email }), 400, 'invalid_request')
  }
})
