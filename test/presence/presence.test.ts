import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sendForm, sessionCookieOf } from '../support/browser-session.ts'
import { assertProblem, assertStatus, Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson, type Person } from '../support/people.ts'

// An open page tells who has it open, and what changes of it (decisions, section 15).

let nodes: Nodes
let admin: Client
let ada: Person
let bob: Person
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
  ada = await newPerson(admin, 'Ada / L')
  bob = await newPerson(admin, 'Bob')
})
after(() => nodes[Symbol.asyncDispose]())

interface Told {
  readonly event: string
  readonly data: {
    readonly path?: string
    readonly version?: number
    readonly people?: readonly { readonly name: string; readonly state: string }[]
    readonly event?: string
    readonly page?: { readonly path: string; readonly version: number }
    readonly unread?: number
    readonly changeRequest?: { readonly number: number; readonly path?: string }
  }
}

interface OpenStream extends AsyncDisposable {
  readonly status: number
  readonly told: Told[]
  /** Waits until the people at a page are these. */
  people(path: string, ...expected: string[]): Promise<void>
  until(condition: (told: readonly Told[]) => boolean): Promise<void>
}

const signIn = async (person: Person) =>
  sessionCookieOf(assertStatus(await sendForm(new Client(admin.base, undefined), '/sign-in', { key: person.key }), 303))

/** Opens pages as a browser does: `reading=s/p`. */
async function open(base: string, headers: Record<string, string>, query: string): Promise<OpenStream> {
  const leaving = new AbortController()
  const response = await fetch(`${base}/presence?${query}`, {
    headers: { ...headers, accept: 'text/event-stream' },
    signal: leaving.signal,
  })
  const told: Told[] = []
  let wake = () => {}
  const read = async () => {
    let text = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      const frames = text.split('\n\n')
      text = frames.pop() ?? ''
      for (const frame of frames) {
        const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(frame) ?? []
        if (event !== undefined && data !== undefined) told.push({ event, data: JSON.parse(data) })
      }
      wake()
    }
  }
  const reading = response.ok ? read().catch(() => {}) : response.body?.cancel()
  const until = async (condition: (all: readonly Told[]) => boolean) => {
    while (!condition(told)) await new Promise<void>((resolve) => (wake = resolve))
  }
  return {
    status: response.status,
    told,
    until,
    people: (path, ...expected) =>
      until((all) => {
        const last = all.findLast(({ event, data }) => event === 'presence' && data.path === path)
        return last?.data.people?.map(({ name, state }) => `${name} ${state}`).join() === expected.join()
      }),
    async [Symbol.asyncDispose]() {
      leaving.abort()
      await reading
    },
  }
}

test('readers of a page are shown to each other, on all nodes, with what they do', { timeout: 30_000 }, async () => {
  await admin.space('p1')
  await admin.write('p1/a', '# A\n')
  const [first, second] = [nodes.admins[0].base, nodes.admins[1].base]
  const [adaCookie, bobCookie] = [await signIn(ada), await signIn(bob)]
  await using adas = await open(first, { cookie: adaCookie }, 'reading=p1/a')
  await adas.people('a')
  await using bobs = await open(second, { cookie: bobCookie }, 'editing=p1/a')
  await adas.people('a', 'Bob editing')
  await bobs.people('a', 'Ada / L reading')
  // The same without a stream.
  const { items } = assertStatus(await bob.client.get('/presence?page=p1/a&page=p1/nowhere'), 200).json
  assert.deepEqual(items, [
    { space: 'p1', path: 'a', version: 1, people: [{ id: ada.id, name: ada.name, state: 'reading' }] },
  ])
  // A second window of a person is no second person; its leaving leaves the first one.
  const window = await open(first, { cookie: bobCookie }, 'reading=p1/a')
  await window.people('a', 'Ada / L reading')
  await window[Symbol.asyncDispose]()
  // Neither agents and keys nor windows behind others are shown.
  await using keys = await open(first, { authorization: `Bearer ${bob.key}` }, 'reading=p1/a')
  await keys.people('a', 'Ada / L reading')
  await bobs[Symbol.asyncDispose]()
  await adas.people('a')
  await using behind = await open(second, { cookie: bobCookie }, 'page=p1/a')
  await behind.people('a', 'Ada / L reading')
  // A page that is named twice is one page, as what most is done with it, and leaves with its stream.
  const twice = await open(first, { cookie: bobCookie }, 'page=p1/a&editing=p1/a&reading=p1/a')
  await adas.people('a', 'Bob editing')
  await twice[Symbol.asyncDispose]()
  await adas.people('a')
})

/** Waits until the feed has the pages of a space: a stream also tells of what an older transaction holds back. */
async function untilTold(space: string, pages: number): Promise<void> {
  const created = async () => (await admin.get(`/changes?space=${space}&kinds=page.created`)).json.items
  await until(async () => (await created()).length === pages)
}

test('what changes of the open pages is told within two seconds, and of no others', { timeout: 30_000 }, async () => {
  await admin.space('p2')
  for (const path of ['a', 'b', 'c']) await admin.write(`p2/${path}`, `# ${path}\n`)
  await untilTold('p2', 3)
  await using stream = await open(nodes.admins[1].base, { cookie: await signIn(ada) }, 'reading=p2/a&page=p2/b')
  await stream.people('b')
  const since = performance.now()
  await admin.write('p2/c', '# c\n\nMore.\n')
  await admin.write('p2/a', '# a\n\nMore.\n')
  assertStatus(await admin.post('/pages/p2/b/move', { to: { path: 'd' } }, { 'if-match': '"1"' }), 200)
  await stream.until((told) => told.some(({ data }) => data.event === 'page.moved'))
  assert.ok(performance.now() - since < 2000)
  assertStatus(await admin.post('/threads/p2/a', { body: 'Why?' }), 201)
  await stream.until((told) => told.some(({ data }) => data.event === 'comment.created'))
  const changes = stream.told.filter(({ event }) => event === 'change').map(({ data }) => [data.event, data.page?.path])
  assert.deepEqual(changes, [
    ['page.updated', 'a'],
    ['page.moved', 'd'],
    ['comment.created', undefined],
  ])
})

test('who may not read a page is told nothing of it, and who may no longer is not shown there', {
  timeout: 30_000,
}, async () => {
  await admin.space('p3', { visibility: 'org' })
  await admin.write('p3/hidden/a', '# A\n')
  const [adaCookie, bobCookie] = [await signIn(ada), await signIn(bob)]
  await using adas = await open(admin.base, { cookie: adaCookie }, 'reading=p3/hidden/a')
  await using bobs = await open(nodes.admins[1].base, { cookie: bobCookie }, 'reading=p3/hidden/a')
  await adas.people('hidden/a', 'Bob reading')
  await bobs.people('hidden/a', 'Ada / L reading')
  const rule = { read: [{ principal: bob.id }], write: 'inherit' }
  assertStatus(await admin.call('PUT', '/spaces/p3/rules/hidden', { json: rule }), 201)
  const toldBefore = adas.told.length
  // When somebody comes, those who may read it are told, and who may not leaves.
  await using more = await open(admin.base, { cookie: bobCookie }, 'editing=p3/hidden/a')
  await bobs.people('hidden/a')
  await more.people('hidden/a')
  await admin.write('p3/hidden/a', '# A\n\nMore.\n')
  await bobs.until((told) => told.some(({ event }) => event === 'change'))
  assert.equal(adas.told.length, toldBefore)
  await using again = await open(admin.base, { cookie: adaCookie }, 'reading=p3/hidden/a&reading=p3/nowhere')
  await admin.write('p3/b', '# B\n')
  assert.deepEqual(again.told, [])
})

test('a person may hide', { timeout: 30_000 }, async () => {
  await admin.space('p4')
  await admin.write('p4/a', '# A\n')
  const cookie = await signIn(bob)
  const browser = new Client(admin.base, undefined)
  assertStatus(await sendForm(browser, '/account/appearance', { appearance: 'dark' }, { cookie }), 303)
  await using bobs = await open(admin.base, { cookie }, 'reading=p4/a')
  await bobs.people('a')
  assert.equal(bobs.told[0]?.data.version, 1)
  await using adas = await open(admin.base, { cookie: await signIn(ada) }, 'reading=p4/a')
  await bobs.people('a', 'Ada / L reading')
  await adas.people('a')
})

test('what names no pages, or too many, is refused', async () => {
  assertProblem(await ada.client.get('/presence'), 400, 'invalid_request')
  assertProblem(await ada.client.get('/presence?page=nopath'), 400, 'invalid_request')
  const many = Array.from({ length: 51 }, (_, n) => `page=s/${n}`).join('&')
  assertProblem(await ada.client.get(`/presence?${many}`), 400, 'invalid_request')
  assertProblem(await new Client(admin.base, undefined).get('/presence?page=s/a'), 401, 'unauthorized')
})

test('a change that somebody proposes of an open page is told, and of another file or page is not', {
  timeout: 30_000,
}, async () => {
  await admin.space('p8')
  await admin.write('p8/a', '# A\n')
  await admin.write('p8/b', '# B\n')
  await untilTold('p8', 2)
  await using stream = await open(nodes.admins[1].base, { cookie: await signIn(bob) }, 'reading=p8/a')
  await stream.people('a')
  const propose = async (path: string, text: string, number: string) => {
    const url = `/pages/p8/${path}?changeRequest=${number}${number === 'new' ? '&title=Better' : ''}`
    assertStatus(await ada.client.put(url, text, { 'if-match': '"1"' }), 202)
  }
  await propose('b', '# B2\n', 'new')
  await propose('a', '# A2\n', '1')
  await stream.until((told) => told.some(({ event }) => event === 'change'))
  const changes = stream.told.filter(({ event }) => event === 'change').map(({ data }) => data)
  assert.deepEqual(
    changes.map(({ event, changeRequest }) => [event, changeRequest?.number, changeRequest?.path]),
    [['changeRequest.updated', 1, 'a']],
  )
})

test('a stream tells how much of the inbox is unread, on all nodes, and only what one reads', {
  timeout: 30_000,
}, async () => {
  await admin.space('p9')
  await admin.write('p9/a', '# A\n')
  const mention = (path: string) => admin.write(path, `# Hello\n\n[Bob](/people/${bob.id})\n`)
  await using stream = await open(nodes.admins[1].base, { cookie: await signIn(bob) }, 'inbox=true')
  const unread = () => stream.told.findLast(({ event }) => event === 'inbox')?.data.unread
  await stream.until(() => unread() === 0)
  await mention('p9/b')
  await stream.until(() => unread() === 1)
  const json = await bob.client.get('/presence?inbox=true')
  assert.deepEqual(assertStatus(json, 200).json, { items: [], unread: 1 })
  // Read elsewhere, on the other node.
  assertStatus(await bob.client.patch('/me/notifications', { all: true, read: true }), 200)
  await stream.until(() => unread() === 0)
  // Of what Bob lost meanwhile he is told nothing.
  await mention('p9/c')
  await stream.until(() => unread() === 1)
  assertStatus(await admin.patch('/spaces/p9', { visibility: 'private' }), 200)
  const count = stream.told.length
  await mention('p9/d')
  await admin.space('p10')
  await mention('p10/e')
  await stream.until((told) => told.length > count)
  await stream.until(() => unread() === 1)
  assert.ok(stream.told.slice(count).every(({ data }) => data.unread !== 2 && data.unread !== 3))
})
