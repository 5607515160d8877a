import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connectAgent } from '../support/agent.ts'
import { assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { endOfFeed } from '../support/feed.ts'
import { newPerson, type Person } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { type Service, startService } from '../support/service.ts'

// Decisions, sections 7 and 17: an event of a page or file is told to whoever may read its path now.
let service: Service
let admin: Client
let ada: Person
let bob: Person
before(async () => {
  service = await startService({ SVC_WEBHOOKS_ALLOW_HTTP: '1', SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1' })
  admin = service.admin
  await admin.space('end')
  ada = await newPerson(admin, 'Ada')
  bob = await newPerson(admin, 'Bob')
})
after(() => service[Symbol.asyncDispose]())

const ANY = { 'if-match': '*' }

// biome-ignore lint/suspicious/noExplicitAny: events of every shape
type Item = any

const now = () => endOfFeed(admin, { space: 'end' })

async function setRule(space: string, prefix: string, read: readonly Person[] | 'inherit'): Promise<void> {
  const list = read === 'inherit' ? read : read.map(({ id }) => ({ principal: id }))
  const answer = await admin.call('PUT', `/spaces/${space}/rules/${prefix}`, { json: { read: list, write: 'inherit' } })
  assert.ok(answer.status < 300, answer.text)
}

const move = async (resource: string, space: string, path: string) =>
  assertStatus(await admin.post(`/${resource}/move`, { to: { space, path } }, ANY), 200)

const at = (place?: { space: string; path: string }) => (place ? `${place.space}/${place.path}` : null)

/** An event as its kind, its subject and its other place. */
const told = ({ event, page, file, space, from, to }: Item) => [event, at(page ?? file) ?? space.slug, at(from), at(to)]

/** The events of a space that a caller reads, up to now. */
async function read(client: Client, since: string, more = ''): Promise<unknown[]> {
  await now()
  const { items } = assertStatus(await client.get(`/changes?since=${since}${more}&limit=200`), 200).json
  return items.filter(({ page }: Item) => page?.space !== 'end')
}

/** A space with much to see, and in one of two, something to hide in each kind of change. */
async function fill(space: string, isHiding: boolean): Promise<void> {
  await admin.space(space, { defaultRole: 'editor' })
  const folders = isHiding ? ['', 'hr/', 'hr/open/', 'hr/open/deep/'] : ['', 'hr/open/']
  if (isHiding) await setRule(space, 'hr', [ada])
  if (isHiding) await setRule(space, 'hr/open', [ada, bob])
  if (isHiding) await setRule(space, 'hr/open/deep', [ada])
  for (const folder of folders) {
    await admin.put(`/pages/${space}/${folder}plan`, '# Plan')
    await admin.put(`/pages/${space}/${folder}plan`, '# Plan 2', ANY)
    await admin.patch(`/pages/${space}/${folder}plan/metadata`, { set: { status: 'x' } })
    await admin.put(`/files/${space}/${folder}a.txt`, 'a', { 'if-none-match': '*' })
    await move(`pages/${space}/${folder}plan`, space, `${folder}moved`)
    await move(`files/${space}/${folder}a.txt`, space, `${folder}b.txt`)
    assertStatus(await admin.delete(`/pages/${space}/${folder}moved`, ANY), 204)
    assertStatus(await admin.delete(`/files/${space}/${folder}b.txt`, ANY), 204)
    await admin.put(`/pages/${space}/${folder}last`, '# Last')
  }
}

test('the feed of a space is the same to those from whom a folder is hidden as if the folder did not exist', async () => {
  const since = await now()
  await fill('full', true)
  await fill('twin', false)
  const strip = ({ id, occurredAt, ...item }: Item) => JSON.parse(JSON.stringify(item).replaceAll('full', 'twin'))
  for (const kinds of ['', '&kinds=page.deleted,file.deleted', '&kinds=page.moved']) {
    const [full, twin] = [
      await read(bob.client, since, `&space=full${kinds}`),
      await read(bob.client, since, `&space=twin${kinds}`),
    ]
    assert.ok(twin.length > 0)
    assert.deepEqual(full.map(strip), twin.map(strip), kinds)
  }
  // Ada and the admin see every event.
  for (const client of [ada.client, admin]) assert.equal((await read(client, since, '&space=full')).length, 37)
  await using agent = await connectAgent(bob.client.base, bob.key)
  const { items } = await agent.data('context_get_changes', { space: 'full', limit: 200 })
  assert.doesNotMatch(JSON.stringify(items), /hr\/(?!open\/)|deep/)
  // A rule that ends shows the present, and what the space itself showed at the time.
  await setRule('full', 'hr', 'inherit')
  assert.equal((await read(bob.client, since, '&space=full')).length, 28)
})

test('a page that moves across a rule is deleted for those who see the old place alone, and new for the others', async () => {
  await admin.space('across', { defaultRole: 'editor' })
  await setRule('across', 'hr', [ada])
  await setRule('across', 'board', [bob])
  const cleo = await newPerson(admin, 'Cleo')
  await using receiver = await startReceiver()
  await using wide = await startReceiver()
  const webhook = { events: ['*'] }
  assertStatus(await admin.post('/admin/webhooks', { ...webhook, url: receiver.url, spaceSlug: 'across' }), 201)
  assertStatus(await admin.post('/admin/webhooks', { ...webhook, url: wide.url }), 201)
  await admin.put('/pages/across/start', 'no heading')
  await admin.put('/files/across/start.txt', 'a', { 'if-none-match': '*' })
  const since = await now()
  const polls = [ada, bob, cleo].map(({ client }) => client.get(`/changes?since=${since}&space=across&wait=30`))
  const stream = await fetch(`${cleo.client.base}/changes?since=${since}`, {
    headers: { authorization: `Bearer ${cleo.key}`, accept: 'text/event-stream' },
  })
  await move('pages/across/start', 'across', 'hr/secret-name')
  const [adaPoll, bobPoll, cleoPoll] = (await Promise.all(polls)).map(
    (answer) => assertStatus(answer, 200).json.items[0],
  )
  assert.deepEqual(told(adaPoll), ['page.moved', 'across/hr/secret-name', 'across/start', null])
  for (const item of [bobPoll, cleoPoll]) assert.deepEqual(told(item), ['page.deleted', 'across/start', null, null])
  await move('files/across/start.txt', 'across', 'hr/s.txt')
  await move('pages/across/hr/secret-name', 'across', 'board/b')
  await move('pages/across/board/b', 'across', 'back')
  await move('files/across/hr/s.txt', 'across', 'back.txt')
  await admin.put('/pages/across/last', 'x')
  const adas = [
    ['page.moved', 'across/hr/secret-name', 'across/start', null],
    ['file.moved', 'across/hr/s.txt', 'across/start.txt', null],
    ['page.deleted', 'across/hr/secret-name', null, null],
    ['page.moved', 'across/back', null, null],
    ['file.moved', 'across/back.txt', 'across/hr/s.txt', null],
    ['page.created', 'across/last', null, null],
  ]
  const bobs = [
    ['page.deleted', 'across/start', null, null],
    ['file.deleted', 'across/start.txt', null, null],
    ['page.moved', 'across/board/b', null, null],
    ['page.moved', 'across/back', 'across/board/b', null],
    ['file.moved', 'across/back.txt', null, null],
    ['page.created', 'across/last', null, null],
  ]
  const cleos = [
    ['page.deleted', 'across/start', null, null],
    ['file.deleted', 'across/start.txt', null, null],
    ['page.moved', 'across/back', null, null],
    ['file.moved', 'across/back.txt', null, null],
    ['page.created', 'across/last', null, null],
  ]
  const whole = [
    ['page.moved', 'across/hr/secret-name', 'across/start', null],
    ['file.moved', 'across/hr/s.txt', 'across/start.txt', null],
    ['page.moved', 'across/board/b', 'across/hr/secret-name', null],
    ['page.moved', 'across/back', 'across/board/b', null],
    ['file.moved', 'across/back.txt', 'across/hr/s.txt', null],
    ['page.created', 'across/last', null, null],
  ]
  const expected = [
    [ada.client, adas],
    [bob.client, bobs],
    [cleo.client, cleos],
    [admin, whole],
  ] as const
  for (const [client, events] of expected) {
    for (const more of ['', '&space=across']) assert.deepEqual((await read(client, since, more)).map(told), events)
    for (const kind of ['page.deleted', 'page.moved', 'file.moved']) {
      const some = events.filter(([event]) => event === kind)
      assert.deepEqual((await read(client, since, `&space=across&kinds=${kind}`)).map(told), some)
    }
    assert.equal(
      (await client.get('/changes?space=across&limit=200')).text.includes('secret-name'),
      client !== cleo.client && client !== bob.client,
    )
  }
  let text = ''
  for await (const chunk of stream.body ?? []) {
    text += Buffer.from(chunk).toString()
    if (text.includes('"path":"last"')) break
  }
  const streamed = [...text.matchAll(/^data: (.*)\n/gm)].map(([, json]) => JSON.parse(json ?? ''))
  assert.deepEqual(streamed.filter(({ page }: Item) => page?.space !== 'end').map(told), cleos)
  // A webhook gets the events of its space whole, and each once.
  const byText = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).toSorted()
  for (const { received } of [receiver, wide]) {
    const moves = () => received.map(({ json }) => json).filter(({ event }: Item) => /moved|deleted/.test(event))
    await until(() => received.some(({ body }) => body.includes('"path":"last"')) && moves().length >= 5)
    assert.deepEqual(byText(moves().map(told)), byText(whole.slice(0, 5)))
  }
})

test('who follows the feed gets no event of a folder after a rule hides it', async () => {
  await admin.space('live', { defaultRole: 'editor' })
  await admin.put('/pages/live/hr/a', 'x')
  const agent = await connectAgent(service.app.address, bob.key, true)
  await using _ = agent
  const heard: string[] = []
  agent.client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri))
  await agent.client.listen({ resourceSubscriptions: ['live/hr/a', 'live/b'].map((page) => `recto://pages/${page}`) })
  await admin.put('/pages/live/hr/a', 'y', ANY)
  await until(() => heard.length === 1)
  await setRule('live', 'hr', [ada])
  const since = await now()
  const poll = bob.client.get(`/changes?since=${since}&space=live&wait=30`)
  await admin.put('/pages/live/hr/a', 'z', ANY)
  await admin.put('/pages/live/b', 'x')
  assert.deepEqual((await poll).json.items.map(told), [['page.created', 'live/b', null, null]])
  await until(() => heard.length === 2)
  assert.deepEqual(heard, ['recto://pages/live/hr/a', 'recto://pages/live/b'])
})
