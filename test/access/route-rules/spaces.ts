import { json, NOTHING, type Place, type RouteRules, spacesOf } from './rule.ts'

const REQUEST = '/spaces/:space/change-requests/:number'
/** There is no such request: whoever sees the space is told so. */
const noRequest = { rule: 'viewer', params: { number: '2147483647' }, ok: [404] } as const

/** Spaces, their change requests, templates, links, export and import. */
export const SPACE_RULES: RouteRules = {
  'GET /spaces': {
    rule: 'caller',
    send: () => ({ query: 'limit=200' }),
    shows: (list) => list.items.map((space: Place) => space.slug),
  },
  'POST /spaces': { rule: 'space-maker', send: ({ slug }) => ({ json: { slug } }), ok: [409] },
  'GET /spaces/:space': { rule: 'viewer' },
  'PATCH /spaces/:space': {
    rule: 'admin',
    send: ({ marker }) => ({ json: { description: `About ${marker}` } }),
  },
  'DELETE /spaces/:space': { rule: 'admin', ok: [409] },
  'GET /spaces/:space/order': { rule: 'viewer' },
  'PUT /spaces/:space/order': { rule: 'editor', send: json({ folder: '', names: [] }) },
  'POST /spaces/:space/order': {
    rule: 'editor',
    send: json({ path: 'no-such-page', after: null }),
    ok: [404],
  },
  'GET /spaces/:space/members': { rule: 'viewer' },
  'GET /spaces/:space/candidates': { rule: 'admin', send: () => ({ query: 'name=a' }) },
  'PUT /spaces/:space/members/:principal': {
    rule: 'admin',
    params: { principal: NOTHING },
    send: json({ role: 'viewer' }),
    ok: [400, 404],
  },
  'DELETE /spaces/:space/members/:principal': { rule: 'admin', params: { principal: NOTHING }, ok: [404] },
  'GET /spaces/:space/groups': { rule: 'viewer' },
  'PUT /spaces/:space/groups/:group': {
    rule: 'admin',
    params: { group: NOTHING },
    send: json({ role: 'viewer' }),
    ok: [400, 404],
  },
  'DELETE /spaces/:space/groups/:group': { rule: 'admin', params: { group: NOTHING }, ok: [404] },
  // A key that only reads is rejected, and so is whoever has 100 open ones.
  'POST /spaces/:space/change-requests': { rule: 'viewer', send: json({ title: 'Words' }), ok: [201, 403, 409] },
  'GET /spaces/:space/change-requests': { rule: 'viewer' },
  'GET /change-requests': { rule: 'caller' },
  [`GET ${REQUEST}`]: noRequest,
  [`PATCH ${REQUEST}`]: { ...noRequest, send: json({ title: 'Words' }) },
  [`DELETE ${REQUEST}`]: noRequest,
  [`POST ${REQUEST}/close`]: noRequest,
  [`POST ${REQUEST}/reopen`]: noRequest,
  [`POST ${REQUEST}/merge`]: { ...noRequest, send: json({}) },
  [`GET ${REQUEST}/changes`]: noRequest,
  [`GET ${REQUEST}/diff`]: { ...noRequest, send: () => ({ query: 'path=page' }) },
  'POST /access-requests': {
    rule: 'key-maker',
    begets: true,
    send: ({ slug }) => ({ json: { space: slug, path: 'no-such-page' } }),
    ok: [202, 429],
  },
  'GET /spaces/:space/access-requests': { rule: 'admin' },
  'POST /spaces/:space/access-requests/:id/approve': {
    rule: 'admin',
    params: { id: NOTHING },
    send: json({ role: 'viewer' }),
    ok: [404],
  },
  'POST /spaces/:space/access-requests/:id/decline': { rule: 'admin', params: { id: NOTHING }, ok: [404] },
  'GET /spaces/:space/readers': { rule: 'viewer' },
  'GET /spaces/:space/shares': { rule: 'editor' },
  'GET /shares/:space/:path': { rule: 'editor' },
  'POST /shares/:space/:path': { rule: 'editor', send: json({}), ok: [403] },
  'GET /shares/by-id/:id': { rule: 'caller', ok: [404] },
  'DELETE /shares/by-id/:id': { rule: 'caller', ok: [404] },
  'GET /spaces/:space/rules': { rule: 'admin' },
  'GET /spaces/:space/rules/:prefix': { rule: 'admin', params: { prefix: 'no-such-folder' }, ok: [404] },
  'PUT /spaces/:space/rules/:prefix': {
    rule: 'admin',
    params: { prefix: 'no-such-folder' },
    send: () => ({ query: 'dryRun=true', json: { read: 'inherit', write: 'inherit' } }),
    ok: [200, 400],
  },
  'DELETE /spaces/:space/rules/:prefix': { rule: 'admin', params: { prefix: 'no-such-folder' }, ok: [400, 404] },
  'GET /spaces/:space/invitations': { rule: 'admin', ok: [200, 400] },
  'POST /spaces/:space/invitations': {
    rule: 'admin',
    begets: true,
    send: json({ email: 'none', role: 'viewer' }),
    ok: [400],
  },
  'POST /spaces/:space/invitations/:id/resend': { rule: 'admin', ok: [404, 400] },
  'DELETE /spaces/:space/invitations/:id': { rule: 'admin', ok: [404, 400] },
  'GET /spaces/:space/export': { rule: 'viewer', send: () => ({ query: 'history=true' }) },
  'POST /spaces/:space/import': {
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
  'GET /spaces/:space/links/broken': { rule: 'viewer' },
  'GET /spaces/:space/links/orphans': { rule: 'viewer' },
  'GET /spaces/:space/links/wanted': { rule: 'viewer' },
  'POST /links/rebuild': { rule: 'org-admin', takesSpace: true, ok: [200, 202] },
  'GET /links/rebuild/:id': { rule: 'org-admin', ok: [404] },
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
