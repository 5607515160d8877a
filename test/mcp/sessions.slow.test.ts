import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { streamEvents } from '@recto/client/transport/event-stream.ts'
import { connectAgent } from '../support/agent.ts'
import { type Answer, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson, type Person } from '../support/people.ts'

// Clients before the revision 2026-07-28 subscribe in a session. Its requests go to one node, its stream is at the
// other.

let nodes: Nodes
let admin: Client

before(async () => {
  nodes = await startNodes({ SVC_MAX_STREAMS_PER_KEY: '3' })
  admin = nodes.admins[0]
  await admin.space('docs')
  await admin.space('secret', { visibility: 'private' })
  for (const page of ['docs/a', 'docs/b', 'secret/s']) {
    assertStatus(await admin.put(`/pages/${page}`, `# ${page}\n`), 201)
  }
})
after(() => nodes[Symbol.asyncDispose]())
// A transaction of another test holds back the latest events: a stream that begins now would have them as well.
beforeEach(() =>
  until(async () => {
    const { rows } = await nodes.query('select max(transaction_id) < feed_horizon() as read from event')
    return rows[0].read === true
  }),
)

async function change(page: string): Promise<void> {
  const edits = [{ op: 'append', text: 'more' }]
  assertStatus(await admin.patch(`/pages/${page}`, { edits }, { 'if-match': '*' }), 200)
}

function newReader(): Promise<Person> {
  return newPerson(admin, 'Reader', { kind: 'agent', scopes: ['read'] })
}

function uriOf(page: string): string {
  return `recto://pages/${page}`
}

function message(method: string, params: object = {}) {
  return { jsonrpc: '2.0', id: 1, method, params }
}

const MCP = { accept: 'application/json, text/event-stream' }

/** The message of a response, which is an event of a stream. */
function answerIn({ text }: Answer) {
  return JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? text)
}

/** A session, whose requests go to the first node and whose streams are at the second. */
async function newSession(key: string) {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const first = nodes.as(0, key)
  const { headers, text } = assertStatus(await first.post('/mcp', message('initialize', params), MCP), 200)
  assert.match(text, /"resources":\{"subscribe":true\}/)
  const id = headers.get('mcp-session-id') ?? ''
  const send = async (method: string, page: string) =>
    answerIn(await first.post('/mcp', message(method, { uri: uriOf(page) }), { ...MCP, 'mcp-session-id': id }))
  return {
    id,
    async subscribe(page: string) {
      assert.deepEqual((await send('resources/subscribe', page)).result, {})
    },
    async unsubscribe(page: string) {
      assert.deepEqual((await send('resources/unsubscribe', page)).result, {})
    },
    rejected: async (page: string) => (await send('resources/subscribe', page)).error,
    open: (last?: string) => openStream(key, id, last),
  }
}

/** A stream of a session at the second node, and what it has sent. */
async function openStream(key: string, session: string, last?: string) {
  const abort = new AbortController()
  const response = await fetch(`${nodes.as(1, undefined).base}/mcp`, {
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${key}`,
      'mcp-session-id': session,
      'mcp-protocol-version': '2025-11-25',
      ...(last !== undefined && { 'last-event-id': last }),
    },
    signal: abort.signal,
  })
  if (response.status === 200) assert.equal(response.headers.get('cache-control'), 'no-store, no-transform')
  const updated: string[] = []
  const seen = { last: '', ended: false }
  const read = async () => {
    for await (const { id, data } of streamEvents(response.body ?? new ReadableStream())) {
      seen.last = id ?? seen.last
      if (data !== '') updated.push(JSON.parse(data).params.uri.replace('recto://pages/', ''))
    }
  }
  const reading = read()
    .catch(() => {})
    .finally(() => {
      seen.ended = true
    })
  const close = () => {
    abort.abort()
    return reading
  }
  return { response, updated, seen, close }
}

/** Waits until everything before it was heard: a change of this page comes last. */
async function heardAll({ updated }: { readonly updated: readonly string[] }): Promise<readonly string[]> {
  const count = () => updated.filter((page) => page === 'docs/b').length
  const before = count()
  await change('docs/b')
  await until(() => count() > before)
  return updated.filter((page) => page !== 'docs/b')
}

for (const [major, connect] of [
  ['first', connectFirst],
  ['second', connectSecond],
] as const) {
  test(`the official client of the ${major} major version hears of changes to what it has subscribed`, async () => {
    const reader = await newReader()
    const updated: string[] = []
    await using client = await connect(reader.key, (uri) => updated.push(uri.replace('recto://pages/', '')))
    for (const page of ['docs/a', 'docs/b']) await client.subscribeResource({ uri: uriOf(page) })
    // The client opens its stream on its own.
    const streams = () =>
      nodes.query('select 1 from mcp_session where principal_id = $1 and stream_id is not null', [reader.id])
    await until(async () => (await streams()).rows.length === 1)
    await change('docs/a')
    assert.deepEqual(await heardAll({ updated }), ['docs/a'])
    const { number } = assertStatus(await admin.post('/spaces/docs/change-requests', { title: 'T' }), 201).json
    const uri = `recto://change-requests/docs/${number}`
    await client.subscribeResource({ uri })
    assertStatus(await admin.post(`/spaces/docs/change-requests/${number}/close`), 200)
    await until(() => updated.includes(uri))
    await client.unsubscribeResource({ uri: uriOf('docs/a') })
    await change('docs/a')
    assert.deepEqual(
      (await heardAll({ updated })).filter((each) => each !== uri),
      ['docs/a'],
    )
  })
}

async function connectFirst(key: string, onUpdate: (uri: string) => void) {
  const transport = new FirstTransport(new URL('/mcp', nodes.admins[0].base), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  })
  const client = new FirstClient({ name: 'test', version: '1' })
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => onUpdate(params.uri))
  await client.connect(transport as Parameters<typeof client.connect>[0]) // the SDK is not compiled with exactOptionalPropertyTypes
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}

async function connectSecond(key: string, onUpdate: (uri: string) => void) {
  const agent = await connectAgent(nodes.admins[0].base, key)
  agent.client.setNotificationHandler('notifications/resources/updated', ({ params }) => onUpdate(params.uri))
  return Object.assign(agent.client, { [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose]() })
}

test('a session hears at another node of its pages and spaces, also of moves, but not of metadata', async () => {
  const session = await newSession((await newReader()).key)
  const stream = await session.open()
  for (const page of ['docs/a', 'docs/b', 'docs']) await session.subscribe(page)
  await change('docs/a')
  await admin.patch('/pages/docs/a/metadata', { set: { status: 'x' } })
  // Changes that are read together are one notification of their space.
  assert.deepEqual([...new Set(await heardAll(stream))].toSorted(), ['docs', 'docs/a'])
  stream.updated.length = 0
  await session.unsubscribe('docs')
  const move = (from: string, path: string) =>
    admin.post(`/pages/docs/${from}/move`, { to: { space: 'docs', path } }, { 'if-match': '*' })
  assertStatus(await move('a', 'c'), 200)
  assert.deepEqual(await heardAll(stream), ['docs/a'])
  assertStatus(await move('c', 'a'), 200)
  await stream.close()
})

test('a session hears nothing of pages that its caller cannot read, nor of those that it can read no more', async () => {
  const reader = await newReader()
  const session = await newSession(reader.key)
  const stream = await session.open()
  for (const page of ['docs/b', 'secret/s', 'secret', 'secret/none']) await session.subscribe(page)
  // Another session of this node may hear of it.
  const other = await newSession(admin.key ?? '')
  const admins = await other.open()
  for (const page of ['docs/b', 'secret/s']) await other.subscribe(page)
  await change('secret/s')
  assert.deepEqual(await heardAll(stream), [])
  await until(() => admins.updated.includes('secret/s'))
  const member = `/spaces/secret/members/${reader.id}`
  assertStatus(await admin.call('PUT', member, { json: { role: 'viewer' } }), 201)
  await change('secret/s')
  assert.deepEqual((await heardAll(stream)).toSorted(), ['secret', 'secret/s'])
  stream.updated.length = 0
  assertStatus(await admin.delete(member), 204)
  await change('secret/s')
  assert.deepEqual(await heardAll(stream), [])
  assertStatus(await admin.delete(`/admin/api-keys/${reader.keyId}`), 204)
  await until(() => stream.seen.ended)
  await admins.close()
})

test('a client that resumes its stream hears of what changed in between', async () => {
  const session = await newSession((await newReader()).key)
  await session.subscribe('docs/a')
  await session.subscribe('docs/b')
  const first = await session.open()
  await until(() => first.seen.last !== '')
  await first.close()
  await change('docs/a')
  const resumed = await session.open(first.seen.last)
  assert.deepEqual(await heardAll(resumed), ['docs/a'])
  await resumed.close()
})

test('the latest stream of a session gets the notifications, and an earlier one ends', async () => {
  const session = await newSession((await newReader()).key)
  await session.subscribe('docs/b')
  const earlier = await session.open()
  const latest = await session.open()
  assert.deepEqual(await heardAll(latest), [])
  await until(() => earlier.seen.ended)
  assert.deepEqual(earlier.updated, [])
  await latest.close()
})

test('a session is of one caller; without one there is no stream and no subscription', async () => {
  const [reader, other] = [await newReader(), await newReader()]
  const session = await newSession(reader.key)
  await session.subscribe('docs/a')
  assert.equal((await openStream(other.key, session.id)).response.status, 404)
  const forged = `${session.id.slice(0, -1)}${session.id.endsWith('a') ? 'b' : 'a'}`
  for (const unknown of ['no session', randomUUID(), forged, '']) {
    const { response } = await openStream(reader.key, unknown)
    assert.equal(response.status, 404, unknown)
  }
  const body = message('resources/subscribe', { uri: uriOf('docs/a') })
  const subscribe = async (headers: Record<string, string>) =>
    answerIn(await nodes.as(0, other.key).post('/mcp', body, { ...MCP, ...headers })).error.message
  assert.match(await subscribe({}), /Mcp-Session-Id/)
  assert.match(await subscribe({ 'mcp-session-id': session.id }), /does not exist/)
  for (const method of ['GET', 'DELETE', 'HEAD']) {
    const { status, headers } = await nodes.as(0, reader.key).call(method, '/mcp')
    assert.deepEqual([status, headers.get('mcp-session-id')], [405, null], method)
  }
  assertStatus(await nodes.as(0, undefined).call('GET', '/mcp', { headers: { 'mcp-session-id': session.id } }), 401)
})

test('streams of sessions, subscriptions of a session and sessions of a principal are bounded', async () => {
  const reader = await newReader()
  const sessions = await Promise.all([1, 2, 3, 4].map(() => newSession(reader.key)))
  const [one, , , fourth] = sessions
  const open = await Promise.all(sessions.slice(0, 3).map((session) => session.open()))
  assert.equal((await fourth?.open())?.response.status, 429)
  assert.match((await one?.rejected('x'.repeat(5_000)))?.message, /4000 characters/)
  assert.match((await one?.rejected('UPPER CASE'))?.message, /does not exist/)
  await nodes.query(
    `insert into mcp_subscription (session_id, resource, uri) select $1, 'docs/' || n, '' from generate_series(1, 1000) n`,
    [one?.id],
  )
  assert.match((await one?.rejected('docs/a'))?.message, /at most 1000 subscriptions/)
  await one?.subscribe('docs/7')
  await nodes.query(
    `insert into mcp_session (id, principal_id, expires_at)
      select gen_random_uuid(), $1, now() from generate_series(1, 600)`,
    [reader.id],
  )
  await fourth?.subscribe('docs/a')
  const { rows } = await nodes.query('select id from mcp_session where principal_id = $1', [reader.id])
  assert.equal(rows.length, 500)
  for (const { id } of sessions) assert.ok(rows.some((row) => row.id === id))
  for (const stream of open) await stream.close()
})

test('a stream whose session was deleted ends with the next change', async () => {
  const session = await newSession((await newReader()).key)
  await session.subscribe('docs/b')
  const stream = await session.open()
  await nodes.query('delete from mcp_session where id = $1', [session.id])
  await change('docs/b')
  await until(() => stream.seen.ended)
  assert.deepEqual(stream.updated, [])
})
