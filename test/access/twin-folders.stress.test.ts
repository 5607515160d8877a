import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, assertStatus, type Client } from '../support/client.ts'
import { newKey, newOwner, newPerson } from '../support/people.ts'
import { fc } from '../support/property.ts'
import { type Service, startService } from '../support/service.ts'
import { BEGINNING, LINKS, PLACES, STEPS, step } from './twin-folder-steps.ts'
import { ask, type Observer, signIn } from './twin-observers.ts'
import { completion, EVERYWHERE, get, type Request, rpc, tool, WEB, write } from './twin-requests.ts'

/** Rounds of hidden steps: few in CI, as many as are asked for by hand. */
const ROUNDS = Number(process.env.RECTO_TWIN_ROUNDS ?? 2)
const ANY = { 'if-match': '*' }

interface Twin {
  readonly service: Service
  readonly observers: readonly Observer[]
}

async function startTwin(): Promise<Twin> {
  const service = await startService()
  const { admin, nobody } = service
  await admin.space('open', { defaultRole: 'editor' })
  assertStatus(await admin.put('/pages/open/page', `# Page\n\n${LINKS} [n](./none)`), 201)
  assertStatus(await admin.patch('/pages/open/page/metadata', { set: { shared: 'seen' } }), 200)
  assertStatus(await admin.put('/pages/open/other', '[page](./page)'), 201)
  assertStatus(await admin.call('PUT', '/files/open/file', { body: 'Open bytes' }), 201)
  const nobodyReads = { read: [], write: [] }
  assertStatus(await admin.call('PUT', '/spaces/open/rules/hid', { json: nobodyReads }), 201)
  const everybody = await newGroup(admin, 'Everybody')
  const human = await newOwner(admin, 'Human')
  const agent = await newPerson(admin, 'Agent', { kind: 'agent', scopes: ['write'] })
  assertStatus(await admin.call('PUT', `/spaces/open/members/${human.id}`, { json: { role: 'editor' } }), 201)
  for (const { id } of [human, agent]) {
    assertStatus(await admin.call('PUT', `/admin/groups/${everybody}/members/${id}`), 201)
  }
  const seen = { read: [{ group: everybody }], write: [] }
  assertStatus(await admin.call('PUT', '/spaces/open/rules/hid/seen', { json: seen }), 201)
  assertStatus(await admin.put('/pages/open/hid/seen/page', '# Seen\n\n[x](../x.md) [page](../../page.md)'), 201)
  const guest = assertStatus(await admin.post('/admin/principals', { name: 'Guest', kind: 'human', guest: true }), 201)
  const named = { ...seen, guests: [{ principal: guest.json.id, role: 'editor' }] }
  assertStatus(await admin.call('PUT', '/spaces/open/rules/hid/seen', { json: named }), 200)
  const reader = await newKey(admin, human.id, { scopes: ['read'] })
  return {
    service,
    observers: [
      { name: 'a human', client: human.client, headers: {} },
      { name: 'an agent', client: agent.client, headers: {} },
      { name: 'a key that reads', client: service.as(reader.secret), headers: {} },
      { name: 'a guest', client: service.as((await newKey(admin, guest.json.id)).secret), headers: {} },
      { name: 'a session', client: nobody, headers: await signIn(nobody, human.key) },
    ],
  }
}

interface Difference {
  readonly request: string
  readonly here: string
  readonly there: string
}

const MAX_TOLD = 40

function toText({ method, path, name }: Request): string {
  return `${method} ${path} ${name}`
}

async function newGroup(admin: Client, name: string): Promise<string> {
  return assertStatus(await admin.post('/admin/groups', { name }), 201).json.id
}

function asksAbout(path: string): Request[] {
  const page = `/pages/open/${path}`
  const file = `/files/open/${path}`
  return [
    write('PUT', page, { body: 'mine' }),
    write('PUT', page, { body: 'mine' }, ANY),
    write('PATCH', page, { edits: [{ op: 'append', text: 'mine' }] }, ANY),
    write('PATCH', `${page}/metadata`, { set: { mine: 1 } }),
    write('DELETE', page, undefined, ANY),
    write('POST', `${page}/move`, { to: { path: 'mine' } }, ANY),
    write('POST', '/pages/open/other/move', { to: { path }, dryRun: true }, ANY),
    write('POST', '/pages/open/other/move', { to: { path } }, ANY),
    write('POST', `${page}/restore`),
    write('POST', `${page}/versions/1/make-latest`),
    write('POST', '/pages/batch-get', { pages: [{ space: 'open', path }] }),
    write('POST', '/pages/batch', { operations: [{ op: 'put', space: 'open', path, body: 'mine', ifMatch: '*' }] }),
    write('POST', '/pages/batch', { operations: [{ op: 'put', space: 'open', path, body: 'mine' }] }),
    write('POST', '/metadata/batch', { pages: [{ space: 'open', path }], set: { mine: 1 } }),
    write('POST', '/spaces/open/move-folder', { path, to: { path: 'mine' } }),
    write('POST', '/spaces/open/move-folder', { path: 'other', to: { path }, dryRun: true }),
    write('POST', '/spaces/open/delete-folder', { path, dryRun: true }),
    write('PUT', file, { any: 'bytes' }),
    write('DELETE', file, undefined, ANY),
    write('POST', `${file}/restore`),
    write('POST', `${file}/move`, { to: { path: 'mine' } }, ANY),
    write('POST', '/files/open/file/move', { to: { path } }, ANY),
    write('PUT', `/me/favourites/open/${path}`),
    write('POST', '/spaces/open/order', { path, after: null }),
    ...[
      ...[
        page,
        `${page}/links`,
        `${page}/versions`,
        `${page}/versions/1`,
        `${page}/metadata`,
        `${page}/metadata/history`,
      ],
      ...[
        `${page}.md`,
        file,
        `${file}/versions`,
        `/spaces/open/pages?prefix=${path}`,
        `/spaces/open/files?prefix=${path}`,
      ],
      ...[
        `/spaces/open/order?folder=${path}`,
        `/spaces/open/readers?limit=200&path=${path}`,
        `/spaces/open/rules/${path}`,
      ],
    ].map((url) => get(url, 'application/json')),
    ...[page, `/history/open/${path}`, `/edit/open/${path}`, `/move/open/${path}`, `/browse/open?folder=${path}`].map(
      (url) => get(url, 'text/html'),
    ),
    tool('context_get_page', { space: 'open', path }),
    tool('context_list_pages', { space: 'open', prefix: path }),
    tool('context_write_page', { space: 'open', path, body: 'mine' }),
    tool('context_move_page', { space: 'open', path, to: 'mine' }),
    tool('context_delete_page', { space: 'open', path }),
    rpc('resources/read', { uri: `recto://pages/open/${path}` }),
  ]
}

const REQUESTS: readonly Request[] = [
  write('PUT', '/pages/open/page', { body: `# Page\n\n${LINKS} [n](./none)` }, ANY),
  write('PUT', '/spaces/open/order', { folder: '', names: ['other', 'hid', 'page'] }),
  ...PLACES.flatMap(asksAbout),
  ...[
    ...EVERYWHERE,
    ...['/search?q=hush', '/search?q=hush&space=open', '/search?q=tag:hush', '/search?q=pag&space=open'],
    ...[
      '/search/metadata?key=shared',
      '/search/metadata/keys?limit=200',
      '/spaces/open/trash',
      '/spaces/open/files/trash',
    ],
    ...['/titles?q=hu', '/search/suggest?q=hus', '/spaces/open/export?format=ndjson&history=true'],
    ...['/pages/open/hid/seen/page', '/pages/open/hid/seen/page/links?depth=3', '/changes?limit=200'],
  ].map((path) => get(path, 'application/json')),
  ...[...WEB, '/pages/open/page', '/pages/open/hid/seen/page', '/trash/open', '/browse-files/open', '/find?q=hush'].map(
    (path) => get(path, 'text/html'),
  ),
  tool('context_search', { query: 'hush' }),
  tool('context_find', { query: 'hush' }),
  tool('context_get_changes', {}),
  tool('context_list_reports', { space: 'open', report: 'wanted' }),
  tool('context_list_reports', { space: 'open', report: 'orphans' }),
  tool('context_get_broken_links', { space: 'open' }),
  tool('context_replace_text', { space: 'open', find: 'hush', replace: 'o', dryRun: true }),
  completion({ name: 'path', value: 'hi' }, { space: 'open' }),
]

test('two services that differ only in what folder rules hide send the others equal responses', async (t) => {
  await using stack = new AsyncDisposableStack()
  const [one, two] = [await startTwin(), await startTwin()]
  for (const { service } of [one, two]) stack.use(service)
  let comparisons = 0
  const counts = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
      for (const { do: name, path } of [...BEGINNING, ...steps]) {
        const answer: Answer = await STEPS[name](one.service.admin, path)
        counts.set(`${name} ${answer.status}`, (counts.get(`${name} ${answer.status}`) ?? 0) + 1)
      }
      const differences: Difference[] = []
      for (const [index, observer] of one.observers.entries()) {
        const other = two.observers[index]
        assert.ok(other)
        for (const request of REQUESTS) {
          const [here, there] = await Promise.all([ask(observer, request), ask(other, request)])
          if (here !== there) differences.push({ request: `${toText(request)} by ${observer.name}`, here, there })
        }
        comparisons += REQUESTS.length
      }
      assert.deepEqual(differences.slice(0, MAX_TOLD), [], `${differences.length} differences`)
    }),
    { numRuns: ROUNDS, endOnFailure: true, examples: [[[]]] },
  )
  t.diagnostic(`${comparisons} comparisons after ${JSON.stringify(Object.fromEntries(counts))}`)
})
