import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Answer, assertStatus, type Client } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

/** Rounds of hidden steps: few in CI, as many as are asked for by hand. */
const ROUNDS = Number(process.env.RECTO_TWIN_ROUNDS ?? 4)
const SLUGS = ['hid-a', 'hid-b', 'hid-c'] as const
const LINKS = SLUGS.flatMap((slug) => [`[${slug}](/pages/${slug}/x)`, `[${slug} y](/pages/${slug}/y)`]).join(
  ' ',
)

type HiddenStep =
  | { readonly do: 'make' | 'end' | 'write'; readonly slug: number }
  | { readonly do: 'rename'; readonly slug: number; readonly to: number }

const slug = fc.nat({ max: 2 })
const step: fc.Arbitrary<HiddenStep> = fc.oneof(
  fc.record({ do: fc.constantFrom('make' as const, 'end' as const, 'write' as const), slug }),
  fc.record({ do: fc.constant('rename' as const), slug, to: slug }),
)

/** Does in a service what its observers may not see. What cannot be done there, as for a slug that is taken, is not. */
async function hide(admin: Client, hidden: HiddenStep): Promise<void> {
  const name = SLUGS[hidden.slug]
  if (hidden.do === 'make') await admin.post('/spaces', { slug: name, visibility: 'private' })
  else if (hidden.do === 'end') await admin.delete(`/spaces/${name}?force=true`)
  else if (hidden.do === 'rename') await admin.patch(`/spaces/${name}`, { slug: SLUGS[hidden.to] })
  else await admin.put(`/pages/${name}/x`, `# Hidden ${name}\n\n[open](/pages/open/page) ${LINKS}`)
}

interface Twin {
  readonly service: Service
  readonly observers: readonly Client[]
}

async function startTwin(): Promise<Twin> {
  const service = await startService()
  const { admin } = service
  await admin.space('open')
  const body = `# Page\n\n${LINKS} [n](./none)`
  assertStatus(await admin.put('/pages/open/page', body), 201)
  assertStatus(await admin.put('/pages/open/other', '[page](./page)'), 201)
  const human = await newPerson(admin, 'Human', { kind: 'human' })
  const agent = await newPerson(admin, 'Agent', { kind: 'agent' })
  return { service, observers: [human.client, agent.client, service.nobody] }
}

const GETS = [
  '/spaces',
  '/pages/recent',
  '/pages/open/page',
  '/pages/open/page/links',
  '/pages/open/other/links?depth=3',
  '/spaces/open/links/broken',
  '/spaces/open/links/orphans',
  '/spaces/open/links/wanted',
  '/search?q=hidden',
  '/search/metadata/keys',
  ...SLUGS.flatMap((name) => [
    `/spaces/${name}`,
    `/pages/${name}/x`,
    `/pages/${name}/x/links`,
    `/spaces/${name}/pages`,
  ]),
  '/',
  '/graph/open/page',
]
const TOOLS = [
  { name: 'context_get_page_links', arguments: { space: 'open', path: 'page' } },
  { name: 'context_get_broken_links', arguments: { space: 'open' } },
  { name: 'context_list_spaces', arguments: {} },
]

/** All that an answer says, but for what differs between any two services: ids, times, addresses and keys of caches. */
function told({ status, text, headers }: Answer, base: string): string {
  const kept = ['content-type', 'location', 'cache-control', 'vary'].map((name) => headers.get(name))
  const plain = [JSON.stringify(kept), text]
    .join('\n')
    .replaceAll(base, 'BASE')
    .replace(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, 'ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/(name="_?csrf[^"]*" value|nonce|content)="[^"]*"/g, '$1')
    .replace(/\d\d? \w{3} \d{4}(?:, | at )?[\d:]*/g, 'TIME')
  return `${status} ${plain}`
}

async function ask(client: Client): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const path of GETS) {
    for (const accept of ['application/json', 'text/html']) {
      found.set(`GET ${path} as ${accept}`, told(await client.get(path, { accept }), client.base))
    }
  }
  for (const params of TOOLS) {
    const headers = { accept: 'application/json, text/event-stream' }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    found.set(`MCP ${params.name}`, told(await client.post('/mcp', message, headers), client.base))
  }
  return found
}

test('two services that differ only in what the observers may not see answer them alike', async (t) => {
  await using stack = new AsyncDisposableStack()
  const [one, two] = [await startTwin(), await startTwin()]
  stack.use(one.service)
  stack.use(two.service)
  let comparisons = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
      for (const hidden of steps) await hide(one.service.admin, hidden)
      for (const [index, observer] of one.observers.entries()) {
        const other = two.observers[index]
        assert.ok(other)
        const [here, there] = [await ask(observer), await ask(other)]
        for (const [name, answer] of here) assert.equal(answer, there.get(name), name)
        comparisons += here.size
      }
    }),
    { numRuns: ROUNDS, endOnFailure: true },
  )
  t.diagnostic(`${comparisons} comparisons`)
})
