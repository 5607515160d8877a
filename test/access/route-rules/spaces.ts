import { json, NOTHING, type Place, type RouteRules, spacesOf } from './rule.ts'

/** Spaces, their templates, links, export and import. */
export const SPACE_RULES: RouteRules = {
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
  'GET /spaces/:slug/order': { rule: 'viewer' },
  'PUT /spaces/:slug/order': { rule: 'editor', send: json({ folder: '', names: [] }) },
  'POST /spaces/:slug/order': {
    rule: 'editor',
    send: json({ path: 'no-such-page', after: null }),
    ok: [404],
  },
  'GET /spaces/:slug/members': { rule: 'viewer' },
  'PUT /spaces/:slug/members/:principal': {
    rule: 'admin',
    params: { principal: NOTHING },
    send: json({ role: 'viewer' }),
    ok: [400, 404],
  },
  'DELETE /spaces/:slug/members/:principal': { rule: 'admin', params: { principal: NOTHING }, ok: [404] },
  'GET /spaces/:slug/groups': { rule: 'viewer' },
  'PUT /spaces/:slug/groups/:group': {
    rule: 'admin',
    params: { group: NOTHING },
    send: json({ role: 'viewer' }),
    ok: [400, 404],
  },
  'DELETE /spaces/:slug/groups/:group': { rule: 'admin', params: { group: NOTHING }, ok: [404] },
  'GET /spaces/:slug/invitations': { rule: 'admin', ok: [200, 400] },
  'POST /spaces/:slug/invitations': {
    rule: 'admin',
    send: json({ email: 'none', role: 'viewer' }),
    ok: [400],
  },
  'POST /spaces/:slug/invitations/:id/resend': { rule: 'admin', ok: [404, 400] },
  'DELETE /spaces/:slug/invitations/:id': { rule: 'admin', ok: [404, 400] },
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
