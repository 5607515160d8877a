import type { Options } from '../support/client.ts'

/** The slugs of the spaces that observers may not see. */
export const HIDDEN = ['hid-a', 'hid-b', 'hid-c'] as const

export interface Request extends Options {
  readonly method: string
  readonly path: string
  /** What tells it from others with the same path. */
  readonly name: string
}

const ANY = { 'if-match': '*' }

/** Links from a page to each hidden space, whether there is one at the moment or not. */
export const LINKS = HIDDEN.map((slug) => `[${slug}](/pages/${slug}/x) [y](/pages/${slug}/y)`).join(' ')

export function get(path: string, accept: 'application/json' | 'text/html'): Request {
  return { method: 'GET', path, name: accept, headers: { accept } }
}

export function write(method: string, path: string, json?: unknown, headers = {}): Request {
  return { method, path, name: JSON.stringify(json) ?? '', headers, ...(json !== undefined && { json }) }
}

export function tool(name: string, args: object): Request {
  return rpc('tools/call', { name, arguments: { ...args, format: 'detailed' } })
}

export function rpc(method: string, params: object): Request {
  const json = { jsonrpc: '2.0', id: 1, method, params }
  const headers = { accept: 'application/json, text/event-stream' }
  return { method: 'POST', path: '/mcp', name: JSON.stringify(json), json, headers }
}

export function completion(argument: object, known: object): Request {
  const ref = { type: 'ref/resource', uri: 'recto://pages/{space}/{+path}{?fromLine,fromColumn}' }
  return rpc('completion/complete', { ref, argument, context: { arguments: known } })
}

export const EVERYWHERE = [
  '/spaces',
  '/pages/recent',
  '/pages/open/page/links',
  '/pages/open/other/links?depth=3',
  '/spaces/open/groups',
  '/spaces/open/links/broken',
  '/spaces/open/links/orphans',
  ...['current', 'changed', 'expired', 'none', 'agents'].map(
    (status) => `/spaces/open/reports/verification?status=${status}`,
  ),
  '/spaces/open/links/wanted',
  '/spaces/open/export',
  '/spaces/open/export?format=ndjson',
  '/spaces/open/pages',
  '/spaces/open/pages?format=md',
  '/llms.txt',
  '/spaces/open/files',
  '/search?q=hidden',
  '/search?q=page',
  '/titles?q=hid',
  '/search/suggest?q=hid',
  '/search/suggest?q=pag',
  '/search/metadata?includeMetadata=true',
  '/search/metadata/keys',
  '/search/metadata/values?key=status',
  '/templates',
  '/me/connections',
  '/me/favourites',
  '/me/watches',
  '/me/unsaved',
  '/changes',
  '/changes?space=open',
  '/changes?kinds=space.created,space.updated,space.deleted',
]
export const WEB = [
  '/',
  '/all-spaces',
  '/browse/open',
  '/graph/open/page',
  '/reports/open',
  '/find?q=hidden',
  '/fragments/panel/open/page',
  '/fragments/neighbours/open/page',
  '/fragments/tree/open?page=page',
  '/spaces/open/order',
]

/** An id that names nothing. */
const NOTHING = '00000000-0000-7000-8000-000000000000'

/** What is asked about one hidden space. */
function readsOf(slug: string): Request[] {
  return [
    `/spaces/${slug}`,
    `/spaces/${slug}/pages`,
    `/spaces/${slug}/files`,
    `/spaces/${slug}/files/trash`,
    `/files/${slug}/x`,
    `/files/${slug}/y`,
    `/files/${slug}/x?width=320`,
    `/files/${slug}/x/versions`,
    `/spaces/${slug}/members`,
    `/spaces/${slug}/groups`,
    `/spaces/${slug}/invitations`,
    `/spaces/${slug}/trash`,
    `/spaces/${slug}/export`,
    `/spaces/${slug}/export?format=ndjson`,
    `/spaces/${slug}/reports/verification?status=none`,
    `/spaces/${slug}/links/broken`,
    `/pages/${slug}/x`,
    `/pages/${slug}/y`,
    `/pages/${slug}/x/links`,
    `/pages/${slug}/x/versions`,
    `/pages/${slug}/x/metadata`,
    `/search?q=hidden&space=${slug}`,
    `/changes?space=${slug}`,
  ]
    .map((path) => get(path, 'application/json'))
    .concat(
      [`/pages/${slug}/x`, `/browse/${slug}`, `/open/${slug}`, `/browse-files/${slug}`, `/file/${slug}/x`].map((path) =>
        get(path, 'text/html'),
      ),
    )
    .concat(tool('context_get_page', { space: slug, path: 'x' }), tool('context_list_pages', { space: slug }))
    .concat(
      tool('context_get_pages', { pages: [`${slug}/x`, 'open/page'] }),
      tool('context_compare', { space: slug, path: 'x' }),
      tool('context_find', { query: 'x', space: slug }),
      tool('context_get_changes', { space: slug }),
      rpc('resources/read', { uri: `recto://pages/${slug}` }),
      rpc('resources/read', { uri: `recto://pages/${slug}/x` }),
      completion({ name: 'path', value: '' }, { space: slug }),
      rpc('prompts/get', { name: 'mend_links', arguments: { space: slug } }),
      tool('context_list_reports', { space: slug, report: 'broken' }),
    )
}

/** What observers try to change in a hidden space, or to bring there. */
function writesOf(slug: string): Request[] {
  const page = `/pages/${slug}/x`
  return [
    write('PUT', page, { body: 'mine' }),
    write('PUT', page, { body: 'mine' }, { 'if-match': '"1"' }),
    write('PATCH', page, { edits: [{ op: 'append', text: 'mine' }] }, ANY),
    write('PATCH', `${page}/metadata`, { set: { mine: 1 } }),
    write('DELETE', page, undefined, ANY),
    write('DELETE', `${page}?purge=true`, undefined, ANY),
    write('POST', `${page}/move`, { to: { path: 'mine' } }, ANY),
    write('POST', `${page}/move`, { to: { space: 'open', path: 'mine' } }, ANY),
    write('POST', `${page}/restore`),
    write('POST', '/pages/batch-get', {
      pages: [
        { space: slug, path: 'x' },
        { space: slug, path: 'x', version: 1 },
      ],
    }),
    write('POST', '/pages/batch', {
      operations: [
        { op: 'put', space: slug, path: 'x', body: 'mine', ifMatch: '*' },
        { op: 'patch', space: slug, path: 'x', edits: [{ op: 'append', text: 'mine' }], ifMatch: '*' },
        { op: 'delete', space: slug, path: 'x', ifMatch: '*' },
      ],
    }),
    write('POST', '/metadata/batch', { pages: [{ space: slug, path: 'x' }], set: { mine: 1 } }),
    write('POST', '/metadata/batch', { pages: [{ space: slug, path: 'x' }], set: { mine: 1 }, atomic: true }),
    write('POST', `${page}/versions/1/make-latest`),
    write('POST', `/spaces/${slug}/move-folder`, { path: 'x', to: { path: 'mine' } }),
    write('POST', `/spaces/${slug}/delete-folder`, { path: 'x' }),
    write('PUT', `/files/${slug}/x`, { any: 'bytes' }),
    write('PUT', `/files/${slug}/x`, { any: 'bytes' }, { 'if-match': '"1"' }),
    write('DELETE', `/files/${slug}/x`, undefined, ANY),
    write('DELETE', `/files/${slug}/x?purge=true`, undefined, ANY),
    write('POST', `/files/${slug}`, { any: 'form' }),
    write('POST', `/files/${slug}/x/restore`),
    write('POST', `/files/${slug}/x/move`, { to: { path: 'mine' } }, ANY),
    write('POST', '/files/open/file/move', { to: { space: slug, path: 'z' } }, ANY),
    write('POST', `/spaces/${slug}/order`, { path: 'x', after: null }),
    write('PUT', `/spaces/${slug}/order`, { folder: '', names: ['x'] }),
    write('PUT', `/me/favourites/${slug}`),
    write('PUT', `/me/favourites/${slug}/x`),
    write('PUT', `/me/watches/${slug}/x`),
    write('DELETE', `/me/favourites/${slug}/x`),
    write('PUT', `/me/unsaved/${slug}`, { body: 'typed' }),
    write('PUT', `/me/unsaved/${slug}/x`, { body: 'typed' }),
    write('DELETE', `/me/unsaved/${slug}/x`),
    write('PATCH', `/spaces/${slug}`, { name: 'mine' }),
    write('DELETE', `/spaces/${slug}?force=true`),
    write('DELETE', `/spaces/${slug}`),
    write('PUT', `/spaces/${slug}/members/${NOTHING}`, { role: 'viewer' }),
    write('PUT', `/spaces/${slug}/groups/${NOTHING}`, { role: 'viewer' }),
    write('POST', `/spaces/${slug}/invitations`, { email: 'mine@example.com', role: 'viewer' }),
    write('POST', `/spaces/${slug}/invitations/${NOTHING}/resend`),
    write('DELETE', `/spaces/${slug}/invitations/${NOTHING}`),
    write('POST', '/pages/open/page/move', { to: { space: slug, path: 'z' }, withChildren: true }, ANY),
    write('POST', '/spaces/open/move-folder', { path: 'page', to: { space: slug, path: 'z' } }),
    write('POST', '/me/api-keys', { name: 'mine', scopes: ['read'], spaces: [slug] }),
    write('POST', '/space-templates/org', { space: slug }),
    tool('context_write_page', { space: slug, path: 'x', body: 'mine' }),
    tool('context_edit_page', { space: slug, path: 'x', version: 1, edits: [{ op: 'append', text: 'mine' }] }),
    tool('context_patch_metadata', { space: slug, path: 'x', set: { mine: 1 } }),
    tool('context_update_metadata', { pages: [`${slug}/x`, 'open/page'], set: { mine: 1 } }),
    tool('context_update_metadata', { filters: [], space: slug, set: { mine: 1 } }),
    tool('context_replace_text', { space: slug, find: 'e', replace: 'o' }),
    tool('context_replace_text', { space: slug, path: 'x', find: 'e', replace: 'o', all: true }),
    tool('context_move_page', { space: slug, path: 'x', to: 'mine' }),
    tool('context_move_page', { space: slug, path: 'x', to: 'mine', prefix: true, dryRun: true }),
    tool('context_move_page', { space: 'open', path: 'page', to: 'z', toSpace: slug }),
    tool('context_delete_page', { space: slug, path: 'x' }),
    tool('context_delete_page', { space: slug, path: 'x', prefix: true }),
    tool('context_restore_page', { space: slug, path: 'x' }),
  ]
}

/** What observers change where they may, with links to what they may not see. */
const VISIBLE_WRITES = [
  write('PUT', '/pages/open/page', { body: `# Page\n\n${LINKS} [n](./none)` }, ANY),
  write('PATCH', '/pages/open/page', { edits: [{ op: 'append', text: `\n${LINKS}\n` }] }, ANY),
  write('POST', '/pages/open/other/move', { to: { path: 'moved' }, rewriteLinks: true }, ANY),
  write('POST', '/pages/open/moved/move', { to: { path: 'other' }, rewriteLinks: true }, ANY),
  write('PUT', '/pages/personal/mine', { body: LINKS }),
]

/** Everything that an observer asks of a service, in this order. */
export const REQUESTS: readonly Request[] = [
  ...VISIBLE_WRITES,
  ...HIDDEN.flatMap(writesOf),
  ...EVERYWHERE.map((path) => get(path, 'application/json')),
  ...WEB.map((path) => get(path, 'text/html')),
  get('/pages/open/page', 'application/json'),
  get('/pages/open/page', 'text/html'),
  tool('context_get_page_links', { space: 'open', path: 'page' }),
  tool('context_get_broken_links', { space: 'open' }),
  tool('context_list_spaces', {}),
  rpc('resources/list', {}),
  rpc('prompts/list', {}),
  completion({ name: 'space', value: 'hid' }, {}),
  tool('context_find', { query: 'hidden' }),
  tool('context_list_reports', { space: 'open', report: 'wanted' }),
  tool('context_list_reports', { space: 'open', report: 'orphans' }),
  tool('context_search', { query: 'hidden', passages: true }),
  ...HIDDEN.flatMap(readsOf),
  ...crossed(),
]

/** What observers ask about a space that was hidden, and about what came out of one. */
function crossed(): Request[] {
  const places = ['shown/kept/page', 'shown/kept/sub/a', 'shown/again', 'open/arrived', 'open/arrived-sub/b']
  return [
    ...places.flatMap((place) => [
      ...[
        `/pages/${place}`,
        `/pages/${place}/links?depth=3`,
        `/pages/${place}/metadata`,
        `/pages/${place}/metadata/history`,
        `/pages/${place}/versions`,
        `/pages/${place}/versions/1`,
        `/files/${place}`,
        `/files/${place}/versions`,
      ].map((path) => get(path, 'application/json')),
      get(`/pages/${place}`, 'text/html'),
      get(`/history/${place}`, 'text/html'),
      tool('context_get_page', { space: place.split('/')[0], path: place.replace(/^\w+\//, '') }),
    ]),
    ...readsOf('shown'),
    get('/changes?limit=200', 'application/json'),
    get('/changes?limit=200&kinds=page.moved,file.moved,page.deleted,file.deleted', 'application/json'),
    get('/changes?limit=200&space=open', 'application/json'),
    get('/search?q=arrived', 'application/json'),
    get('/search?q=secret', 'application/json'),
    get('/spaces/shown/export?format=ndjson&history=true', 'application/json'),
    get('/spaces/open/export?format=ndjson&history=true', 'application/json'),
    get('/search/metadata/keys?limit=200', 'application/json'),
    tool('context_get_changes', {}),
    tool('context_get_changes', { space: 'open' }),
  ]
}
