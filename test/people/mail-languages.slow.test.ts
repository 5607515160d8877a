import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sendForm, sessionCookieOf } from '../support/browser-session.ts'
import { assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newKey } from '../support/people.ts'

// Mails are in the language of their recipient, else in SVC_LANGUAGE (decisions, section 18).

let mail: MailServer
let nodes: Nodes
let admin: Client
before(async () => {
  mail = await startMailServer()
  nodes = await startNodes({ SVC_LANGUAGE: 'de', SVC_SMTP_URL: mail.url, SVC_MAIL_FROM: 'Recto <recto@example.org>' })
  admin = nodes.admins[0]
})
after(async () => {
  await nodes?.[Symbol.asyncDispose]()
  await mail?.[Symbol.asyncDispose]()
})

async function newAccount(name: string): Promise<{ readonly id: string; readonly email: string }> {
  const account = { name, kind: 'human', email: `${name.toLowerCase()}@example.org` }
  const { id } = assertStatus(await admin.post('/admin/principals', account), 201).json
  return { id, email: account.email }
}

/** Chooses a language on the screen of the account, with a key, of whose creation a mail tells. */
async function choose(id: string, language: string): Promise<void> {
  const { secret: key } = await newKey(admin, id)
  const browser = nodes.as(0, undefined)
  const cookie = sessionCookieOf(assertStatus(await sendForm(browser, '/sign-in', { key }), 303))
  const fields = { appearance: 'system', language }
  assertStatus(await sendForm(browser, '/account/appearance', fields, { cookie }), 303)
}

/** As nobody can choose: English texts between brackets. */
const setPseudo = (id: string) =>
  nodes.query(
    `insert into person_setting (principal_id, language) values ($1, 'en-XA')
      on conflict (principal_id) do update set language = excluded.language`,
    [id],
  )

const mailsTo = (email: string) => mail.mails.flatMap(({ to, text }) => (to.includes(email) ? text : []))

async function nextMail(email: string, work: () => Promise<unknown>): Promise<string> {
  const before = mailsTo(email).length
  await work()
  await until(() => mailsTo(email).length > before)
  return mailsTo(email).at(-1) ?? ''
}

test('a mail is in the language of the account, and without one in that of the service', async () => {
  const ann = await newAccount('Ann')
  const tell = () => nextMail(ann.email, () => newKey(admin, ann.id))
  assert.match(await tell(), /<html lang="de">/)
  await choose(ann.id, 'en')
  const english = await tell()
  assert.match(english, /<html lang="en">/)
  assert.match(english, /Subject: A key was made for your account at Recto/)
  await choose(ann.id, '')
  assert.match(await tell(), /<html lang="de">/)
})

test('the mails about a key, a new password and a merge are in the language of the recipient', async () => {
  const [bob, other] = [await newAccount('Bob'), await newAccount('Bobs-second')]
  await setPseudo(bob.id)
  for (const work of [
    () => newKey(admin, bob.id),
    () => sendForm(nodes.as(0, undefined), '/forgot-password', { email: bob.email }),
    () => admin.post(`/admin/principals/${other.id}/merge`, { into: bob.id }),
  ]) {
    const text = await nextMail(bob.email, work)
    assert.match(text, /<html lang="en-XA">/)
    const paragraphs = text.match(/<p>.*?<\/p>/gs) ?? []
    assert.ok(paragraphs.length > 1)
    // Each is a message, apart from the link.
    for (const paragraph of paragraphs) assert.match(paragraph, /^<p>(?:⟦.*⟧|<a .*)<\/p>$/s)
  }
  await until(() => mailsTo(other.email).length > 0)
  assert.match(mailsTo(other.email)[0] ?? '', /<html lang="en-XA">/, 'to both addresses')
})

test('an invitation is in the language of the service, with its date', async () => {
  const email = 'new@example.org'
  const text = await nextMail(email, () => admin.post('/admin/invitations', { email }))
  assert.match(text, /<html lang="de">/)
  const month = new Intl.DateTimeFormat('de', { month: 'long', timeZone: 'UTC' })
  assert.ok(text.includes(month.format(Date.now() + 7 * 24 * 3600_000)))
})
