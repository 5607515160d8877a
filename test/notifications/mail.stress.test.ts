import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { watchInboxes } from '../support/inbox.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newKey } from '../support/people.ts'
import { openWebSession } from '../support/web-session.ts'

// Notifications by mail, from two nodes (decisions, section 15; RFC 8058).

let mails: MailServer
let nodes: Nodes
let admin: Client
let allTold: () => Promise<void>
before(async () => {
  mails = await startMailServer()
  nodes = await startNodes({ SVC_SMTP_URL: mails.url, SVC_MAIL_FROM: 'Recto <recto@example.org>' })
  admin = nodes.admins[0]
  allTold = await watchInboxes(admin)
})
after(async () => {
  await nodes?.[Symbol.asyncDispose]()
  await mails?.[Symbol.asyncDispose]()
})

interface Reader {
  readonly id: string
  readonly client: Client
  readonly key: string
  readonly texts: () => string[]
}

/** Somebody with an address who watches a new private space, and chose how they get mail. */
async function newReader(space: string, mail: string): Promise<Reader> {
  const email = `${space}@example.org`
  const account = { name: `Reader of ${space}`, kind: 'human', role: 'member', email }
  const { id } = assertStatus(await admin.post('/admin/principals', account), 201).json
  const { secret: key } = await newKey(admin, id)
  const client = new Client(admin.base, key)
  await admin.space(space, { visibility: 'private' })
  assertStatus(await admin.call('PUT', `/spaces/${space}/members/${id}`, { json: { role: 'viewer' } }), 201)
  assertStatus(await client.call('PUT', `/me/watches/${space}`), 204)
  assert.deepEqual((await client.get('/me/notification-settings')).json, { mail: 'daily' })
  assertStatus(await client.patch('/me/notification-settings', { mail }), 200)
  return { id, client, key, texts: () => ofMails(email) }
}

/** Without those about their keys. */
const ofMails = (email: string) =>
  mails.mails.flatMap(({ to, text }) => (to.includes(email) && text.includes('List-Unsubscribe') ? text : []))
const header = (text: string, name: string) => new RegExp(`^${name}: *((?:.|\r\n[ \t])*)`, 'm').exec(text)?.[1]?.trim()
const linkIn = (text: string, path: string) => new RegExp(`https?://[^\\s"<>]*${path}/[\\w.-]+`).exec(text)?.[0] ?? ''
/** Makes everything of a person due that waits for its time. */
const makeDue = ({ id }: Reader) =>
  nodes.query('update notification set mail_at = now() where principal_id = $1 and mail_at is not null', [id])
/** Waits until a mail to somebody else has gone out after all that was due. */
async function allMailed(): Promise<void> {
  const space = `last-${mails.mails.length}`
  const last = await newReader(space, 'immediate')
  await admin.write(`${space}/page`, 'Here.\n')
  await until(() => last.texts().length > 0, 30_000)
}

test('who wants mail at once gets one for each page, whose link leads there, and which is folded with the next', async () => {
  const ann = await newReader('at-once', 'immediate')
  await admin.write('at-once/plan', '# The plan of http://evil.example\n')
  await admin.write('at-once/plan', '# The plan of http://evil.example\n\nMore.\n')
  await until(() => ann.texts().length > 0, 30_000)
  const [text = ''] = ann.texts()
  assert.equal(header(text, 'Subject'), '[at-once] The plan of http evil. example')
  assert.match(text, /2 events, you watch it/)
  assert.match(text, /Content-Type: text\/html/)
  assert.match(text, /name="color-scheme" content="light dark"/)
  const web = await openWebSession(admin.base, ann.key)
  const link = linkIn(text, '/inbox')
  assert.equal((await web.get(new URL(link).pathname)).location, '/pages/at-once/plan')
  assert.equal((await ann.client.get('/me/notifications/count')).json.unread, 0)
  const thread = assertStatus(await admin.post('/threads/at-once/plan', { body: 'One.' }), 201).json.id
  await until(() => ann.texts().length > 1, 30_000)
  assertStatus(await admin.post(`/threads/by-id/${thread}/replies`, { body: 'Two.' }), 201)
  await until(() => ann.texts().length > 2, 30_000)
  const [, first = '', second = ''] = ann.texts()
  assert.ok(header(first, 'In-Reply-To'))
  assert.equal(header(first, 'In-Reply-To'), header(second, 'In-Reply-To'))
  assert.notEqual(header(first, 'Message-ID'), header(second, 'Message-ID'))
  assert.notEqual(header(first, 'In-Reply-To'), header(text, 'In-Reply-To'))
})

test('nobody gets mail of what they have read, or cannot read at the moment of sending', async () => {
  const [ann, ben] = [await newReader('read-before', 'daily'), await newReader('lost-before', 'daily')]
  await admin.write('read-before/a', 'A.\n')
  await admin.write('read-before/b', 'B.\n')
  await admin.write('lost-before/a', 'A.\n')
  await allTold()
  const [newest] = await ann.client.all('/me/notifications')
  assertStatus(await ann.client.patch('/me/notifications', { ids: [newest.id], read: true }), 200)
  assertStatus(await admin.delete(`/spaces/lost-before/members/${ben.id}`), 204)
  await makeDue(ann)
  await makeDue(ben)
  await until(() => ann.texts().length > 0, 30_000)
  await allMailed()
  assert.match(ann.texts().join(), /\/inbox\//)
  assert.doesNotMatch(ann.texts().join(), new RegExp(newest.id))
  assert.deepEqual([ann.texts().length, ben.texts().length], [1, 0])
})

test('a digest has all that was not mailed, a refused mail is tried again, and one click ends such mails', async () => {
  const ann = await newReader('digest', 'daily')
  for (const page of ['a', 'b', 'c']) await admin.write(`digest/${page}`, `# Page ${page}\n`)
  await allTold()
  mails.refusing = true
  await makeDue(ann)
  const tries = async () =>
    (
      await nodes.query(
        'select max(mail_tries) as tries from notification where principal_id = $1 and mail_at > now()',
        [ann.id],
      )
    ).rows[0].tries
  await until(async () => (await tries()) === 1 && (await waitsForRetry(ann)), 30_000)
  mails.refusing = false
  await makeDue(ann)
  await until(() => ann.texts().length > 0, 30_000)
  const [text = ''] = ann.texts()
  assert.equal(header(text, 'Subject'), 'Recto: 3 notifications')
  for (const page of ['a', 'b', 'c']) assert.match(text, new RegExp(`Page ${page}`))
  assert.equal(header(text, 'List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click')
  const link = /<(.*)>/.exec(header(text, 'List-Unsubscribe') ?? '')?.[1] ?? ''
  const path = new URL(link.replace(/\s/g, '')).pathname
  assert.match(await fetch(admin.base + path).then((answer) => answer.text()), /<form method="post"/)
  assert.deepEqual((await ann.client.get('/me/notification-settings')).json, { mail: 'daily' })
  const form = { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) }
  assert.equal((await fetch(admin.base + path, form)).status, 200)
  assert.deepEqual((await ann.client.get('/me/notification-settings')).json, { mail: 'off' })
  assert.equal((await fetch(`${admin.base}${path.slice(0, -2)}AA`, form)).status, 404)
  await admin.write('digest/d', 'D.\n')
  await allMailed()
  await makeDue(ann)
  await allMailed()
  assert.equal(ann.texts().length, 1)
  assertProblem(await ann.client.patch('/me/notification-settings', { mail: 'hourly' }), 400, 'invalid_request')
})

test('each digest of a run is in the language of its reader', async () => {
  const [ann, ben] = [await newReader('pseudo', 'daily'), await newReader('english', 'daily')]
  await nodes.query(`update person_setting set language = 'en-XA' where principal_id = $1`, [ann.id])
  for (const space of ['pseudo', 'english']) await admin.write(`${space}/page`, '# Page\n')
  await allTold()
  await makeDue(ann)
  await makeDue(ben)
  await until(() => ann.texts().length + ben.texts().length === 2, 30_000)
  const [pseudo = '', english = ''] = [ann.texts()[0], ben.texts()[0]]
  assert.match(pseudo, /<html lang="en-XA">/)
  assert.match(pseudo, /^⟦Admin wróótéé théé páágéé⟧ \(⟦yóóúú wáátch íít⟧\)$/m)
  assert.match(english, /<html lang="en">/)
  assert.match(english, /^Admin wrote the page \(you watch it\)$/m)
})

async function waitsForRetry({ id }: Reader): Promise<boolean> {
  const { rows } = await nodes.query(
    `select bool_and(mail_at < now() + interval '5 minutes' * 0.97) as waits from notification where principal_id = $1 and mail_at is not null`,
    [id],
  )
  return rows[0].waits
}
