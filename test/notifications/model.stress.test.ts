import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client } from '../support/client.ts'
import { readInbox, watchInboxes } from '../support/inbox.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson, type Person } from '../support/people.ts'
import { fc, rounds } from '../support/property.ts'

let nodes: Nodes
let admin: Client
let people: readonly Person[]
let allTold: () => Promise<void>
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
  people = [await newPerson(admin, 'Ann'), await newPerson(admin, 'Ben'), await newPerson(admin, 'Cat')]
  allTold = await watchInboxes(admin)
})
after(() => nodes?.[Symbol.asyncDispose]())

const PAGES = ['a/1', 'a/2', 'b/1'] as const
const PLACES = [...PAGES, 'a?kind=folder', ''] as const
const REASONS = ['author', 'thread', 'watching']
type Step = readonly [what: string, person: number, place: number]

/** What a person was told of one page or thread. */
interface Told {
  readonly page: string
  reason: string
  events: number
  read: boolean
}

/** Who is told of what, in memory. */
class Model {
  readonly members = new Set([0, 1, 2])
  hidden = false
  readonly watches = new Map<string, boolean>()
  readonly authors = new Map<string, Set<number>>()
  readonly threads: { page: string; who: Set<number> }[] = []
  readonly inboxes: readonly Map<string, Told>[] = [new Map(), new Map(), new Map()]

  reads(person: number, page: string): boolean {
    return this.members.has(person) && !(this.hidden && page.startsWith('a/'))
  }

  tell(by: number, page: string, thread?: number): void {
    for (const [person, inbox] of this.inboxes.entries()) {
      const reason = this.reason(person, page, thread)
      if (person === by || reason === undefined || !this.reads(person, page)) continue
      const key = thread === undefined ? page : `thread ${thread}`
      const told = inbox.get(key)
      const isNew = told === undefined || told.read
      const strongest = isNew || REASONS.indexOf(reason) < REASONS.indexOf(told.reason) ? reason : told.reason
      inbox.set(key, { page, reason: strongest, events: isNew ? 1 : told.events + 1, read: false })
    }
  }

  reason(person: number, page: string, thread?: number): string | undefined {
    if (thread !== undefined && this.threads[thread]?.who.has(person)) return 'thread'
    const own = this.watches.get(`${person} ${page}`)
    if (own === false) return undefined
    if (this.authors.get(page)?.has(person)) return 'author'
    const folder = page.startsWith('a/') && this.watches.get(`${person} a?kind=folder`)
    return own || folder || this.watches.get(`${person} `) ? 'watching' : undefined
  }

  shown(person: number, space: string): string[] {
    const readable = [...(this.inboxes[person] ?? [])].filter(([, { page }]) => this.reads(person, page))
    return readable
      .map(([key, { page, reason, events, read }]) => {
        const what = `${key.startsWith('thread') ? 'thread ' : ''}${space}/${page}`
        return `${what}: ${reason} ${events}${read ? ' read' : ''}`
      })
      .sort()
  }
}

const steps = fc.array(
  fc.tuple(
    fc.constantFrom(
      'write',
      'write',
      'write',
      'comment',
      'reply',
      'watch',
      'watch',
      'unwatch',
      'rule',
      'member',
      'read',
    ),
    fc.nat(2),
    fc.nat(4),
  ),
  { minLength: 30, maxLength: 30 },
)
let worlds = 0

test('the inboxes equal a model under random writes, comments, watches and changes of access', async () => {
  const property = fc.asyncProperty(steps, async (list) => {
    const space = `model-${++worlds}`
    const model = new Model()
    const threads: string[] = []
    await admin.space(space, { visibility: 'private' })
    for (const { id } of people) await setMember(space, id, true)
    for (const page of PAGES) await admin.write(`${space}/${page}`, 'First.\n')
    for (const step of list) {
      await take(step, { space, model, threads })
      await allTold()
    }
    for (const [person, { client }] of people.entries()) {
      const lines = (await readInbox(client)).filter((line) => line.includes(space))
      const short = lines.map((line) => line.replace(/(comment|page|thread)\.\w+ (\d+) \w+/, '$2')).sort()
      assert.deepEqual(short, model.shown(person, space), `${person}: ${JSON.stringify(list)}`)
      const { unread } = (await client.get('/me/notifications/count')).json
      assert.equal(unread, (await readInbox(client, '?unread=true')).length)
    }
  })
  await fc.assert(property, { numRuns: rounds(3), endOnFailure: true })
})

async function take(
  [what, person, place]: Step,
  world: { space: string; model: Model; threads: string[] },
): Promise<void> {
  const { space, model, threads } = world
  const { client = admin, id = '' } = people[person] ?? {}
  const page = PAGES[place % PAGES.length] ?? 'a/1'
  const watched = PLACES[place] ?? ''
  const url = `/me/watches/${space}${watched === '' ? '' : `/${watched}`}`
  const isOpen = model.reads(person, page)
  if (what === 'write' && isOpen) {
    await client.write(`${space}/${page}`, `${Math.random()}\n`)
    model.tell(person, page)
    model.authors.set(page, (model.authors.get(page) ?? new Set()).add(person))
  } else if (what === 'comment' && isOpen) {
    threads.push(assertStatus(await client.post(`/threads/${space}/${page}`, { body: 'Hm.' }), 201).json.id)
    model.threads.push({ page, who: new Set() })
    model.tell(person, page, threads.length - 1)
    model.threads.at(-1)?.who.add(person)
  } else if (what === 'reply' && threads.length > 0) {
    const last = model.threads.at(-1)
    if (!last || !model.reads(person, last.page)) return
    assertStatus(await client.post(`/threads/by-id/${threads.at(-1)}/replies`, { body: 'So.' }), 201)
    model.tell(person, last.page, threads.length - 1)
    last.who.add(person)
  } else if ((what === 'watch' || what === 'unwatch') && model.members.has(person)) {
    if (place < PAGES.length && !model.reads(person, watched)) return
    assertStatus(await client.call(what === 'watch' ? 'PUT' : 'DELETE', url), 204)
    model.watches.set(`${person} ${watched}`, what === 'watch')
  } else if (what === 'rule') {
    model.hidden = !model.hidden
    const rule = { read: [], write: [] }
    if (model.hidden) assertStatus(await admin.call('PUT', `/spaces/${space}/rules/a`, { json: rule }), 201)
    else assertStatus(await admin.delete(`/spaces/${space}/rules/a`), 200)
  } else if (what === 'member') {
    const isMember = !model.members.delete(person)
    if (isMember) model.members.add(person)
    await setMember(space, id, isMember)
  } else if (what === 'read') {
    assertStatus(await client.patch('/me/notifications', { all: true, read: true }), 200)
    for (const told of model.inboxes[person]?.values() ?? []) if (model.reads(person, told.page)) told.read = true
  }
}

async function setMember(space: string, id: string, isMember: boolean): Promise<void> {
  const url = `/spaces/${space}/members/${id}`
  const answer = isMember ? await admin.call('PUT', url, { json: { role: 'editor' } }) : await admin.delete(url)
  assert.ok(answer.status < 300, answer.text)
}
