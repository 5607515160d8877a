import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Answer, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { newOwner } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { tool } from './route-rules/rule.ts'
import { signIn } from './twin-observers.ts'

/** A word of what is in the folders `vault` and `templates/vault`, and of nothing else. */
const WORD = 'quokka'
/** The name of what is there, which is in the links of a page that everybody reads, too. */
const NAME = 'numbat'
const PAGE = `vault/${NAME}`
const FILE = `vault/${NAME}.txt`
const SHOWS_WORD = new RegExp(WORD, 'i')
const SHOWS_PLACE = new RegExp(`${WORD}|${NAME}`, 'i')
const ANY = { 'if-match': '*' }

interface Asked {
  /** Where the list is, with all that the reader may see in it. */
  readonly url: string
  readonly accept?: string
  /** What tells that it shows something of the folder; the word or the name where this is absent. */
  readonly shows?: RegExp
}

/** Lists of the API, each of which shows something of the folder to who reads it. */
const LISTS: Readonly<Record<string, Asked | readonly Asked[]>> = {
  'GET /spaces/:space/pages': [
    { url: '/spaces/open/pages?limit=200' },
    { url: '/spaces/open/pages?prefix=vault' },
    { url: '/spaces/open/pages?format=md', shows: SHOWS_WORD },
  ],
  'GET /pages/recent': [{ url: '/pages/recent?limit=200' }, { url: '/pages/recent?space=open' }],
  'GET /titles': { url: `/titles?q=${WORD}` },
  'GET /search': [{ url: `/search?q=${WORD}` }, { url: `/search?q=${WORD}&space=open&passages=true` }],
  'GET /search/suggest': { url: `/search/suggest?q=${WORD.slice(0, 4)}` },
  'GET /search/metadata': [
    { url: '/search/metadata?includeMetadata=true&limit=200' },
    { url: `/search/metadata?space=open&filters=${encodeURIComponent('[{"key":"status","op":"exists"}]')}` },
  ],
  'GET /search/metadata/keys': { url: '/search/metadata/keys?limit=200' },
  'GET /search/metadata/values': { url: '/search/metadata/values?key=status' },
  'GET /spaces/:space/order': [
    { url: '/spaces/open/order?folder=vault' },
    { url: '/spaces/open/order?folder=', shows: /"vault"/ },
  ],
  'GET /me/favourites': { url: '/me/favourites' },
  'GET /me/watches': [{ url: '/me/watches' }, { url: '/me/watches?limit=200', shows: /"kind":"thread"/ }],
  'GET /me/unsaved': { url: '/me/unsaved' },
  'GET /me/notifications': { url: '/me/notifications' },
  'GET /shares/:space/:path': { url: `/shares/open/${encodeURIComponent(PAGE)}`, shows: /"state":/ },
  'GET /spaces/:space/shares': { url: '/spaces/open/shares' },
  'GET /spaces/:space/reports/verification': { url: '/spaces/open/reports/verification?status=none&limit=200' },
  'GET /pages/:space/:path/versions': { url: `/pages/open/${PAGE}/versions` },
  'GET /spaces/:space/trash': { url: '/spaces/open/trash' },
  'GET /spaces/:space/files': { url: '/spaces/open/files' },
  'GET /spaces/:space/files/trash': { url: '/spaces/open/files/trash' },
  'GET /files/:space/:path/versions': { url: `/files/open/${FILE}/versions`, shows: /"digest":/ },
  'GET /spaces/:space/change-requests': { url: `/spaces/open/change-requests?path=${PAGE}`, shows: /"title":/ },
  'GET /change-requests': { url: '/change-requests', shows: /"changes":[1-9]/ },
  'GET /spaces/:space/change-requests/:number': { url: '/spaces/open/change-requests/1', shows: /"changes":[1-9]/ },
  'GET /spaces/:space/change-requests/:number/changes': { url: '/spaces/open/change-requests/1/changes' },
  'GET /spaces/:space/change-requests/:number/diff': [
    { url: `/spaces/open/change-requests/1/diff?path=${PAGE}`, shows: /anew/ },
    { url: `/spaces/open/change-requests/1/diff?path=${PAGE}-proposed`, shows: SHOWS_WORD },
  ],
  'GET /spaces/:space/change-requests/:number/threads': { url: '/spaces/open/change-requests/1/threads' },
  'GET /threads/:space/:path': [
    { url: `/threads/open/${PAGE}` },
    { url: `/threads/open/${FILE}?resource=file`, shows: SHOWS_WORD },
  ],
  'GET /changes': [{ url: '/changes' }, { url: '/changes?space=open' }],
  'GET /presence': { url: `/presence?page=open/${PAGE}`, shows: /"version":/ },
  'GET /pages/:space/:path/links': [
    { url: '/pages/open/page/links', shows: SHOWS_WORD },
    { url: '/pages/open/page/links?depth=2', shows: SHOWS_WORD },
  ],
  'GET /spaces/:space/links/broken': { url: '/spaces/open/links/broken' },
  'GET /spaces/:space/links/orphans': { url: '/spaces/open/links/orphans' },
  'GET /spaces/:space/links/wanted': { url: '/spaces/open/links/wanted' },
  'GET /pages/:space/:path/metadata': { url: `/pages/open/${PAGE}/metadata` },
  'GET /pages/:space/:path/metadata/history': { url: `/pages/open/${PAGE}/metadata/history` },
  'GET /templates': [{ url: '/templates' }, { url: '/templates?space=open' }],
  'GET /pages/:space/:path': [
    { url: `/pages/open/${PAGE}`, accept: 'application/json', shows: /"body":/ },
    { url: `/pages/open/${PAGE}?view=blame`, shows: /Reader/ },
    { url: `/pages/open/${PAGE}?version=1`, accept: 'text/markdown', shows: SHOWS_WORD },
  ],
  'GET /files/:space/:path': { url: '/files/open/used.txt', accept: 'application/json' },
  'GET /spaces/:space/export': [
    { url: '/spaces/open/export', shows: SHOWS_WORD },
    { url: '/spaces/open/export?history=true', shows: SHOWS_WORD },
  ],
}

/** Lists of nothing that is at a place of a space, and those for who may see all of it. */
const OTHERS = [
  // keys, accounts and what they are signed in with
  ...['GET /me/api-keys', 'GET /me/passkeys', 'GET /me/sessions', 'GET /me/connections'],
  // spaces, and who is in them
  ...['GET /spaces', 'GET /spaces/:space/members', 'GET /spaces/:space/groups', 'GET /spaces/:space/readers'],
  ...['GET /spaces/:space/candidates', 'GET /spaces/:space/invitations', 'GET /spaces/:space/access-requests'],
  ...['GET /spaces/:space/rules', 'GET /spaces/:space/rules/:prefix', 'GET /space-templates'],
  // one thing at its own address, with lists in it
  ...['GET /threads/by-id/:id', 'GET /me', 'GET /spaces/:space', 'GET /space-templates/:source/:id'],
]

const MCP_LISTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  context_list_pages: { space: 'open' },
  context_find: { query: WORD },
  context_search: { query: WORD },
  context_get_page_links: { space: 'open', path: 'page' },
  context_get_page_history: { space: 'open', path: PAGE },
  context_compare: { space: 'open', path: PAGE },
  context_get_changes: {},
  context_list_reports: { space: 'open', report: 'orphans' },
  context_list_files: { space: 'open', prefix: 'vault/' },
  context_query_metadata: { includeMetadata: true },
  context_list_metadata_keys: {},
  context_list_templates: {},
  context_get_change_request: { space: 'open', number: 1 },
  context_list_comments: { space: 'open', path: PAGE },
}

let service: Service
let reader: Client
before(async () => {
  service = await startService()
  await service.admin.space('open', { defaultRole: 'editor' })
  const person = await newOwner(service.admin, 'Reader')
  reader = person.client
  await fill(service.admin, person.key)
})
after(() => service[Symbol.asyncDispose]())

/** All that the reader makes, or is told of, while the folder is open to them. */
async function fill(admin: Client, key: string): Promise<void> {
  const made = async (answer: Promise<Answer>) => assert.ok((await answer).status < 300, (await answer).text)
  const page = {
    json: {
      body: `# ${WORD}\n\n[page](../page) [none](./${NAME}-none) [gone](../nowhere) [f](../used.txt)`,
      note: WORD,
      metadata: { [WORD]: WORD, status: WORD },
    },
    headers: { 'if-none-match': '*' },
  }
  await made(reader.put('/pages/open/page', `# Page\n\n[v](./${PAGE}) [w](./${PAGE}-wanted) ![f](./${FILE})`))
  await made(reader.call('PUT', `/pages/open/${PAGE}`, page))
  await made(reader.put(`/pages/open/${PAGE}-orphan`, `# ${WORD}`))
  await made(reader.put(`/pages/open/templates/${PAGE}`, `# ${WORD}`))
  await made(reader.call('PUT', `/files/open/${FILE}`, { body: 'bytes' }))
  await made(reader.call('PUT', '/files/open/used.txt', { body: 'bytes' }))
  await made(reader.call('PUT', '/spaces/open/order', { json: { folder: 'vault', names: [NAME, `${NAME}-orphan`] } }))
  await made(reader.call('PUT', '/spaces/open/order', { json: { folder: '', names: ['vault'] } }))
  await made(reader.put(`/pages/open/${PAGE}-gone`, `# ${WORD}`))
  await made(reader.delete(`/pages/open/${PAGE}-gone`, ANY))
  await made(reader.call('PUT', '/files/open/gone.txt', { body: 'bytes' }))
  await made(reader.post('/files/open/gone.txt/move', { to: { path: `vault/gone-${NAME}.txt` } }, ANY))
  await made(reader.delete(`/files/open/vault/gone-${NAME}.txt`, ANY))
  await made(reader.call('PUT', `/me/favourites/open/${PAGE}`))
  await made(reader.call('PUT', `/me/watches/open/${PAGE}`))
  await made(reader.call('PUT', `/me/unsaved/open/${PAGE}`, { json: { body: WORD } }))
  await made(admin.post(`/threads/open/${PAGE}`, { body: WORD }))
  await made(admin.post(`/threads/open/${FILE}?resource=file`, { body: WORD }))
  await made(reader.post('/spaces/open/change-requests', { title: 'Request' }))
  await made(reader.put(`/pages/open/${PAGE}?changeRequest=1`, `# ${WORD} anew`, ANY))
  await made(reader.put(`/pages/open/${PAGE}-proposed?changeRequest=1`, `# ${WORD}`))
  await made(admin.post('/spaces/open/change-requests/1/threads', { body: WORD, path: PAGE }))
  const proposed = await reader.put('/pages/open/leaving?changeRequest=1', '# Moved')
  const about = { body: WORD, path: 'leaving' }
  const { id } = assertStatus(await admin.post('/spaces/open/change-requests/1/threads', about), 201).json
  await made(reader.call('PUT', `/me/watches/by-id/${id}`))
  const to = { path: `vault/${NAME}-moved` }
  const tag = { 'if-match': proposed.headers.get('etag') ?? '' }
  await made(reader.post('/pages/open/leaving/move?changeRequest=1', { to }, tag))
  const headers = await signIn(service.nobody, key)
  await made(service.nobody.call('POST', `/shares/open/${encodeURIComponent(PAGE)}`, { json: {}, headers }))
}

/** What a list shows of the folder, beside what the request names itself. */
async function shows({ url, accept = '*/*', shows = SHOWS_PLACE }: Asked): Promise<boolean> {
  const { text } = await reader.get(url, { accept })
  return shows.test(decodeURIComponent(url).includes(NAME) ? text.replaceAll(PAGE, '').replaceAll(FILE, '') : text)
}

async function toolShows(name: string): Promise<boolean> {
  const { text } = await reader.call('POST', '/mcp', tool(name, () => MCP_LISTS[name] ?? {})({ slug: '', marker: '' }))
  return name === 'context_list_files' ? SHOWS_PLACE.test(text) : SHOWS_WORD.test(text)
}

const listsOf = (route: string) => [LISTS[route] ?? []].flat()

test('every list of the API is here: a new one shows nothing of a folder whose rule hides it', async () => {
  interface Documented {
    readonly responses: Readonly<
      Record<string, { readonly content?: Readonly<Record<string, { readonly schema: unknown }>> }>
    >
  }
  const { paths, components } = assertStatus(await service.admin.get('/openapi.json'), 200).json
  const isList = ({ responses }: Documented) => {
    const text = JSON.stringify(responses['200']?.content?.['application/json']?.schema ?? {})
    const named = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name = '']) => components.schemas[name])
    return /"nextCursor"|"type":"array"/.test(JSON.stringify([text, ...named]))
  }
  const lists = Object.entries(paths as Record<string, Record<string, Documented>>)
    .filter(([path, { get }]) => get && !path.startsWith('/admin/') && !path.endsWith('.md') && isList(get))
    .map(([path]) => `GET ${path.replace(/\{(\w+)\}/g, ':$1')}`)
  const unnamed = lists.filter((route) => !(route in LISTS) && !OTHERS.includes(route))
  assert.deepEqual(unnamed, [], 'name the list in test/access/lists.test.ts')
})

test('lists show what is in a folder to its readers, and nothing of it from the moment on that a rule hides it', async () => {
  const lists = new Map([
    ...Object.keys(LISTS)
      .flatMap(listsOf)
      .map((list) => [list.url, () => shows(list)] as const),
    ...Object.keys(MCP_LISTS).map((name) => [name, () => toolShows(name)] as const),
  ])
  const empty = new Set(lists.keys())
  // Events and indexes follow what was written.
  const look = async () => {
    for (const name of empty) if (await lists.get(name)?.()) empty.delete(name)
    return empty.size === 0
  }
  await until(look).catch(() => assert.deepEqual([...empty], [], 'shows nothing of the folder'))
  for (const prefix of ['vault', 'templates%2Fvault']) {
    const rule = { read: [], write: [] }
    assertStatus(await service.admin.call('PUT', `/spaces/open/rules/${prefix}`, { json: rule }), 201)
  }
  const shown: string[] = []
  for (const [name, showsPlace] of lists) if (await showsPlace()) shown.push(name)
  assert.deepEqual(shown, [])
})

test('a list at an address that a rule hides is answered as one where nothing is', async () => {
  const addresses = [
    ...['versions', 'metadata', 'metadata/history', 'links'].map(
      (list) => (path: string) => `/pages/open/${path}/${list}`,
    ),
    ...['threads', 'diff'].map((list) => (path: string) => `/spaces/open/change-requests/1/${list}?path=${path}`),
    (path: string) => `/threads/open/${path}`,
    (path: string) => `/pages/open/${path}?version=1`,
  ]
  const answers = async (path: string) => {
    const sent = await Promise.all(addresses.map((toUrl) => reader.get(toUrl(path))))
    return sent.map(({ status, text }, n) => [
      addresses[n]?.('…'),
      status,
      text.replaceAll(path, '').replace(/"requestId":"[^"]*"/, ''),
    ])
  }
  const rule = { read: [], write: [] }
  assert.ok((await service.admin.call('PUT', '/spaces/open/rules/vault', { json: rule })).status < 300)
  const nothing = await answers('vault/never')
  assert.ok(nothing.every(([, status]) => status === 404))
  assert.deepEqual(await answers(PAGE), nothing)
})
