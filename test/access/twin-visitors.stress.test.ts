import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, assertStatus, type Client } from '../support/client.ts'
import { newOwner } from '../support/people.ts'
import { fc } from '../support/property.ts'
import { type Service, startService } from '../support/service.ts'
import { BEGINNING, STEPS as FOLDER_STEPS, step as folderStep, LINKS, PLACES } from './twin-folder-steps.ts'
import { ask, type Observer, signIn } from './twin-observers.ts'
import { completion, EVERYWHERE, get, type Request, rpc, tool, WEB, write } from './twin-requests.ts'

/** Rounds of hidden steps: few in CI, as many as are asked for by hand. */
const ROUNDS = Number(process.env.RECTO_TWIN_ROUNDS ?? 2)

const ANY = { 'if-match': '*' }

interface Twin {
  readonly service: Service
  /** The headers of a session of an editor. */
  readonly session: Readonly<Record<string, string>>
  /** The id of a person. */
  readonly person: string
  /** The secret of a share link of `inner/top` with the pages below it. */
  readonly secret: string
}

/** What neither visitors nor readers of the share link may notice; what cannot be done at the moment is not. */
const STEPS = {
  tag: ({ admin }, word) => admin.patch('/pages/open/page/metadata', { set: { hush: word, shared: word } }),
  untag: ({ admin }) => admin.patch('/pages/open/page/metadata', { set: { hush: null } }),
  tagFront: ({ admin }, word) => admin.patch('/pages/open/fronted/metadata', { set: { status: word } }),
  comment: ({ admin }, word) => admin.post('/threads/open/page', { body: `Comment ${word}` }),
  request: ({ admin }, word) => admin.post('/spaces/open/change-requests', { title: `Request ${word}` }),
  propose: ({ admin }, word) => admin.put('/pages/open/page?changeRequest=1', `# Proposed ${word}`, ANY),
  proposeNew: ({ admin }, word) => admin.put(`/pages/open/proposed-${word}?changeRequest=1`, '# Proposed'),
  member: ({ admin, person }) => admin.call('PUT', `/spaces/open/members/${person}`, { json: { role: 'admin' } }),
  noMember: ({ admin, person }) => admin.delete(`/spaces/open/members/${person}`),
  settings: ({ admin }) => admin.patch('/spaces/open', { defaultRole: 'editor', accessRequests: false }),
  settingsBack: ({ admin }) => admin.patch('/spaces/open', { defaultRole: 'viewer', accessRequests: true }),
  favourite: ({ admin }) => admin.call('PUT', '/me/favourites/open/page'),
  watch: ({ admin }) => admin.call('PUT', '/me/watches/open/page'),
  share: ({ nobody, session }) => nobody.call('POST', '/shares/open/page', { json: {}, headers: session }),
  shareInner: ({ nobody, session }) => nobody.call('POST', '/shares/inner/top', { json: {}, headers: session }),
  space: ({ admin }, word) => admin.post('/spaces', { slug: `hid-${word}`, visibility: 'org' }),
  spacePage: ({ admin }, word) => admin.put(`/pages/hid-${word}/x`, `# Hush\n\n[page](/pages/open/page) ${LINKS}`),
  spaceEnd: ({ admin }, word) => admin.delete(`/spaces/hid-${word}?force=true`),
  spaceSlug: ({ admin }, word) => admin.patch(`/spaces/hid-${word}`, { slug: 'hid-other' }),
  inner: ({ admin }, word) => admin.put(`/pages/inner/${word}`, '# Hush\n\n[top](./top) [page](/pages/open/page)'),
  innerEdit: ({ admin }, word) => admin.put(`/pages/inner/${word}`, `# Hush ${Date.now()}`, ANY),
  innerMeta: ({ admin }, word) => admin.patch('/pages/inner/top/metadata', { set: { hush: word } }),
  innerHidden: ({ admin }, word) => admin.put(`/pages/inner/top/hid/${word}`, '# Hush\n\n[top](../../top)'),
  innerFile: ({ admin }, word) => admin.call('PUT', `/files/inner/${word}.txt`, { body: 'Hush bytes' }),
  principal: ({ admin }, word) => admin.post('/admin/principals', { name: `Hush ${word}`, kind: 'agent' }),
} as const satisfies Readonly<Record<string, (on: World, word: string) => Promise<Answer>>>
type World = { readonly admin: Client; readonly nobody: Client } & Omit<Twin, 'service'>
type Name = keyof typeof STEPS

const step = fc.record({ do: fc.constantFrom(...(Object.keys(STEPS) as Name[])), word: fc.constantFrom('one', 'two') })
/** The first round has them all. */
const ALL_STEPS = (Object.keys(STEPS) as Name[]).map((name) => ({ do: name, word: 'one' as const }))

async function startTwin(): Promise<Twin> {
  const service = await startService({ SVC_PUBLIC_SPACES: 'on', SVC_PUBLIC_RATE_LIMIT: '1000000' })
  const { admin, nobody } = service
  await admin.space('open', { visibility: 'public' })
  await admin.space('told', { visibility: 'public', publicMetadata: true })
  await admin.space('inner', { visibility: 'org' })
  for (const slug of ['open', 'told']) {
    assertStatus(await admin.put(`/pages/${slug}/page`, `# Page\n\n${LINKS} [n](./none) [i](/pages/inner/top)`), 201)
    assertStatus(await admin.put(`/pages/${slug}/other`, '# Other\n\n[page](./page)'), 201)
    assertStatus(await admin.put(`/pages/${slug}/fronted`, '---\nicon: 🌱\ntags: [seen]\n---\n# Fronted'), 201)
    assertStatus(await admin.call('PUT', `/files/${slug}/file`, { body: 'Open bytes' }), 201)
    assertStatus(await admin.patch(`/pages/${slug}/page/metadata`, { set: { shared: 'seen' } }), 200)
  }
  const top = `# Top\n\n[c](./top/child) [h](./top/hid/one) [o](./one) ${LINKS}`
  assertStatus(await admin.put('/pages/inner/top', top), 201)
  assertStatus(await admin.put('/pages/inner/top/child', '# Child\n\n[top](../top) [p](/pages/open/page)'), 201)
  const nobodyReads = { json: { read: [], write: [] } }
  assertStatus(await admin.call('PUT', '/spaces/open/rules/hid', nobodyReads), 201)
  assertStatus(await admin.call('PUT', '/spaces/inner/rules/top%2Fhid', nobodyReads), 201)
  const human = await newOwner(admin, 'Human')
  for (const slug of ['inner', 'open']) {
    assertStatus(await admin.call('PUT', `/spaces/${slug}/members/${human.id}`, { json: { role: 'editor' } }), 201)
  }
  const session = await signIn(nobody, human.key)
  const link = { json: { withChildren: true }, headers: session }
  const { url } = assertStatus(await nobody.call('POST', '/shares/inner/top', link), 201).json
  const person = (await newOwner(admin, 'Person')).id
  return { service, session, person, secret: new URL(url).pathname.slice('/s/'.length) }
}

const asJson = (path: string) => get(path, 'application/json')
const asHtml = (path: string) => get(path, 'text/html')
const CLOSED_TOOLS = ['context_get_page', 'context_get_page_links', 'context_get_metadata', 'context_get_file'] as const

function asksAbout(space: string, path: string): Request[] {
  const page = `/pages/${space}/${path}`
  const file = `/files/${space}/${path}`
  return [
    ...['', '.md', '/links', '/metadata', '/metadata/history', '/versions'].map((end) => asJson(page + end)),
    ...['', '?width=320', '/versions'].map((end) => asJson(file + end)),
    ...[`/threads/${space}/${path}`, `/shares/${space}/${path}`].map(asJson),
    ...[`/spaces/${space}/pages?prefix=${path}`, `/fragments/tree/${space}?page=${path}`].map(asJson),
    ...[page, `/history/${space}/${path}`, `/edit/${space}/${path}`].map(asHtml),
    ...[`/fragments/neighbours/${space}/${path}`, `/browse/${space}?prefix=${path}`].map(asHtml),
    asHtml(`/fragments/tree/${space}?folder=${path}`),
    write('PUT', page, { body: 'mine' }, ANY),
    write('PATCH', `${page}/metadata`, { set: { mine: 1 } }),
    write('DELETE', page, undefined, ANY),
    ...CLOSED_TOOLS.map((name) => tool(name, { space, path })),
    tool('context_get_page', { path: `${space}/${path}`, view: 'outline' }),
    tool('context_get_pages', { pages: [`${space}/${path}`, 'open/page'] }),
    tool('context_list_pages', { space, prefix: path }),
    tool('context_write_page', { space, path, body: 'mine' }),
    rpc('resources/read', { uri: `recto://pages/${space}/${path}` }),
  ]
}

const SPACES = ['open', 'told', 'inner', 'hid-one', 'hid-other', 'none', 'personal']
const WORDS = [
  'hush',
  'page',
  'seen',
  'proposed',
  'other',
  'tag:hush',
  'has:hush',
  'has:shared',
  'by:admin',
  'page hush',
]
const KEYS = ['hush', 'shared', 'status'].map((key) => encodeURIComponent(JSON.stringify([{ key, op: 'exists' }])))
const LISTS = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list', 'ping']

/** What a visitor asks, of all interfaces. */
const VISITS: readonly Request[] = [
  ...PLACES.flatMap((path) => asksAbout('open', path)),
  ...['page', 'other', 'fronted', 'none', 'file', 'proposed-one'].flatMap((path) => asksAbout('open', path)),
  ...['page', 'fronted'].flatMap((path) => asksAbout('told', path)),
  ...['top', 'top/child', 'top/hid/one', 'one', 'none'].flatMap((path) => asksAbout('inner', path)),
  ...['hid-one', 'hid-other', 'none'].flatMap((space) => asksAbout(space, 'x')),
  ...[...EVERYWHERE, '/robots.txt', '/changes', '/me', '/me/notifications', '/spaces?limit=1'].map(asJson),
  ...SPACES.flatMap((slug) =>
    ['', '/pages', '/members', '/trash', '/change-requests', '/shares'].map((end) => asJson(`/spaces/${slug}${end}`)),
  ),
  ...WORDS.map(encodeURIComponent).flatMap((word) => [
    ...['', '&space=open', '&space=inner'].map((more) => asJson(`/search?q=${word}${more}`)),
    ...['q', 'typed'].map((name) => asHtml(`/find?${name}=${word}`)),
  ]),
  ...KEYS.map((filters) => asJson(`/search?q=page&filters=${filters}`)),
  ...['', '?space=open', '?space=inner'].map((query) => asJson(`/sitemap.xml${query}`)),
  ...[...WEB, ...SPACES.flatMap((slug) => [`/browse/${slug}`, `/open/${slug}`, `/fragments/tree/${slug}`])].map(asHtml),
  ...WORDS.flatMap((query) => [
    tool('context_search', { query }),
    tool('context_search', { query, passages: true }),
    tool('context_find', { query }),
  ]),
  ...SPACES.flatMap((space) => [
    tool('context_list_pages', { space }),
    tool('context_list_pages', { space, order: 'recent' }),
    tool('context_search', { query: 'page', space }),
    tool('context_find', { query: 'page', space }),
    tool('context_list_files', { space }),
    rpc('resources/read', { uri: `recto://pages/${space}` }),
    rpc('prompts/get', { name: 'summarize_space', arguments: { space } }),
    completion({ name: 'path', value: '' }, { space }),
  ]),
  ...['context_list_spaces', 'context_list_pages', 'context_whoami'].map((name) => tool(name, {})),
  ...LISTS.map((method) => rpc(method, {})),
  completion({ name: 'space', value: '' }, {}),
]

/** What the reader of a share link asks; SECRET is that of the link. */
const OPENINGS: readonly Request[] = [
  ...['', '/pages/child', '/pages/hid/one', '/pages/hid', '/pages/none', '/pages/one', '/pages/..%2Fone'].map((path) =>
    asHtml(`/s/SECRET${path}`),
  ),
  ...['0', '1', '2', 'one.txt'].map((file) => asHtml(`/s/SECRET/files/${file}/one.txt`)),
  asJson('/s/SECRET'),
  write('POST', '/s/SECRET', { password: 'hush' }),
  ...['/pages/inner/top', '/spaces/inner', '/shares/inner/top'].map((path) => ({
    ...asJson(path),
    name: 'the secret as a key',
    headers: { accept: 'application/json', authorization: 'Bearer SECRET' },
  })),
]

interface Difference {
  readonly request: string
  readonly here: string
  readonly there: string
}

const MAX_TOLD = 40
const MAX_PART = 200

/** The part of two answers around their first difference. */
function toDifference(request: string, here: string, there: string): Difference {
  const at = [...here].findIndex((character, index) => character !== there[index])
  const start = Math.max(0, (at === -1 ? here.length : at) - MAX_PART / 2)
  return { request, here: here.slice(start, start + MAX_PART), there: there.slice(start, start + MAX_PART) }
}

/** What a request with the secret of a twin is told, without the secret. */
async function askWithSecret({ secret }: Twin, observer: Observer, request: Request): Promise<string> {
  const { path, headers = {} } = request
  const own = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace('SECRET', secret)]),
  )
  const answer = await ask(observer, { ...request, path: path.replace('SECRET', secret), headers: own })
  return answer.replaceAll(secret, 'SECRET')
}

test('two services that differ only in what needs an account send others equal responses', async (t) => {
  await using stack = new AsyncDisposableStack()
  const [one, two] = [await startTwin(), await startTwin()]
  for (const { service } of [one, two]) stack.use(service)
  let comparisons = 0
  const counts = new Map<string, number>()
  const count = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
  const asked: readonly (readonly [string, Readonly<Record<string, string>>, readonly Request[]])[] = [
    ['a visitor', {}, VISITS],
    ['a visitor whose session ended', { cookie: 'svc_session=ended; __Host-svc_session=ended' }, VISITS],
    ['the reader of a share link', {}, OPENINGS],
  ]
  const world = { ...one, admin: one.service.admin, nobody: one.service.nobody }
  const steps = fc.array(step, { minLength: 6, maxLength: 16 })
  const folderSteps = fc.array(folderStep, { minLength: 2, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(steps, folderSteps, async (steps, folderSteps) => {
      for (const { do: name, path } of [...BEGINNING, ...folderSteps]) {
        count(`${name} ${(await FOLDER_STEPS[name](world.admin, path)).status}`)
      }
      for (const { do: name, word } of steps) count(`${name} ${(await STEPS[name](world, word)).status}`)
      const differences: Difference[] = []
      for (const [name, headers, requests] of asked) {
        for (const request of requests) {
          const [here = '', there = ''] = await Promise.all(
            [one, two].map((twin) => askWithSecret(twin, { name, client: twin.service.nobody, headers }, request)),
          )
          const { method, path, name: about } = request
          if (here !== there) differences.push(toDifference(`${method} ${path} ${about} by ${name}`, here, there))
        }
        comparisons += requests.length
      }
      assert.deepEqual(differences.slice(0, MAX_TOLD), [], `${differences.length} differences`)
    }),
    { numRuns: ROUNDS, endOnFailure: true, examples: [[ALL_STEPS, []]] },
  )
  t.diagnostic(`${comparisons} comparisons after ${JSON.stringify(Object.fromEntries(counts))}`)
})
