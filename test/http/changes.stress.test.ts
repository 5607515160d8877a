import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { endOfFeed, readFeed, readFeedTo } from '../support/feed.ts'
import { newOwner } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let member: Client
before(async () => {
  service = await startService()
  await service.admin.space('docs')
  member = (await newOwner(service.admin, 'Mia', { scopes: ['write'] })).client
})
after(() => service[Symbol.asyncDispose]())

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Item = any

/** Everything behind a cursor, up to now. */
async function drain(client: Client, since: string, limit?: number): Promise<Item[]> {
  const options = { space: 'docs', writer: service.admin, ...(limit !== undefined && { limit }) }
  return (await readFeed(client, since, options)).events
}

/** The position behind all that was written before. */
const now = (client: Client): Promise<string> => endOfFeed(client, { space: 'docs', writer: service.admin })

test('the feed returns every event in order, with the members of a webhook body', async () => {
  const since = await now(service.admin)
  await service.admin.put('/pages/docs/a', '# A')
  await service.admin.put('/pages/docs/a', '# A2', { 'if-match': '"1"' })
  await service.admin.patch('/pages/docs/a/metadata', { set: { status: 'done' } })
  await service.admin.space('more')
  const items = await drain(service.admin, since, 1)
  assert.deepEqual(
    items.map((item) => item.event),
    ['page.created', 'page.updated', 'page.metadata.updated', 'space.created'],
  )
  const { id, occurredAt, actor, page } = items[1]
  assert.match(id, /^[0-9a-f-]{36}$/)
  assert.ok(Date.parse(occurredAt) > 0)
  assert.equal(actor.name, 'Admin')
  assert.deepEqual(page, {
    space: 'docs',
    path: 'a',
    url: `${service.app.address}/pages/docs/a`,
    title: 'A2',
    version: 2,
  })
  assert.deepEqual(items[2].changedKeys, ['status'])
  assert.equal(items[3].space.slug, 'more')
})

test('the feed is filtered by kinds and space, and an invalid kind, cursor or wait is an error', async () => {
  const since = await now(service.admin)
  await service.admin.put('/pages/docs/k', 'x')
  await service.admin.put('/pages/more/k', 'x')
  await service.admin.put('/pages/more/k', 'y', { 'if-match': '*' })
  await now(service.admin)
  const paths = async (more: string) =>
    (await service.admin.get(`/changes?since=${since}${more}`)).json.items
      .filter((item: Item) => item.page.path === 'k')
      .map((item: Item) => `${item.page.space} ${item.event}`)
  assert.deepEqual(await paths('&space=more'), ['more page.created', 'more page.updated'])
  assert.deepEqual(await paths('&kinds=page.created'), ['docs page.created', 'more page.created'])
  assertProblem(await service.admin.get('/changes?kinds=page.read'), 400, 'invalid_request')
  assertProblem(await service.admin.get('/changes?since=xyz'), 400, 'invalid_cursor')
  assertProblem(await service.admin.get('/changes?wait=31'), 400, 'invalid_request')
  assertProblem(await service.admin.get('/changes?space=nowhere'), 404, 'not_found')
})

test('the feed has visible events only: none of private spaces, and those of personal ones for their owner only', async () => {
  await service.admin.space('secret', { visibility: 'private' })
  const [adminSince, memberSince] = [await now(service.admin), await now(member)]
  await service.admin.put('/pages/secret/x', 'x')
  await service.admin.put('/pages/personal/mine', 'x')
  await member.put('/pages/personal/theirs', 'x')
  await service.admin.put('/pages/docs/open', 'x')
  const told = async (client: Client, since: string) =>
    (await drain(client, since)).map((item) => `${item.page.space}/${item.page.path}`)
  assert.deepEqual(await told(member, memberSince), ['personal/theirs', 'docs/open'])
  assert.deepEqual(await told(service.admin, adminSince), ['secret/x', 'personal/mine', 'docs/open'])
})

test('wait holds the request until there is a change', async () => {
  const since = await now(service.admin)
  const waiting = service.admin.get(`/changes?since=${since}&wait=30`)
  await service.admin.put('/pages/docs/awaited', 'x')
  assert.equal((await waiting).json.items[0].page.path, 'awaited')
  const nothing = await service.admin.get(`/changes?since=${await now(service.admin)}&wait=1`)
  assert.deepEqual(nothing.json.items, [])
})

/** Reads a stream until `done` says so of what came. */
async function readStream(
  client: Client,
  path: string,
  done: (ids: string[]) => boolean,
  { last, onOpen }: { readonly last?: string | undefined; readonly onOpen?: () => void } = {},
) {
  const abort = new AbortController()
  const response = await fetch(client.base + path, {
    signal: abort.signal,
    headers: {
      authorization: `Bearer ${client.key}`,
      accept: 'text/event-stream',
      ...(last !== undefined && { 'last-event-id': last }),
    },
  })
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/)
  onOpen?.()
  let text = ''
  const cursors = () => [...text.matchAll(/^id: (.*)\n/gm)].map((match) => match[1] ?? '')
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString()
    if (text.endsWith('\n\n') && done(cursors())) break
  }
  abort.abort()
  const items = [...text.matchAll(/^data: (.*)\n/gm)].map((match) => JSON.parse(match[1] ?? ''))
  return { items: items as Item[], cursors: cursors() }
}

test('a stream of Server-Sent Events continues from Last-Event-ID', async () => {
  const since = await now(service.admin)
  const first = readStream(service.admin, `/changes?since=${since}`, (ids) => ids.length >= 2)
  for (const n of [1, 2, 3]) await service.admin.put(`/pages/docs/stream-${n}`, 'x')
  const { items, cursors } = await first
  assert.deepEqual(
    items.slice(0, 2).map((item) => item.page.path),
    ['stream-1', 'stream-2'],
  )
  const rest = await readStream(service.admin, '/changes', (ids) => ids.length >= 1, { last: cursors[0] })
  assert.equal(rest.items[0].page.path, 'stream-2')
})

test('a stream ends when its key is revoked', async () => {
  const me = (await service.admin.get('/me')).json
  const body = { principal: me.id, name: 'short-lived', scopes: ['read'] }
  const made = assertStatus(await service.admin.post('/admin/api-keys', body), 201).json
  const since = await now(service.admin)
  const open = Promise.withResolvers<void>()
  const reading = readStream(service.as(made.secret), `/changes?since=${since}`, () => false, { onOpen: open.resolve })
  await Promise.race([open.promise, reading])
  await service.admin.delete(`/admin/api-keys/${made.apiKey.id}`)
  assert.deepEqual((await reading).items, [])
})

test('under concurrent writers all readers, whenever they start, get the same events in the same order, none twice', async () => {
  const since = await now(service.admin)
  const readers = Array.from({ length: 4 }, async () => {
    const { events } = await readFeedTo('last', service.admin, since, 7)
    return events.map((item) => item.id)
  })
  let written = 0
  await Promise.all(
    Array.from({ length: 50 }, async (_, writer) => {
      for (let n = 0; n < 12; n++) {
        const path = `/pages/docs/busy-${writer % 10}`
        const answer =
          n % 3 === 2
            ? await service.admin.patch(`${path}/metadata`, { set: { [`k${writer}`]: n } })
            : await service.admin.put(path, `${writer} ${n}`, n === 0 ? { 'if-none-match': '*' } : { 'if-match': '*' })
        if (answer.status < 300) written++
      }
    }),
  )
  await service.admin.put('/pages/docs/last', 'x')
  const seen = await Promise.all(readers)
  const { events: items } = await readFeedTo('last', service.admin, since, 200)
  const ids = items.map((item) => item.id)
  assert.equal(ids.length, written)
  assert.equal(new Set(ids).size, ids.length)
  for (const each of seen) assert.deepEqual(each, ids)
  const versions = new Map<string, number>()
  for (const { event, page } of items.filter((item) => item.event !== 'page.metadata.updated')) {
    assert.equal(page.version, (versions.get(page.path) ?? 0) + 1, `${event} of ${page.path}`)
    versions.set(page.path, page.version)
  }
})

test('open streams end when the service stops', async () => {
  const response = await fetch(`${service.app.address}/changes?since=${await now(service.admin)}`, {
    headers: { authorization: `Bearer ${service.admin.key}`, accept: 'text/event-stream' },
  })
  const begun = performance.now()
  assert.equal(response.headers.get('cache-control'), 'no-store, no-transform')
  const [text] = await Promise.all([response.text(), service.restart()])
  assert.match(text, /^retry: 1000\n\n$/)
  assert.ok(performance.now() - begun < 25_000, 'waiting readers hold up the end')
})
