import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { deriveCsrfToken } from '../../packages/server/src/identity/sessions/csrf.ts'
import { connectAgent } from '../support/agent.ts'
import { sendForm, sessionCookieOf } from '../support/browser-session.ts'
import { assertStatus, Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { connect, openBrowser, postForm, registerApp } from '../support/oauth.ts'
import { type NewPerson, newPerson, type Person } from '../support/people.ts'

// Every way of losing a right, on one node, against every answer that goes on for a while, from the other.

const PAGES = 24
const BYTES = 1_000_000
let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
  await admin.space('open')
  await admin.space('big', { visibility: 'private' })
  const text = 'text '.repeat(BYTES / 5 - 10)
  for (let n = 0; n < PAGES; n++) assertStatus(await admin.put(`/pages/big/p${n}`, `# Page ${n}\n\n${text}`), 201)
})
after(() => nodes[Symbol.asyncDispose]())

/** Somebody with a key or a session, and a private space to read. */
interface Reader extends Person {
  readonly space: string
  readonly headers: Readonly<Record<string, string>>
  /** The key or the access token. */
  readonly secret: string
  readonly clientId?: string
}

interface Loss {
  readonly name: string
  /** The credential ends, and with it everything; else only the space is out of sight. */
  readonly credential: boolean
  readonly cookie?: boolean
  /** The reader is an app that acts for the person. */
  readonly app?: boolean
  readonly person?: NewPerson
  readonly lose: (reader: Reader) => Promise<unknown>
}

const LOSSES: readonly Loss[] = [
  { name: 'the key is revoked', credential: true, lose: ({ keyId }) => admin.delete(`/admin/api-keys/${keyId}`) },
  {
    name: 'the key expires',
    credential: true,
    lose: ({ keyId }) => nodes.query('update api_key set expires_at = now() where id = $1', [keyId]),
  },
  {
    name: 'the principal is disabled',
    credential: true,
    lose: ({ id }) => admin.patch(`/admin/principals/${id}`, { disabled: true }),
  },
  {
    name: 'the session is ended',
    credential: true,
    cookie: true,
    lose: ({ id }) => nodes.query('delete from session where principal_id = $1', [id]),
  },
  {
    name: 'the key of the session is revoked',
    credential: true,
    cookie: true,
    lose: ({ keyId }) => admin.delete(`/admin/api-keys/${keyId}`),
  },
  {
    name: 'the access token of an app expires',
    credential: true,
    app: true,
    lose: ({ id }) =>
      nodes.query(
        `update oauth_token set expires_at = now() where kind = 'AccessToken'
          and connection_id in (select id from app_connection where principal_id = $1)`,
        [id],
      ),
  },
  {
    name: 'an app revokes its access token',
    credential: true,
    app: true,
    lose: async ({ secret, clientId = '' }) =>
      assertStatus(await postForm(nobody(), '/oauth/revoke', { client_id: clientId, token: secret }), 200),
  },
  {
    name: 'the connection of an app is ended',
    credential: true,
    app: true,
    lose: async ({ client }) => {
      const { items } = (await client.get('/me/connections')).json
      assertStatus(await client.delete(`/me/connections/${items[0].id}`), 204)
    },
  },
  {
    name: 'the member is removed',
    credential: false,
    lose: ({ id, space }) => admin.delete(`/spaces/${space}/members/${id}`),
  },
  {
    name: 'the space becomes private',
    credential: false,
    lose: async ({ id, space }) => {
      await admin.delete(`/spaces/${space}/members/${id}`)
      await admin.patch(`/spaces/${space}`, { visibility: 'private' })
    },
  },
  {
    name: 'the admin is demoted',
    credential: false,
    person: { role: 'admin' },
    lose: ({ id }) => admin.patch(`/admin/principals/${id}`, { role: 'member' }),
  },
  { name: 'the space is deleted', credential: false, lose: ({ space }) => admin.delete(`/spaces/${space}?force=true`) },
]

let count = 0

async function newReader(
  { cookie = false, app = false, person = {}, name }: Loss,
  space = `secret-${++count}`,
): Promise<Reader> {
  const made = await newPerson(admin, name, person)
  const visibility = name === 'the space becomes private' ? 'org' : 'private'
  if (space === 'big') assertStatus(await admin.patch('/spaces/big', { visibility }), 200)
  else await admin.space(space, { visibility })
  if (person.role !== 'admin') {
    assertStatus(await admin.call('PUT', `/spaces/${space}/members/${made.id}`, { json: { role: 'viewer' } }), 201)
  }
  if (app) return { ...made, space, ...(await connectedApp(made.key)) }
  const secret = made.key
  if (!cookie) return { ...made, space, secret, headers: { authorization: `Bearer ${secret}` } }
  const signedIn = await sendForm(new Client(nodes.admins[1].base, undefined), '/sign-in', { key: made.key })
  const headers = { cookie: sessionCookieOf(assertStatus(signedIn, 303)), 'sec-fetch-site': 'same-origin' }
  return { ...made, space, secret, headers }
}

function nobody(): Client {
  return new Client(nodes.admins[1].base, undefined)
}

async function connectedApp(key: string) {
  const { base } = nobody()
  const clientId = await registerApp(nobody())
  const browser = await openBrowser(base, key)
  const { access_token: secret } = await connect(nobody(), browser, clientId, { resource: base })
  return { clientId, secret, headers: { authorization: `Bearer ${secret}` } }
}

function open(reader: Reader, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(nodes.admins[1].base + path, { headers: { ...reader.headers, ...headers } })
}

/** A message of an MCP client. */
function sendMessage(reader: Reader, method: string, params: object, session?: string): Promise<Response> {
  const { cookie } = reader.headers
  return fetch(`${nodes.admins[1].base}/mcp`, {
    method: 'POST',
    headers: {
      ...reader.headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(cookie !== undefined && { 'x-csrf-token': deriveCsrfToken(cookie.split('=')[1] ?? '') }),
      ...(session !== undefined && { 'mcp-session-id': session }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
}

/** Begins an MCP session. */
async function newSession(reader: Reader): Promise<string> {
  const clientInfo = { name: 'test', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const answer = await sendMessage(reader, 'initialize', params)
  assert.equal(answer.status, 200, await answer.text())
  return answer.headers.get('mcp-session-id') ?? ''
}

async function subscribe(reader: Reader, session: string, pages: readonly string[]): Promise<void> {
  for (const page of pages) {
    const params = { uri: `recto://pages/${page}` }
    const answer = await sendMessage(reader, 'resources/subscribe', params, session)
    assert.match(await answer.text(), /"result":\{\}/)
  }
}

/** The rest of the response, whether it ends or fails. */
async function rest(response: Response): Promise<string> {
  let text = ''
  try {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString()
  } catch {
    text += ' (cut)'
  }
  return text
}

// Before the last loss, which ends the space.
for (const [what, url, prefix] of [
  ['an export', '/spaces/big/export', 'p5'],
  ['an export as an archive', '/spaces/big/export?format=zip', 'p5'],
  ['a download of a file', '/files/big/folder/bytes.bin', 'folder'],
] as const) {
  test(`when a rule hides a place, ${what} that is under way there is aborted`, async () => {
    const bytes = randomBytes(PAGES * BYTES).toString('base64')
    const put = await admin.put('/files/big/folder/bytes.bin', bytes, { 'if-match': '*' })
    if (put.status !== 200)
      assertStatus(await admin.put('/files/big/folder/bytes.bin', bytes, { 'if-none-match': '*' }), 201)
    assertStatus(await admin.patch('/spaces/big', { visibility: 'org' }), 200)
    const { key } = await newPerson(admin, what)
    const download = await fetch(nodes.admins[1].base + url, { headers: { authorization: `Bearer ${key}` } })
    assert.equal(download.status, 200)
    let size = 0
    const rule = `/spaces/big/rules/${prefix}`
    await assert.rejects(async () => {
      let isHidden = false
      for await (const chunk of download.body ?? []) {
        size += chunk.length
        // Another page is under way when the rule is set.
        if (!isHidden && size > 6 * BYTES) {
          isHidden = true
          assertStatus(await admin.call('PUT', rule, { json: { read: [], write: 'inherit' } }), 201)
        }
        await delay(50)
      }
    }, /terminated/)
    assert.ok(size < PAGES * BYTES, `${size} bytes`)
    assertStatus(await admin.delete(rule), 200)
  })
}

for (const loss of LOSSES) {
  test(`when ${loss.name}, open long polls and streams get no further event`, async () => {
    const reader = await newReader(loss)
    // Another database of the server may hold its event back for a moment: it is no answer to what follows.
    await until(async () => (await admin.get(`/changes?space=${reader.space}`)).json.items.length > 0)
    const poll = open(reader, '/changes?since=now&wait=20')
    const spacePoll = open(reader, `/changes?since=now&wait=20&space=${reader.space}`)
    const stream = { accept: 'text/event-stream' }
    const all = await open(reader, '/changes?since=now', stream)
    const ofSpace = await open(reader, `/changes?since=now&space=${reader.space}`, stream)
    const session = await newSession(reader)
    const updates = await open(reader, '/mcp', { ...stream, 'mcp-session-id': session })
    for (const { status } of [all, ofSpace, updates]) assert.equal(status, 200)
    await subscribe(reader, session, [`${reader.space}/secret`, `open/after-${reader.space}`])
    await loss.lose(reader)
    // Known everywhere within a second; the answers that end say when.
    const spaceText = await rest(ofSpace)
    const polled = await spacePoll
    assert.equal(polled.status, loss.credential ? 401 : 404, await polled.text())
    await admin.put(`/pages/${reader.space}/secret`, 'x')
    await admin.put(`/pages/open/after-${reader.space}`, 'x')

    assert.doesNotMatch(spaceText, /"secret"/)
    const answer = await poll
    const body = await answer.text()
    assert.equal(answer.status, loss.credential ? 401 : 200, body)
    assert.doesNotMatch(body, new RegExp(`${reader.space}/secret`))
    const text = loss.credential ? await rest(all) : await readUntil(all, `after-${reader.space}`)
    assert.doesNotMatch(text, new RegExp(`${reader.space}/secret`))
    const updated = loss.credential ? await rest(updates) : await readUntil(updates, `after-${reader.space}`)
    assert.doesNotMatch(updated, new RegExp(`${reader.space}/secret`))
  })

  test(`when ${loss.name}, a download is aborted, and a call of an agent is rejected`, async () => {
    const reader = await newReader(loss, 'big')
    const agent = loss.cookie ? undefined : await connectAgent(nodes.admins[1].base, reader.secret)
    const page = { space: 'big', path: 'p0', fromLine: 1 }
    await agent?.data('context_get_page', page)
    const download = await open(reader, '/spaces/big/export', { accept: 'application/json' })
    assert.equal(download.status, 200)
    await loss.lose(reader)
    let bytes = 0
    await assert.rejects(async () => {
      for await (const chunk of download.body ?? []) {
        bytes += chunk.length
        // A slow reader: at this pace the complete download would take fifteen seconds.
        await delay(50)
      }
    }, /terminated/)
    assert.ok(bytes < PAGES * BYTES, `${bytes} bytes`)
    if (loss.credential) await assert.rejects(async () => agent?.data('context_get_page', page) ?? rejected())
    else await agent?.rejected('not_found', 'context_get_page', page)
  })
}

function rejected(): never {
  throw new Error('there is no agent of a session')
}

/** The response up to and including a word. */
async function readUntil(response: Response, word: string): Promise<string> {
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString()
    if (text.includes(word)) break
  }
  return text
}
