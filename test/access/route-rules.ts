import type { Options } from '../support/client.ts'

/**
 * Who may use a route. `public`: anyone at all. `caller`: whoever has a valid credential. `viewer`, `editor`, `admin`:
 * who has at least that role in the space of the address (`:space`, `:slug`, or `personal`). `org-admin`, `key-maker`,
 * `space-maker`: as the model says.
 */
export type Rule =
  | 'public'
  | 'caller'
  | 'viewer'
  | 'editor'
  | 'admin'
  | 'org-admin'
  | 'key-maker'
  | 'space-maker'

/** What a request is made from: a space with the page `page`, whose texts hold the marker. */
export interface Place {
  readonly slug: string
  readonly marker: string
}

export interface RouteRule {
  readonly rule: Rule
  /** What whoever may is answered; 200 where it is left out. It must change nothing that the model knows. */
  readonly ok?: readonly number[]
  /** The request, where the bare address is not enough. */
  readonly send?: (place: Place) => Options & { readonly query?: string }
  /** Values for parameters of the address, where they are not `page`, version 1 and the id of nothing. */
  readonly params?: Readonly<Record<string, string>>
  /** Whether a node answers only a few of these at a time. */
  readonly alone?: boolean
  /** Whether `?space=` limits it to one space, under the rule `viewer` (for `org-admin`: under its own). */
  readonly takesSpace?: boolean
  /** The slugs of the spaces that a list shows; it must be those that the caller can read. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  readonly shows?: (json: any) => readonly string[]
}

export const NOTHING = '00000000-0000-7000-8000-000000000000'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
const spacesOf = (json: any): string[] => json.items.map((item: { space: string }) => item.space)
const json = (value: unknown) => () => ({ json: value })
const html = () => ({ headers: { accept: 'text/html' } })

const inSpace = ({ slug }: Place) => ({ space: slug })
const ofPage = ({ slug }: Place) => ({ space: slug, path: 'page' })

/** A message of the Model Context Protocol. */
function rpc(method: string, params: unknown): Options {
  return {
    json: { jsonrpc: '2.0', id: 1, method, params },
    headers: { accept: 'application/json, text/event-stream' },
  }
}

/** The call of a tool, as agents send it. */
function tool(name: string, args: (place: Place) => Readonly<Record<string, unknown>> = () => ({})) {
  return (place: Place) => rpc('tools/call', { name, arguments: args(place) })
}

/** The call of a tool that lists, whose items name their space by this member. */
function listTool(name: string, member = 'space', args: Readonly<Record<string, unknown>> = {}) {
  return {
    send: tool(name, () => ({ ...args, limit: 200 })),
    // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
    shows: (json: any): string[] => json.items.map((item: Record<string, string>) => item[member]),
  }
}

/**
 * Every route of the service with the rule that it follows. A new route is added here with one line; the tests then
 * prove that nobody else can use it, and that it shows nothing of spaces that its caller cannot see. Words in brackets
 * behind a route tell its uses apart that follow different rules.
 */
export const ROUTE_RULES: Readonly<Record<string, RouteRule>> = {
  'GET /healthz': { rule: 'public' },
  'GET /readyz': { rule: 'public' },
  'GET /metrics': { rule: 'public' },
  'GET /problems/:code': { rule: 'public', params: { code: 'forbidden' } },
  'GET /openapi.json': { rule: 'public' },
  'GET /docs': { rule: 'public' },
  'GET /diagram-frame': { rule: 'public' },
  'GET /assets/:name': { rule: 'public', params: { name: 'none' }, ok: [404] },
  'GET /sign-in': { rule: 'public' },
  'POST /sign-in': { rule: 'public', send: json({}), ok: [400] },
  'POST /sign-out': { rule: 'public', ok: [303] },
  'GET /sign-in/oidc': { rule: 'public' },
  'GET /sign-in/callback': { rule: 'public' },

  'GET /offline': { rule: 'public' },
  'GET /offline-worker.js': { rule: 'public' },

  'GET /': { rule: 'caller', send: html },
  'GET /new-space': { rule: 'space-maker', send: html },
  'POST /new-space': { rule: 'space-maker', send: ({ slug }) => ({ json: { slug } }), ok: [409] },
  'GET /settings/:slug': { rule: 'viewer', send: html },
  'POST /settings/:slug': {
    rule: 'admin',
    send: ({ marker }) => ({ json: { description: `About ${marker}` } }),
    ok: [303],
  },
  'POST /settings/:slug/slug': { rule: 'admin', send: ({ slug }) => ({ json: { slug } }), ok: [303] },
  'POST /settings/:slug/members': {
    rule: 'admin',
    send: json({ principal: NOTHING, role: 'viewer' }),
    ok: [400, 404],
  },
  'POST /settings/:slug/members/remove': { rule: 'admin', send: json({ principal: NOTHING }), ok: [404] },
  'POST /settings/:slug/template': {
    rule: 'org-admin',
    params: { slug: 'no-such-space' },
    send: json({}),
    ok: [404],
  },
  // With pages in it only an organisation admin may.
  'GET /settings/:slug/delete': { rule: 'admin', send: html, ok: [200, 403] },
  'POST /settings/:slug/delete': { rule: 'admin', send: json({ confirm: 'no' }), ok: [400, 403] },
  'GET /trash/:slug': { rule: 'viewer', send: html },
  'POST /trash/:slug/restore': { rule: 'editor', send: json({ path: 'page' }), ok: [409] },
  'GET /trash/:slug/purge': { rule: 'admin', send: () => ({ ...html(), query: 'path=gone' }) },
  'POST /trash/:slug/purge': { rule: 'admin', send: json({ path: 'page' }), ok: [428] },
  'GET /gallery': { rule: 'caller', send: html },
  'GET /gallery/:source/:id': {
    rule: 'caller',
    params: { source: 'builtin', id: 'research-notes' },
    send: html,
  },
  'POST /gallery/:source/:id': {
    rule: 'space-maker',
    params: { source: 'builtin', id: 'research-notes' },
    send: ({ slug }) => ({ json: { slug } }),
    ok: [409],
  },
  'POST /gallery/:source/:id/remove': {
    rule: 'org-admin',
    params: { source: 'org', id: 'none' },
    send: json({}),
    ok: [404],
  },
  'GET /account': { rule: 'caller', send: html },
  'POST /account/keys': {
    rule: 'key-maker',
    send: json({ keyName: 'k', scope: 'read', spaces: 'no-such-space' }),
    ok: [400],
  },
  'POST /account/keys/:id/revoke': { rule: 'caller', send: json({}), ok: [404] },
  'GET /admin': { rule: 'org-admin', ok: [303] },
  'GET /manage': { rule: 'org-admin', send: html },
  'GET /manage/spaces': { rule: 'org-admin', send: html },
  'GET /manage/people': { rule: 'org-admin', send: html },
  'POST /manage/people': { rule: 'org-admin', send: json({ name: 'P', kind: 'human' }), ok: [303] },
  'GET /manage/people/:id': { rule: 'org-admin', send: html, ok: [404] },
  'POST /manage/people/:id': { rule: 'org-admin', send: json({ role: 'admin' }), ok: [404] },
  'POST /manage/people/:id/state': { rule: 'org-admin', send: json({ disabled: 'false' }), ok: [404] },
  'POST /manage/people/:id/keys': {
    rule: 'org-admin',
    send: json({ keyName: 'k', scope: 'read' }),
    ok: [404],
  },
  'GET /manage/keys': { rule: 'org-admin', send: html },
  'POST /manage/keys/:id/revoke': { rule: 'org-admin', send: json({}), ok: [404] },
  'GET /manage/webhooks': { rule: 'org-admin', send: html },
  'POST /manage/webhooks': {
    rule: 'org-admin',
    send: json({ url: 'https://127.0.0.1/', events: ['*'] }),
    ok: [400],
  },
  'GET /manage/webhooks/:id': { rule: 'org-admin', send: html, ok: [404] },
  'POST /manage/webhooks/:id': {
    rule: 'org-admin',
    send: json({ url: 'https://127.0.0.1/', events: ['*'] }),
    ok: [404],
  },
  'POST /manage/webhooks/:id/state': { rule: 'org-admin', send: json({ enabled: 'false' }), ok: [404] },
  'POST /manage/webhooks/:id/rotate': { rule: 'org-admin', send: json({}), ok: [404] },
  'POST /manage/webhooks/:id/test': { rule: 'org-admin', send: json({}), ok: [404] },
  'POST /manage/webhooks/:id/delete': { rule: 'org-admin', send: json({}), ok: [404] },
  'GET /manage/webhooks/:id/deliveries/:deliveryId': {
    rule: 'org-admin',
    params: { deliveryId: NOTHING },
    send: html,
    ok: [404],
  },
  'POST /manage/webhooks/:id/deliveries/:deliveryId/redeliver': {
    rule: 'org-admin',
    params: { deliveryId: NOTHING },
    send: json({}),
    ok: [404],
  },
  'GET /manage/audit': { rule: 'org-admin', send: html },
  'GET /manage/links': { rule: 'org-admin', send: html },
  'POST /manage/links': { rule: 'org-admin', send: json({}), ok: [303] },
  'GET /manage/links/:id': { rule: 'org-admin', send: html, ok: [404] },

  'GET /me': { rule: 'caller' },
  'GET /me/api-keys': { rule: 'caller' },
  'POST /me/api-keys': {
    rule: 'key-maker',
    send: json({ name: 'k', scopes: ['read'], expiresAt: '2001-01-01T00:00:00Z' }),
    ok: [400],
  },
  'DELETE /me/api-keys/:id': { rule: 'caller', ok: [404] },

  'GET /admin/principals': { rule: 'org-admin' },
  'POST /admin/principals': { rule: 'org-admin', send: json({ name: 'P', kind: 'human' }), ok: [201] },
  'GET /admin/principals/:id': { rule: 'org-admin', ok: [404] },
  'PATCH /admin/principals/:id': { rule: 'org-admin', send: json({ role: 'admin' }), ok: [404] },
  'GET /admin/api-keys': { rule: 'org-admin' },
  'POST /admin/api-keys': {
    rule: 'org-admin',
    send: json({ principal: NOTHING, name: 'k', scopes: ['admin'] }),
    ok: [404],
  },
  'DELETE /admin/api-keys/:id': { rule: 'org-admin', ok: [404] },
  'GET /admin/audit': { rule: 'org-admin' },
  'GET /admin/webhooks': { rule: 'org-admin' },
  'POST /admin/webhooks': {
    rule: 'org-admin',
    send: json({ url: 'https://127.0.0.1/', events: ['*'] }),
    ok: [400],
  },
  'GET /admin/webhooks/:id': { rule: 'org-admin', ok: [404] },
  'PATCH /admin/webhooks/:id': { rule: 'org-admin', send: json({ enabled: false }), ok: [404] },
  'DELETE /admin/webhooks/:id': { rule: 'org-admin', ok: [404] },
  'POST /admin/webhooks/:id/rotate-secret': { rule: 'org-admin', ok: [404] },
  'POST /admin/webhooks/:id/test': { rule: 'org-admin', ok: [404] },
  'GET /admin/webhooks/:id/deliveries': { rule: 'org-admin', ok: [404] },
  'GET /admin/webhooks/:id/deliveries/:deliveryId': {
    rule: 'org-admin',
    params: { deliveryId: NOTHING },
    ok: [404],
  },
  'POST /admin/webhooks/:id/deliveries/:deliveryId/redeliver': {
    rule: 'org-admin',
    params: { deliveryId: NOTHING },
    ok: [404],
  },

  'GET /spaces': {
    rule: 'caller',
    send: () => ({ query: 'limit=200' }),
    shows: (list) => list.items.map((space: Place) => space.slug),
  },
  'POST /spaces': { rule: 'space-maker', send: ({ slug }) => ({ json: { slug } }), ok: [409] },
  'GET /spaces/:slug': { rule: 'viewer' },
  'PATCH /spaces/:slug': {
    rule: 'admin',
    send: ({ marker }) => ({ json: { description: `About ${marker}` } }),
  },
  'DELETE /spaces/:slug': { rule: 'admin', ok: [409] },
  'GET /spaces/:slug/members': { rule: 'viewer' },
  'PUT /spaces/:slug/members/:principal': {
    rule: 'admin',
    params: { principal: NOTHING },
    send: json({ role: 'viewer' }),
    ok: [400, 404],
  },
  'DELETE /spaces/:slug/members/:principal': { rule: 'admin', params: { principal: NOTHING }, ok: [404] },
  'GET /browse/:slug': { rule: 'viewer', send: html },
  'GET /history/:space/*': { rule: 'viewer', send: html },
  'GET /metadata/:space/*': { rule: 'viewer', send: html },
  'POST /metadata/:space/*': {
    rule: 'editor',
    send: json({ act: 'append', key: '', value: '1' }),
    ok: [400],
  },
  'GET /graph/:space/*': { rule: 'viewer', send: html },
  'GET /reports/:slug': { rule: 'viewer', send: html },
  'POST /reports/:slug': {
    rule: 'editor',
    send: json({ act: 'remove', source: 'page', path: 'no-such-link' }),
    ok: [400],
  },
  'GET /views/:slug?': { rule: 'viewer', send: html },
  'GET /find': { rule: 'caller', send: () => ({ ...html(), query: 'q=page' }), takesSpace: true },
  'POST /history/:space/*': { rule: 'editor', send: json({ version: '1', latest: '999' }), ok: [412] },

  'GET /fragments/tree/:space/*': { rule: 'viewer', send: html },
  'GET /fragments/panel/:space/*': { rule: 'viewer', send: html },
  'GET /new': { rule: 'caller', send: html },
  'GET /new/:slug': { rule: 'editor', send: html },
  'POST /new/:slug': { rule: 'editor', send: json({ title: 'x', body: '', action: 'preview' }) },
  'GET /move/:space/*': { rule: 'editor', send: html },
  'POST /move/:space/*': { rule: 'editor', send: json({ version: '9999', path: 'elsewhere' }), ok: [400] },
  'GET /delete/:space/*': { rule: 'editor', send: html },
  'POST /delete/:space/*': { rule: 'editor', send: json({ version: '9999' }), ok: [412] },
  'GET /move-folder/:space/*': { rule: 'editor', send: html },
  'POST /move-folder/:space/*': {
    rule: 'editor',
    send: json({ path: 'elsewhere', rewriteLinks: '1', action: 'check' }),
  },
  'GET /delete-folder/:space/*': { rule: 'editor', send: html },
  'POST /delete-folder/:space/*': {
    rule: 'editor',
    params: { path: 'no-such-folder' },
    send: json({}),
    ok: [404],
  },
  'GET /edit/:space/*': { rule: 'editor', send: html },
  'POST /edit/:space/*': { rule: 'editor', send: json({ base: '1', body: 'x', action: 'preview' }) },
  'POST /preview/:space/*': { rule: 'editor', send: json({ body: 'x' }) },

  // What it tells is bounded by `test/http/changes.test.ts`: events come more than once for a space.
  'GET /changes': { rule: 'caller', send: () => ({ query: 'since=now' }), takesSpace: true },
  'GET /spaces/:slug/pages': { rule: 'viewer' },
  'GET /pages/personal': { rule: 'viewer' },
  'GET /pages/recent': {
    rule: 'caller',
    send: () => ({ query: 'limit=200' }),
    takesSpace: true,
    shows: spacesOf,
  },
  'GET /pages/:space/:path': { rule: 'viewer', send: () => ({ headers: { accept: 'application/json' } }) },
  'PUT /pages/:space/:path': {
    rule: 'editor',
    params: { path: 'templates/t' },
    send: ({ marker }) => ({ json: { body: `# Template ${marker}` }, headers: { 'if-match': '*' } }),
  },
  'PATCH /pages/:space/:path': {
    rule: 'editor',
    send: () => ({ json: { edits: [{ op: 'append', text: 'x' }] }, headers: { 'if-match': '"9999"' } }),
    ok: [412],
  },
  'GET /pages/:space/:path (deleted)': { rule: 'viewer', params: { path: 'gone' }, ok: [410] },
  'DELETE /pages/:space/:path': {
    rule: 'editor',
    send: () => ({ headers: { 'if-match': '"9999"' } }),
    ok: [412],
  },
  'DELETE /pages/:space/:path (for good)': {
    rule: 'admin',
    send: () => ({ query: 'purge=true', headers: { 'if-match': '"9999"' } }),
    ok: [412],
  },
  'POST /pages/:space/:path/move': {
    rule: 'editor',
    send: () => ({ json: { to: { path: 'elsewhere' } }, headers: { 'if-match': '"9999"' } }),
    ok: [412],
  },
  'POST /spaces/:slug/move-folder': {
    rule: 'editor',
    send: json({ path: 'page', to: { path: 'elsewhere' }, dryRun: true }),
  },
  'POST /spaces/:slug/delete-folder': { rule: 'editor', send: json({ path: 'page', dryRun: true }) },
  'POST /pages/:space/:path/restore': { rule: 'editor', ok: [404, 409] },
  'GET /spaces/:slug/trash': { rule: 'viewer' },
  'GET /pages/:space/:path/versions': { rule: 'viewer' },
  'GET /pages/:space/:path/versions/:n': {
    rule: 'viewer',
    send: () => ({ headers: { accept: 'text/markdown' } }),
  },
  'POST /pages/:space/:path/versions/:n/make-latest': { rule: 'editor' },

  'GET /pages/:space/:path/metadata': { rule: 'viewer' },
  'PATCH /pages/:space/:path/metadata': {
    rule: 'editor',
    send: ({ marker }) => ({ json: { set: { [marker]: marker } } }),
  },
  'GET /pages/:space/:path/metadata/history': { rule: 'viewer' },
  'GET /search/metadata': {
    rule: 'caller',
    send: () => ({ query: 'limit=200&includeMetadata=true' }),
    takesSpace: true,
    shows: spacesOf,
  },
  'GET /search/metadata/keys': {
    rule: 'caller',
    send: () => ({ query: 'limit=200' }),
    takesSpace: true,
  },

  'GET /search': {
    rule: 'caller',
    send: () => ({ query: 'q=page&limit=200' }),
    takesSpace: true,
    shows: spacesOf,
  },
  'GET /titles': {
    rule: 'caller',
    send: () => ({ query: 'q=page&limit=50' }),
    takesSpace: true,
    shows: spacesOf,
  },
  'GET /spaces/:slug/export': { rule: 'viewer', send: () => ({ query: 'history=true' }) },
  'POST /spaces/:slug/import': {
    rule: 'editor',
    send: () => ({
      query: 'dryRun=true',
      json: {
        format: 'page-bundle',
        formatVersion: 1,
        space: { slug: 'any', name: 'Any', description: '' },
        pages: [],
      },
    }),
    alone: true,
  },

  'GET /pages/:space/:path/links': { rule: 'viewer' },
  'GET /spaces/:slug/links/broken': { rule: 'viewer' },
  'GET /spaces/:slug/links/orphans': { rule: 'viewer' },
  'GET /spaces/:slug/links/wanted': { rule: 'viewer' },
  'POST /links/rebuild': { rule: 'org-admin', takesSpace: true, ok: [200, 202] },
  'GET /links/rebuild/:id': { rule: 'org-admin', ok: [404] },

  'POST /mcp': {
    rule: 'caller',
    send: () => ({
      json: { jsonrpc: '2.0', id: 1, method: 'ping' },
      headers: { accept: 'application/json, text/event-stream' },
    }),
  },

  'POST /mcp (context_whoami)': { rule: 'caller', send: tool('context_whoami') },
  'POST /mcp (context_list_spaces)': { rule: 'caller', ...listTool('context_list_spaces', 'slug') },
  'POST /mcp (context_list_pages)': { rule: 'caller', ...listTool('context_list_pages') },
  'POST /mcp (context_list_pages of a space)': { rule: 'viewer', send: tool('context_list_pages', inSpace) },
  'POST /mcp (context_search)': { rule: 'caller', ...listTool('context_search', 'space', { query: 'page' }) },
  'POST /mcp (context_search in a space)': {
    rule: 'viewer',
    send: tool('context_search', ({ slug }) => ({ space: slug, query: 'page' })),
  },
  'POST /mcp (context_get_page)': { rule: 'viewer', send: tool('context_get_page', ofPage) },
  'POST /mcp (context_get_page_links)': { rule: 'viewer', send: tool('context_get_page_links', ofPage) },
  'POST /mcp (context_get_page_history)': { rule: 'viewer', send: tool('context_get_page_history', ofPage) },
  'POST /mcp (context_get_broken_links)': { rule: 'viewer', send: tool('context_get_broken_links', inSpace) },
  'POST /mcp (context_write_page)': {
    rule: 'editor',
    send: tool('context_write_page', (place) => ({ ...ofPage(place), body: 'x', version: 9999 })),
    ok: [412],
  },
  'POST /mcp (context_edit_page)': {
    rule: 'editor',
    send: tool('context_edit_page', (place) => ({
      ...ofPage(place),
      edits: [{ op: 'append', text: 'x' }],
      version: 9999,
    })),
    ok: [412],
  },
  'POST /mcp (context_get_metadata)': { rule: 'viewer', send: tool('context_get_metadata', ofPage) },
  'POST /mcp (context_patch_metadata)': {
    rule: 'editor',
    send: tool('context_patch_metadata', (place) => ({
      ...ofPage(place),
      set: { [place.marker]: place.marker },
    })),
  },
  'POST /mcp (context_query_metadata)': { rule: 'caller', ...listTool('context_query_metadata') },
  'POST /mcp (context_query_metadata in a space)': {
    rule: 'viewer',
    send: tool('context_query_metadata', inSpace),
  },
  'POST /mcp (context_list_metadata_keys)': { rule: 'caller', send: tool('context_list_metadata_keys') },
  'POST /mcp (context_list_templates)': { rule: 'caller', ...listTool('context_list_templates') },
  'POST /mcp (resource)': {
    rule: 'viewer',
    send: ({ slug }) => rpc('resources/read', { uri: `recto://pages/${slug}/page` }),
  },

  'GET /templates': {
    rule: 'caller',
    send: () => ({ query: 'limit=200&includeContent=true' }),
    takesSpace: true,
    shows: spacesOf,
  },
  'GET /space-templates': { rule: 'caller' },
  'GET /space-templates/:source/:id': {
    rule: 'caller',
    params: { source: 'builtin', id: 'research-notes' },
  },
  'POST /space-templates/:source/:id/spaces': {
    rule: 'space-maker',
    params: { source: 'builtin', id: 'research-notes' },
    send: ({ slug }) => ({ json: { slug } }),
    ok: [409],
  },
  'POST /space-templates/org': {
    rule: 'org-admin',
    send: json({ space: 'no-such-space' }),
    ok: [404],
  },
  'DELETE /space-templates/:source/:id': {
    rule: 'org-admin',
    params: { source: 'org', id: 'none' },
    ok: [404],
  },
}
