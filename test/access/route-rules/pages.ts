import { html, json, type RouteRules, spacesOf } from './rule.ts'

/** Pages, metadata, search and the feed of changes. */
export const PAGE_RULES: RouteRules = {
  // What it tells is bounded by `test/http/changes.stress.test.ts`: events come more than once for a space.
  'GET /changes': { rule: 'caller', send: () => ({ query: 'since=now' }), takesSpace: true },
  'GET /presence': { rule: 'caller', send: ({ slug }) => ({ query: `page=${slug}/page` }) },
  'GET /spaces/:space/pages': { rule: 'viewer', visitors: true },
  'GET /spaces/:space/pages (document)': { rule: 'viewer', send: () => ({ query: 'format=md' }) },
  'GET /pages/:space/:path (subtree)': { rule: 'viewer', send: () => ({ query: 'format=md' }) },
  'GET /pages/personal': { rule: 'viewer' },
  'GET /pages/recent': { rule: 'caller', send: () => ({ query: 'limit=200' }), takesSpace: true, shows: spacesOf },
  'POST /pages/batch-get': {
    rule: 'caller',
    send: ({ slug }) => ({ json: { pages: [{ space: slug, path: 'page' }] } }),
  },
  'POST /pages/batch': {
    rule: 'caller',
    send: ({ slug }) => ({ json: { operations: [{ op: 'delete', space: slug, path: 'page', ifMatch: '"9999"' }] } }),
  },
  'POST /metadata/batch': {
    rule: 'caller',
    send: ({ slug }) => ({ json: { pages: [{ space: slug, path: 'page' }], set: { a: 1 }, dryRun: true } }),
  },
  'GET /pages/:space/:path': {
    rule: 'viewer',
    visitors: true,
    send: () => ({ headers: { accept: 'application/json' } }),
  },
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
  'GET /pages/:space/:path (deleted)': { rule: 'viewer', visitors: [404], params: { path: 'gone' }, ok: [410] },
  'DELETE /pages/:space/:path': { rule: 'editor', send: () => ({ headers: { 'if-match': '"9999"' } }), ok: [412] },
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
  'POST /spaces/:space/move-folder': {
    rule: 'editor',
    send: json({ path: 'page', to: { path: 'elsewhere' }, dryRun: true }),
  },
  'POST /spaces/:space/delete-folder': { rule: 'editor', send: json({ path: 'page', dryRun: true }) },
  'POST /pages/:space/:path/restore': { rule: 'editor', ok: [404, 409] },
  'GET /spaces/:space/trash': { rule: 'viewer' },
  'GET /pages/:space/:path/versions': { rule: 'viewer' },
  'GET /pages/:space/:path/versions/:n': { rule: 'viewer', send: () => ({ headers: { accept: 'text/markdown' } }) },
  'POST /pages/:space/:path/versions/:n/make-latest': { rule: 'editor' },

  'GET /pages/:space/:path/metadata': { rule: 'viewer', visitors: 'metadata' },
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
  'GET /search/metadata/keys': { rule: 'caller', send: () => ({ query: 'limit=200' }), takesSpace: true },
  'GET /search/metadata/values': { rule: 'caller', send: () => ({ query: 'key=status&limit=200' }), takesSpace: true },

  'GET /search': {
    rule: 'caller',
    send: () => ({ query: 'q=page&limit=200&passages=true&tokens=20000' }),
    takesSpace: true,
    shows: spacesOf,
  },
  'GET /search (of visitors)': {
    rule: 'caller',
    visitors: true,
    send: () => ({ query: 'q=page&limit=200' }),
    takesSpace: true,
    shows: spacesOf,
  },
  'GET /pages/:space/:path (html)': { rule: 'viewer', visitors: true, send: html },
  'GET /search/suggest': {
    rule: 'caller',
    send: () => ({ query: 'q=page&limit=20' }),
    takesSpace: true,
    shows: (found) => [...spacesOf({ items: found.pages }), ...spacesOf({ items: found.headings })],
  },
  'GET /titles': { rule: 'caller', send: () => ({ query: 'q=page&limit=50' }), takesSpace: true, shows: spacesOf },
}
