import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, assertStatus, type Client } from '../support/client.ts'
import { newKey, newOwner, newPerson } from '../support/people.ts'
import { fc } from '../support/property.ts'
import { type Service, startService } from '../support/service.ts'
import { cross, crossings, FIRST_CROSSINGS, LAST_CROSSINGS, makeVault, type Vault } from './twin-crossings.ts'
import { type ReaderFeed, startFeeds } from './twin-feeds.ts'
import { ask, type Observer, plainText, signIn } from './twin-observers.ts'
import { HIDDEN, LINKS, REQUESTS } from './twin-requests.ts'

/** Rounds of hidden steps: few in CI, as many as are asked for by hand. */
const ROUNDS = Number(process.env.RECTO_TWIN_ROUNDS ?? 2)

interface HiddenStep {
  readonly do: 'make' | 'group' | 'end' | 'write' | 'file' | 'rename' | 'move'
  readonly slug: number
  readonly to: number
}

const slug = fc.nat({ max: HIDDEN.length - 1 })
const step: fc.Arbitrary<HiddenStep> = fc.record({
  do: fc.constantFrom('make', 'group', 'write', 'write', 'file', 'rename', 'rename', 'move', 'end'),
  slug,
  to: slug,
})

/**
 * Does in a service what its observers may not see, and changes nothing that they may. What cannot be done there, as
 * for a slug that is taken, is not.
 */
async function hide({ service: { admin }, others }: Twin, hidden: HiddenStep): Promise<number> {
  const [name, to] = [HIDDEN[hidden.slug], HIDDEN[hidden.to]]
  const steps: Record<HiddenStep['do'], () => Promise<Answer>> = {
    make: () => admin.post('/spaces', { slug: name, visibility: 'private' }),
    // No observer is in this group.
    group: () => admin.call('PUT', `/spaces/${name}/groups/${others}`, { json: { role: 'admin' } }),
    end: () => admin.delete(`/spaces/${name}?force=true`),
    rename: () => admin.patch(`/spaces/${name}`, { slug: to }),
    move: () =>
      admin.post(`/pages/${name}/x/move`, { to: { space: to, path: 'y' }, rewriteLinks: false }, { 'if-match': '*' }),
    file: () => admin.call('PUT', `/files/${name}/x`, { body: 'Open bytes' }),
    write: async () => {
      const body = `# Hidden ${name}\n\n[open](/pages/open/page) ${LINKS}`
      const written = await admin.put(`/pages/${name}/x`, body)
      return written.status === 428 ? admin.put(`/pages/${name}/x`, body, { 'if-match': '*' }) : written
    },
  }
  return (await steps[hidden.do]()).status
}

interface Twin {
  readonly service: Service
  readonly observers: readonly Observer[]
  /** The id of a group with none of the observers. */
  readonly others: string
  readonly vault: Vault
  /** The id of a webhook of the space that they see. */
  readonly webhook: string
}

async function startTwin(word: string): Promise<Twin> {
  const service = await startService()
  const { admin, nobody } = service
  await admin.space('open')
  assertStatus(await admin.put('/pages/open/page', `# Page\n\n${LINKS} [n](./none)`), 201)
  assertStatus(await admin.put('/pages/open/other', '[page](./page)'), 201)
  assertStatus(await admin.call('PUT', '/files/open/file', { body: 'Open bytes' }), 201)
  const human = await newOwner(admin, 'Human')
  const agent = await newPerson(admin, 'Agent', { kind: 'agent', scopes: ['write'] })
  for (const { id } of [human, agent]) {
    assertStatus(await admin.call('PUT', `/spaces/open/members/${id}`, { json: { role: 'editor' } }), 201)
  }
  const reader = await newKey(admin, human.id, { scopes: ['read'] })
  // An admin may read the hidden spaces, but not with this key.
  const limited = await newPerson(admin, 'Admin', { role: 'admin', spaces: ['open'] })
  const stranger = await newOwner(admin, 'Stranger', { spaces: ['personal'] })
  const [own, others] = [await newGroup(admin, 'Own'), await newGroup(admin, 'Others')]
  for (const { id } of [human, agent, limited, stranger]) {
    assertStatus(await admin.call('PUT', `/admin/groups/${own}/members/${id}`), 201)
  }
  assertStatus(await admin.call('PUT', `/spaces/open/groups/${own}`, { json: { role: 'viewer' } }), 201)
  return {
    service,
    others,
    vault: await makeVault(admin, word),
    webhook: assertStatus(await admin.post('/admin/webhooks', WEBHOOK), 201).json.webhook.id,
    observers: [
      { name: 'a human', client: human.client, headers: {} },
      { name: 'an agent that writes', client: agent.client, headers: {} },
      { name: 'a key that reads', client: service.as(reader.secret), headers: {} },
      { name: 'a key of an admin for a space', client: limited.client, headers: {} },
      { name: 'a key for the personal space', client: stranger.client, headers: {} },
      { name: 'a session', client: nobody, headers: await signIn(nobody, human.key) },
      { name: 'nobody', client: nobody, headers: {} },
    ],
  }
}

const WEBHOOK = { url: 'https://hooks.example.test/', events: ['*'], spaceSlug: 'open' }

async function newGroup(admin: Client, name: string): Promise<string> {
  return assertStatus(await admin.post('/admin/groups', { name }), 201).json.id
}

/** The observers who see the space of the markers. */
function feedReaders({ observers }: Twin): readonly Observer[] {
  return observers.filter(({ name }) => name !== 'a key for the personal space' && name !== 'nobody')
}

/**
 * What was read of the feed; which events an open stream was told depends on when the service noticed that a space was
 * opened.
 */
function feedsIn({ service: { admin }, vault: { word } }: Twin, feeds: readonly ReaderFeed[] | undefined) {
  assert.ok(feeds)
  return feeds.map(({ name, live, ...all }) => {
    assert.ok(!live.includes(word), `a stream tells ${name} ${live}`)
    return [name, plainText(all.polled, admin.base).split('\n'), plainText(all.resumed, admin.base).split('\n')]
  })
}

/** The bodies of the deliveries of the webhook, in order. */
async function deliveredTo({ service: { admin }, webhook }: Twin): Promise<readonly string[]> {
  const deliveries = await admin.all(`/admin/webhooks/${webhook}/deliveries?limit=200`)
  return deliveries.map(({ event, payload }) => plainText(`${event} ${JSON.stringify(payload)}`, admin.base)).sort()
}

test('two services that differ only in data that the observers cannot see send them equal responses', async (t) => {
  await using stack = new AsyncDisposableStack()
  const [one, two] = [await startTwin('secret'), await startTwin('undisclosed')]
  for (const { service } of [one, two]) stack.use(service)
  const vaults = [one.vault, two.vault]
  let comparisons = 0
  let rounds = 0
  const done = new Map<string, number>()
  const count = (key: string) => done.set(key, (done.get(key) ?? 0) + 1)
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 12 }), crossings, async (steps, more) => {
      // Whatever the steps are, a space is renamed, and in the next round another takes its former slug.
      const beginning = [
        { do: 'make', slug: 0, to: 0 },
        { do: 'write', slug: 0, to: 0 },
        { do: 'rename', slug: 0, to: 1 },
      ] as const
      for (const hidden of [...beginning, ...steps]) {
        const status = await hide(one, hidden)
        count(`${hidden.do} ${status}`)
      }
      const feeds = await Promise.all([one, two].map((twin) => startFeeds(twin.service.admin, feedReaders(twin))))
      for (const crossing of [...FIRST_CROSSINGS, ...more, ...LAST_CROSSINGS]) {
        for (const status of await cross(vaults, crossing)) count(`${crossing} ${status}`)
      }
      rounds += 1
      const [read, readThere] = await Promise.all(feeds.map((feed) => feed.finish(`marker-${rounds}`)))
      assert.deepEqual(feedsIn(one, read), feedsIn(two, readThere))
      assert.deepEqual(...(await Promise.all([deliveredTo(one), deliveredTo(two)])))
      for (const [index, observer] of one.observers.entries()) {
        const other = two.observers[index]
        assert.ok(other)
        for (const request of REQUESTS) {
          const [here, there]: string[] = await Promise.all([ask(observer, request), ask(other, request)])
          assert.equal(here, there, `${request.method} ${request.path} ${request.name} by ${observer.name}`)
        }
        comparisons += REQUESTS.length
      }
    }),
    // The first round asks right after a rename, the next ones after the former slug was taken again.
    { numRuns: ROUNDS, endOnFailure: true, examples: [[[], []]] },
  )
  t.diagnostic(`${comparisons} comparisons after ${JSON.stringify(Object.fromEntries(done))}`)
})
