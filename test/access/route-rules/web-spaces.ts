import { html, json, NOTHING, type RouteRules } from './rule.ts'

/** Screens for spaces, their trash and templates. */
export const WEB_SPACE_RULES: RouteRules = {
  'GET /': { rule: 'caller', send: html },
  'POST /steps/:step/dismiss': { rule: 'caller', params: { step: 'page' }, send: json({}), ok: [303] },
  'GET /favourites': { rule: 'caller', send: html },
  'GET /favourite/:slug': { rule: 'viewer', send: html },
  'POST /favourite/:slug': { rule: 'viewer', send: json({ on: 'yes' }), ok: [303] },
  'GET /favourite/:space/*': { rule: 'viewer', send: html },
  'POST /favourite/:space/*': { rule: 'viewer', send: json({ on: 'yes' }), ok: [303] },
  'GET /fragments/star/:space/*': { rule: 'viewer', send: html },
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
  'POST /settings/:slug/groups': {
    rule: 'admin',
    send: json({ group: NOTHING, role: 'viewer' }),
    ok: [400, 404],
  },
  'POST /settings/:slug/groups/remove': { rule: 'admin', send: json({ group: NOTHING }), ok: [404] },
  'GET /settings/:slug/invitations': { rule: 'admin', send: html, ok: [200, 400] },
  'POST /settings/:slug/invitations': {
    rule: 'admin',
    send: json({ email: 'none', spaceRole: 'viewer' }),
    ok: [400],
  },
  'POST /settings/:slug/invitations/:id/resend': { rule: 'admin', send: json({}), ok: [404, 400] },
  'POST /settings/:slug/invitations/:id/revoke': { rule: 'admin', send: json({}), ok: [404, 400] },
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
}
