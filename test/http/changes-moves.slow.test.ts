import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connectAgent, textOf } from '../support/agent.ts'
import { assertStatus, type Client } from '../support/client.ts'
import { endOfFeed } from '../support/feed.ts'
import { newOwner, newPerson } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { type Service, startService } from '../support/service.ts'

// Decisions, section 7: what leaves a space is told there, and `from` and `to` only to those who may read that space.
let service: Service
let member: Client
before(async () => {
  service = await startService({ SVC_WEBHOOKS_ALLOW_HTTP: '1', SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1' })
  await service.admin.space('end')
  member = (await newOwner(service.admin, 'Mia')).client
})
after(() => service[Symbol.asyncDispose]())

const ANY = { 'if-match': '*' }

// biome-ignore lint/suspicious/noExplicitAny: events of every shape
type Item = any

const now = () => endOfFeed(service.admin, { space: 'end' })

const move = async (resource: string, space: string, path: string) =>
  assertStatus(await service.admin.post(`/${resource}/move`, { to: { space, path } }, ANY), 200)

const at = (place?: { space: string; path: string }) => (place ? `${place.space}/${place.path}` : null)

/** An event as its kind, its subject and its other place. */
const told = ({ event, page, file, from, to }: Item) => [event, at(page ?? file), at(from), at(to)]

/** The moves and deletions that a caller reads, up to now. */
async function read(client: Client, since: string, more = ''): Promise<unknown[]> {
  await now()
  const { items } = assertStatus(await client.get(`/changes?since=${since}${more}`), 200).json
  return items.filter(({ page }: Item) => page?.space !== 'end').map(told)
}

/**
 * An open space and a private one with a page and a file each, a folder in the private one, and the position after all.
 */
async function makePair(open: string, hidden: string) {
  await service.admin.space(open)
  await service.admin.space(hidden, { visibility: 'private' })
  for (const slug of [open, hidden]) {
    await service.admin.put(`/pages/${slug}/secret/plan`, '# Plan')
    await service.admin.put(`/files/${slug}/secret/a.txt`, slug, { 'if-none-match': '*' })
  }
  return now()
}

test('what comes from a space is told with `from` only to those who can read that space', async () => {
  const since = await makePair('in-open', 'in-hidden')
  const waiting = member.get(`/changes?since=${since}&space=in-open&wait=30`)
  await move('pages/in-hidden/secret/plan', 'in-open', 'plan')
  await move('files/in-hidden/secret/a.txt', 'in-open', 'b.txt')
  assert.deepEqual(told((await waiting).json.items[0]), ['page.moved', 'in-open/plan', null, null])
  assert.deepEqual(await read(member, since), [
    ['page.moved', 'in-open/plan', null, null],
    ['file.moved', 'in-open/b.txt', null, null],
  ])
  const whole = [
    ['page.moved', 'in-open/plan', 'in-hidden/secret/plan', null],
    ['file.moved', 'in-open/b.txt', 'in-hidden/secret/a.txt', null],
  ]
  assert.deepEqual(await read(service.admin, since), whole)
  assert.deepEqual(await read(service.admin, since, '&space=in-open'), whole)
  await service.admin.patch('/spaces/in-hidden', { slug: 'in-renamed' })
  assert.deepEqual((await read(service.admin, since, '&kinds=page.moved'))[0], [
    'page.moved',
    'in-open/plan',
    'in-renamed/secret/plan',
    null,
  ])
})

test('what leaves a space has moved for those who can read where it is, and is deleted there for all others', async () => {
  const since = await makePair('out-open', 'out-hidden')
  const waiting = member.get(`/changes?since=${since}&space=out-open&wait=30`)
  await move('pages/out-open/secret/plan', 'out-hidden', 'x/plan')
  await move('files/out-open/secret/a.txt', 'out-hidden', 'x/a.txt')
  assert.deepEqual(told((await waiting).json.items[0]), ['page.deleted', 'out-open/secret/plan', null, null])
  const gone = [
    ['page.deleted', 'out-open/secret/plan', null, null],
    ['file.deleted', 'out-open/secret/a.txt', null, null],
  ]
  for (const more of ['', '&space=out-open', '&kinds=page.deleted,file.deleted', '&movesAway=true']) {
    assert.deepEqual(await read(member, since, more), gone, more)
  }
  assert.deepEqual(await read(member, since, '&kinds=page.moved,file.moved'), [])
  // A caller who sees both spaces reads of a move once; of one space, where it went.
  assert.deepEqual(await read(service.admin, since), [
    ['page.moved', 'out-hidden/x/plan', 'out-open/secret/plan', null],
    ['file.moved', 'out-hidden/x/a.txt', 'out-open/secret/a.txt', null],
  ])
  assert.deepEqual(await read(service.admin, since, '&space=out-open&kinds=page.moved,file.moved'), [
    ['page.moved', 'out-open/secret/plan', null, 'out-hidden/x/plan'],
    ['file.moved', 'out-open/secret/a.txt', null, 'out-hidden/x/a.txt'],
  ])
  assert.deepEqual(await read(service.admin, since, '&kinds=page.deleted'), [])
})

test('a page that moves to a personal space is deleted for others, and its owner is told where it is', async () => {
  const since = await makePair('own-open', 'own-hidden')
  await move('pages/own-open/secret/plan', 'personal', 'plan')
  assert.deepEqual(await read(member, since), [['page.deleted', 'own-open/secret/plan', null, null]])
  assert.deepEqual(await read(service.admin, since, '&space=own-open'), [
    ['page.moved', 'own-open/secret/plan', null, 'personal/plan'],
  ])
  await move('pages/personal/plan', 'own-open', 'back')
  assert.deepEqual((await read(member, since)).at(-1), ['page.moved', 'own-open/back', null, null])
})

test('streams, folder moves and agents follow the same rule', async () => {
  const since = await makePair('flow-open', 'flow-hidden')
  const stream = await fetch(`${member.base}/changes?since=${since}`, {
    headers: { authorization: `Bearer ${member.key}`, accept: 'text/event-stream' },
  })
  const folder = { path: 'secret', to: { space: 'flow-open', path: 'in' } }
  assertStatus(await service.admin.post('/spaces/flow-hidden/move-folder', folder), 200)
  await move('pages/flow-open/secret/plan', 'flow-hidden', 'away')
  await now()
  let text = ''
  for await (const chunk of stream.body ?? []) {
    text += Buffer.from(chunk).toString()
    if (text.includes('page.deleted')) break
  }
  const streamed = [...text.matchAll(/^data: (.*)\n/gm)].map(([, json]) => told(JSON.parse(json ?? '')))
  const expected = [
    ['file.moved', 'flow-open/in/a.txt', null, null],
    ['page.moved', 'flow-open/in/plan', null, null],
    ['page.deleted', 'flow-open/secret/plan', null, null],
  ]
  assert.deepEqual(streamed.slice(0, 3), expected)
  await using agent = await connectAgent(member.base, member.key)
  const { items } = await agent.data('context_get_changes', { space: 'flow-open' })
  assert.deepEqual(items.slice(-3).map(told), expected)
  await using root = await connectAgent(service.admin.base, service.admin.key)
  const lines = textOf(await root.call('context_get_changes', { space: 'flow-open', kinds: ['page.moved'] }))
  assert.match(lines, /page\.moved flow-open\/in\/plan from flow-hidden\/secret\/plan/)
  assert.match(lines, /page\.moved flow-open\/secret\/plan to flow-hidden\/away/)
})

test('a webhook of one space is told of what leaves it as deleted, and of no place outside of it', async () => {
  await makePair('hook-open', 'hook-hidden')
  await using one = await startReceiver()
  await using all = await startReceiver()
  const subscribe = async (url: string, more: object) =>
    assertStatus(await service.admin.post('/admin/webhooks', { url, events: ['*'], ...more }), 201)
  await subscribe(one.url, { spaceSlug: 'hook-open' })
  await subscribe(all.url, {})
  await move('pages/hook-open/secret/plan', 'hook-open', 'a "quoted" plan')
  await move('pages/hook-open/a "quoted" plan', 'hook-hidden', 'away')
  await move('pages/hook-hidden/away', 'hook-open', 'back')
  await move('files/hook-open/secret/a.txt', 'hook-hidden', 'b.txt')
  await move('pages/hook-open/back', 'personal', 'mine')
  await move('pages/personal/mine', 'hook-open', 'again')
  const sorted = (items: readonly Item[]) => items.map(({ json }) => JSON.stringify(told(json))).sort()
  const rows = (list: unknown[][]) => list.map((row) => JSON.stringify(row)).sort()
  await one.nth(6)
  await all.nth(6)
  assert.deepEqual(
    sorted(one.received),
    rows([
      ['page.moved', 'hook-open/a "quoted" plan', 'hook-open/secret/plan', null],
      ['page.deleted', 'hook-open/a "quoted" plan', null, null],
      ['page.moved', 'hook-open/back', null, null],
      ['file.deleted', 'hook-open/secret/a.txt', null, null],
      ['page.deleted', 'hook-open/back', null, null],
      ['page.moved', 'hook-open/again', null, null],
    ]),
  )
  for (const { body } of one.received) assert.doesNotMatch(body, /hook-hidden|personal|away|mine|b\.txt/)
  assert.deepEqual(
    sorted(all.received),
    rows([
      ['page.moved', 'hook-open/a "quoted" plan', 'hook-open/secret/plan', null],
      ['page.moved', 'hook-hidden/away', 'hook-open/a "quoted" plan', null],
      ['page.moved', 'hook-open/back', 'hook-hidden/away', null],
      ['file.moved', 'hook-hidden/b.txt', 'hook-open/secret/a.txt', null],
      ['page.deleted', 'hook-open/back', null, null],
      ['page.moved', 'hook-open/again', null, null],
    ]),
  )
})

test('a space that is opened, or joined, shows nothing of before that it does not show itself', async () => {
  const { admin } = service
  const early = await newPerson(admin, 'Early')
  const late = await newPerson(admin, 'Late')
  const grouped = await newPerson(admin, 'Grouped')
  await admin.space('layoffs', { visibility: 'private', name: 'Layoffs' })
  assertStatus(await admin.call('PUT', `/spaces/layoffs/members/${early.id}`, { json: { role: 'viewer' } }), 201)
  assertStatus(await admin.patch('/spaces/layoffs', { slug: 'handbook', name: 'Handbook' }), 200)
  for (const path of ['names', 'drafts/bob', 'kept']) await admin.put(`/pages/handbook/${path}`, '# Title')
  await admin.put('/files/handbook/pay.csv', 'x', { 'if-none-match': '*' })
  await admin.patch('/pages/handbook/names/metadata', { set: { severance: 1 } })
  assertStatus(await admin.delete('/pages/handbook/names?purge=true', ANY), 204)
  assertStatus(await admin.delete('/files/handbook/pay.csv?purge=true', ANY), 204)
  // Another file takes its path: nothing tells the bytes of the former one, even where they are the same.
  for (const bytes of ['names and pay', 'x']) {
    await admin.put('/files/handbook/plan.csv', bytes, { 'if-none-match': '*' })
    assertStatus(await admin.delete('/files/handbook/plan.csv?purge=true', ANY), 204)
  }
  await admin.put('/files/handbook/plan.csv', 'x', { 'if-none-match': '*' })
  await move('pages/handbook/drafts/bob', 'handbook', 'people')
  await service.admin.space('vault', { visibility: 'private' })
  await admin.put('/pages/handbook/sold', 'x')
  await move('pages/handbook/sold', 'vault', 'sold')
  assertStatus(await admin.call('PUT', `/spaces/handbook/members/${late.id}`, { json: { role: 'viewer' } }), 201)
  const group = assertStatus(await admin.post('/admin/groups', { name: 'Readers' }), 201).json.id
  assertStatus(await admin.call('PUT', `/spaces/handbook/groups/${group}`, { json: { role: 'viewer' } }), 201)
  assertStatus(await admin.call('PUT', `/admin/groups/${group}/members/${grouped.id}`), 201)
  const secrets = /layoffs|names|severance|pay\.csv|bob|vault|sold/i
  const opened = async (client: Client) => {
    await now()
    const { text, json } = assertStatus(await client.get('/changes?space=handbook&limit=200'), 200)
    assert.doesNotMatch(text, secrets)
    return json.items.map((item: Item) => `${item.event} ${(item.page ?? item.file)?.path ?? item.space.name}`)
  }
  const present = ['space.created Handbook', 'page.created kept', 'file.created plan.csv', 'page.moved people']
  assert.deepEqual(await opened(late.client), present)
  assert.deepEqual(await opened(grouped.client), present)
  assertStatus(await admin.patch('/spaces/handbook', { visibility: 'org' }), 200)
  await admin.put('/pages/handbook/kept', 'new', ANY)
  const after = [...present, 'space.updated Handbook', 'page.updated kept']
  assert.deepEqual(await opened(member), after)
  assert.doesNotMatch((await member.get('/changes?limit=200')).text, secrets)
  // Whoever could read it then is told of everything.
  for (const client of [early.client, admin]) {
    const { text } = await client.get('/changes?space=handbook&limit=200')
    for (const word of ['layoffs', 'names', 'severance', 'pay.csv', 'drafts/bob', 'sold']) {
      assert.ok(text.includes(word), word)
    }
  }
})
