import type { Options } from '../../support/client.ts'
import type { Person, Space } from '../model.ts'
import type { RequestName } from '../world-vault.ts'
import { REQUESTS } from '../world-vault.ts'
import { tool } from './rule.ts'

/** Where a route is called: a path of a space, through one of its change requests. */
export interface RequestPlace {
  readonly slug: string
  readonly path: string
  readonly number: number
}

/**
 * A call that is about a change request. `of` says for which paths it is made: those of pages, of files, of changed
 * pages, of the vault and by those alone who do not read it, or once for the space. It changes nothing.
 */
export interface RequestRoute {
  readonly of: 'page' | 'file' | 'space' | 'change' | 'vault'
  /** `propose`: a key that only reads is rejected. `manage`: for the author and admins of the space. */
  readonly needs?: 'propose' | 'manage'
  readonly ok?: readonly number[]
  /** The answer where the place can be read and nothing is there; 404 where it is left out. */
  readonly missing?: readonly number[]
  readonly send?: (place: RequestPlace) => Options & { readonly query?: string }
  /** The paths of a list, which must be those that the model shows. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  readonly lists?: (json: any) => readonly string[]
}

const JSON_PAGE = { accept: 'application/json' }
const HTML = { accept: 'text/html' }
const STALE = { 'if-match': '"9999"' }
const through = (number: number, more = '') => `changeRequest=${number}${more}`

/** A read with the parameter. */
function read(headers: Options['headers'] = {}, more = '') {
  return ({ number }: RequestPlace) => ({ query: through(number, more), headers })
}

/** A write with the parameter, and a precondition that nothing meets. */
function stale(json?: unknown) {
  return ({ number }: RequestPlace) => ({
    query: through(number),
    headers: STALE,
    ...(json === undefined ? {} : { json }),
  })
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
const pathsIn = (items: any): string[] => items.map(({ path }: { path: string }) => path)
const proposes = { needs: 'propose', ok: [412] } as const
const PAGE = '/pages/:space/:path'
const FILE = '/files/:space/:path'

/** Every route that takes `changeRequest`. */
export const OVERLAID_ROUTES: Readonly<Record<string, RequestRoute>> = {
  [`GET ${PAGE}`]: { of: 'page', send: read(JSON_PAGE) },
  [`GET ${PAGE} (Markdown)`]: { of: 'page', send: read({ accept: 'text/markdown' }) },
  [`GET ${PAGE} (HTML)`]: { of: 'page', send: read(HTML) },
  [`GET ${PAGE} (subtree)`]: { of: 'page', send: read({}, '&format=md') },
  [`GET ${PAGE}/links (overlaid)`]: { of: 'page', send: read() },
  [`GET ${PAGE}/metadata`]: { of: 'page', send: read() },
  [`PUT ${PAGE}`]: { ...proposes, of: 'page', missing: [412], send: stale({ body: 'x' }) },
  [`PATCH ${PAGE}`]: { ...proposes, of: 'page', send: stale({ edits: [{ op: 'append', text: 'x' }] }) },
  [`DELETE ${PAGE}`]: { ...proposes, of: 'page', send: stale() },
  [`POST ${PAGE}/move`]: { ...proposes, of: 'page', send: stale({ to: { path: 'elsewhere' } }) },
  [`POST ${PAGE}/restore`]: { ...proposes, of: 'page', ok: [409], send: stale() },
  [`POST ${PAGE}/versions/:n/make-latest`]: { ...proposes, of: 'page', ok: [404, 412], send: stale() },
  [`PATCH ${PAGE}/metadata`]: { ...proposes, of: 'page', send: stale({ set: { a: 1 } }) },
  'GET /edit/:space/*': { of: 'page', needs: 'propose', send: read(HTML) },
  'POST /edit/:space/*': {
    of: 'page',
    needs: 'propose',
    send: ({ number }) => ({
      query: through(number),
      json: { base: '1', draft: `draft-${number}-1`, body: 'x', action: 'preview' },
      headers: HTML,
    }),
  },

  [`GET ${FILE}`]: { of: 'file', send: read() },
  [`GET ${FILE} (object)`]: { of: 'file', send: read(JSON_PAGE) },
  [`PUT ${FILE}`]: {
    ...proposes,
    of: 'file',
    missing: [412],
    send: ({ number }) => ({ query: through(number), headers: STALE, body: 'x' }),
  },
  [`DELETE ${FILE}`]: { ...proposes, of: 'file', send: stale() },
  [`POST ${FILE}/move`]: { ...proposes, of: 'file', send: stale({ to: { path: 'elsewhere' } }) },
  [`POST ${FILE}/restore`]: { ...proposes, of: 'file', ok: [409], send: stale() },

  'GET /spaces/:space/pages': {
    of: 'space',
    send: read(JSON_PAGE, '&limit=200'),
    lists: ({ items }) => pathsIn(items),
  },
  'GET /spaces/:space/pages (prefix)': { of: 'space', send: read(JSON_PAGE, '&prefix=vault') },
  'GET /spaces/:space/pages (few)': { of: 'space', send: read(JSON_PAGE, '&limit=4') },
  'GET /spaces/:space/pages (document)': { of: 'space', send: read({}, '&format=md') },
  'GET /spaces/:space/files': { of: 'space', send: read({}, '&limit=200') },
  'GET /spaces/:space/links/broken': { of: 'space', send: read() },
  'GET /spaces/:space/links/broken (few)': { of: 'space', send: read({}, '&limit=2') },
  'GET /spaces/:space/export': { of: 'space', send: read(), lists: ({ pages }) => pathsIn(pages) },
  'GET /spaces/:space/export (lines)': { of: 'space', send: read({ accept: 'application/x-ndjson' }) },
  'GET /fragments/tree/:space': { of: 'space', send: read(HTML, '&page=shown&open=vault') },
  'GET /fragments/tree/:space (folder)': { of: 'space', send: read(HTML, '&folder=vault') },
  'GET /fragments/tree/:space (words)': { of: 'space', send: read(HTML, '&q=zq') },
  'GET /search': { of: 'space', send: ({ number, slug }) => ({ query: through(number, `&q=line&space=${slug}`) }) },
  'GET /search (word)': {
    of: 'space',
    send: ({ number, slug }) => ({ query: through(number, `&q=zq&space=${slug}&passages=true`) }),
  },
  'POST /pages/batch': {
    of: 'page',
    needs: 'propose',
    ok: [202],
    missing: [202],
    send: ({ slug: space, path, number }) => ({
      query: through(number),
      json: {
        operations: [
          { op: 'put', space, path, body: 'x', ifMatch: '"9999"' },
          { op: 'patch', space, path, edits: [{ op: 'append', text: 'x' }], ifMatch: '"9999"' },
          { op: 'delete', space, path, ifMatch: '"9999"' },
        ],
      },
    }),
  },
  'POST /metadata/batch': {
    of: 'page',
    needs: 'propose',
    ok: [202],
    missing: [202],
    send: ({ slug: space, path, number }) => ({
      query: through(number),
      json: { pages: [{ space, path, ifMatch: '"9999"' }], set: { a: 1 } },
    }),
  },
}

const refused = { of: 'vault', needs: 'propose', ok: [404] } as const
const FIRST = { 'if-match': '"1"' }

/** Writes that would succeed at an address that the caller reads. */
export const REFUSED_ROUTES: Readonly<Record<string, RequestRoute>> = {
  [`PUT ${PAGE} (new)`]: { ...refused, send: ({ number }) => ({ query: through(number), json: { body: 'x' } }) },
  [`PUT ${FILE} (new)`]: { ...refused, send: ({ number }) => ({ query: through(number), body: 'x' }) },
  'POST /pages/:space/in/move': {
    ...refused,
    send: ({ number, path }) => ({ query: through(number), headers: FIRST, json: { to: { path } } }),
  },
  'POST /files/:space/in.txt/move': {
    ...refused,
    send: ({ number, path }) => ({ query: through(number), headers: FIRST, json: { to: { path } } }),
  },
  // Such a path has no change, as any other without one.
  'POST /spaces/:space/change-requests/:number/merge (paths)': {
    of: 'vault',
    ok: [400, 403],
    send: ({ path }) => ({ headers: { 'if-match': '*' }, json: { paths: [path] } }),
  },
  'POST /spaces/:space/change-requests/:number/update (paths)': {
    ...refused,
    ok: [400, 403],
    send: ({ path }) => ({ headers: { 'if-match': '*' }, json: { paths: [path] } }),
  },
  'GET /spaces/:space/change-requests (path)': {
    of: 'vault',
    send: ({ path }) => ({ query: `path=${encodeURIComponent(path)}` }),
  },
}

const REQUEST = '/spaces/:space/change-requests/:number'
const SCREEN = '/to-review/:space/:number'
const judges = { of: 'space', needs: 'propose', ok: [412] } as const
const manages = { of: 'space', needs: 'manage', ok: [412] } as const
const send = (json: unknown) => () => ({ json, headers: STALE })

/** Every route about one change request. */
export const REQUEST_ROUTES: Readonly<Record<string, RequestRoute>> = {
  [`GET ${REQUEST}`]: { of: 'space' },
  [`GET ${REQUEST}/changes`]: { of: 'space' },
  [`GET ${REQUEST}/diff`]: { of: 'change', send: ({ path }) => ({ query: `path=${encodeURIComponent(path)}` }) },
  [`PATCH ${REQUEST}`]: { ...manages, send: send({ title: 'Words' }) },
  [`POST ${REQUEST}/reviews`]: { ...judges, send: send({ verdict: 'comment', body: 'x' }) },
  [`POST ${REQUEST}/checks`]: { ...judges, send: send({ name: 'x', status: 'passed' }) },
  [`POST ${REQUEST}/update`]: { ...judges, ok: [403, 412], send: send({}) },
  [`POST ${REQUEST}/merge`]: { of: 'space', ok: [403, 412], send: send({}) },
  [`GET ${SCREEN}`]: { of: 'space', send: () => ({ headers: HTML }) },
  [`GET ${SCREEN} (rendered)`]: { of: 'space', send: () => ({ headers: HTML, query: 'as=rendered' }) },
  [`GET ${SCREEN} (path)`]: {
    of: 'page',
    missing: [200],
    send: ({ path }) => ({ headers: HTML, query: `path=${encodeURIComponent(path)}` }),
  },
}

const changeRequest = ({ number }: RequestPlace) => ({ changeRequest: String(number) })
const inSpace = ({ slug }: RequestPlace) => ({ space: slug })
const atPath = ({ slug, path }: RequestPlace) => ({ space: slug, path })

function call(name: string, args: (place: RequestPlace) => Readonly<Record<string, unknown>>) {
  return (place: RequestPlace) => tool(name, () => args(place))({ slug: place.slug, marker: '' })
}

const readsPage = (name: string) =>
  ({ of: 'page', send: call(name, (place) => ({ ...atPath(place), ...changeRequest(place) })) }) as const
const writesPage = (name: string, args: Readonly<Record<string, unknown>>, more: Partial<RequestRoute> = {}) => ({
  ...proposes,
  of: 'page' as const,
  send: call(name, (place) => ({ ...atPath(place), ...changeRequest(place), ...args })),
  ...more,
})

/** The tools that take `changeRequest`, and those about change requests. */
export const REQUEST_TOOLS: Readonly<Record<string, RequestRoute>> = {
  context_get_page: readsPage('context_get_page'),
  context_get_metadata: readsPage('context_get_metadata'),
  context_get_pages: {
    of: 'page',
    send: call('context_get_pages', (place) => ({ pages: [`${place.slug}/${place.path}`], ...changeRequest(place) })),
  },
  context_list_pages: {
    of: 'space',
    send: call('context_list_pages', (place) => ({ ...inSpace(place), limit: 200, ...changeRequest(place) })),
    lists: ({ items }) => pathsIn(items),
  },
  context_search: {
    of: 'space',
    send: call('context_search', (place) => ({ ...inSpace(place), query: 'zq', ...changeRequest(place) })),
  },
  context_write_page: writesPage('context_write_page', { body: 'x', version: 9999 }, { missing: [412] }),
  context_edit_page: writesPage('context_edit_page', { edits: [{ op: 'append', text: 'x' }], version: 9999 }),
  context_move_page: writesPage('context_move_page', { to: 'elsewhere', version: 9999 }),
  context_delete_page: writesPage('context_delete_page', { version: 9999 }),
  context_restore_page: writesPage('context_restore_page', {}, { ok: [409] }),
  context_replace_text: writesPage('context_replace_text', { find: 'nowhere', replace: 'x' }, { ok: [409] }),
  context_update_metadata: {
    of: 'space',
    needs: 'propose',
    ok: [404],
    send: call('context_update_metadata', (place) => ({
      pages: [`${place.slug}/none`, `${place.slug}/vault/none`],
      set: { a: 1 },
      ...changeRequest(place),
    })),
  },
  context_list_change_requests: { of: 'space', send: call('context_list_change_requests', inSpace) },
  context_get_change_request: {
    of: 'space',
    send: call('context_get_change_request', (place) => ({ ...inSpace(place), number: place.number })),
  },
}

/** The change request of a name, as a call names it. */
export function toPlace({ slug }: Space, path: string, request: RequestName): RequestPlace {
  return { slug, path, number: REQUESTS[request] }
}

/** Whether a person is the author of the requests. */
export const isAuthor = (person: Person, people: readonly Person[]) => person === people[0]
