import { html, json, type RouteRules } from './rule.ts'

/** Screens for pages. */
export const WEB_PAGE_RULES: RouteRules = {
  'GET /browse/:slug': { rule: 'viewer', visitors: true, send: html },
  'GET /open/:slug': { rule: 'viewer', visitors: true, send: html, ok: [303] },
  'GET /history/:space/*': { rule: 'viewer', send: html },
  'GET /comments/:space/*': { rule: 'viewer', send: html },
  'POST /comments/:space/*': { rule: 'viewer', send: json({ body: 'Words' }), ok: [303, 403, 409] },
  'GET /fragments/comments/:space/*': { rule: 'viewer', send: html },
  'GET /thread/:id': { rule: 'caller', ok: [404] },
  'POST /thread/:id': { rule: 'caller', send: json({ act: 'resolve' }), ok: [403, 404] },
  'GET /metadata/:space/*': { rule: 'viewer', send: html },
  'POST /metadata/:space/*': { rule: 'editor', send: json({ act: 'append', key: '', value: '1' }), ok: [400] },
  'GET /graph/:space/*': { rule: 'viewer', send: html },
  'GET /reports/:slug': { rule: 'viewer', send: html },
  'POST /reports/:slug': {
    rule: 'editor',
    send: json({ act: 'remove', source: 'page', path: 'no-such-link' }),
    ok: [409],
  },
  'GET /views/:slug?': { rule: 'viewer', send: html },
  'GET /find': { rule: 'caller', visitors: true, send: () => ({ ...html(), query: 'q=page' }), takesSpace: true },
  'POST /history/:space/*': { rule: 'editor', send: json({ version: '1', latest: '999' }), ok: [412] },

  'GET /fragments/tree/:space': { rule: 'viewer', visitors: true, send: html },
  'GET /fragments/neighbours/:space/*': { rule: 'viewer', visitors: true, send: html },
  'GET /fragments/panel/:space/*': { rule: 'viewer', send: html },
  'POST /tick/:space/*': { rule: 'editor', send: json({ version: 1, task: 9999, isDone: true }), ok: [400] },
  'GET /new': { rule: 'caller', send: html },
  'GET /new/:slug': { rule: 'editor', send: html },
  'POST /new/:slug': { rule: 'editor', send: json({ title: 'x', body: '', action: 'preview' }) },
  'GET /move/:space/*': { rule: 'editor', send: html },
  'POST /move/:space/*': { rule: 'editor', send: json({ version: '9999', path: 'elsewhere' }), ok: [412] },
  'GET /delete/:space/*': { rule: 'editor', send: html },
  'POST /delete/:space/*': { rule: 'editor', send: json({ version: '9999' }), ok: [412] },
  'GET /move-folder/:space/*': { rule: 'editor', send: html },
  'POST /move-folder/:space/*': {
    rule: 'editor',
    send: json({ path: 'elsewhere', rewriteLinks: '1', action: 'check' }),
  },
  'GET /delete-folder/:space/*': { rule: 'editor', send: html },
  'POST /delete-folder/:space/*': { rule: 'editor', params: { path: 'no-such-folder' }, send: json({}), ok: [404] },
  'GET /edit/:space/*': { rule: 'editor', send: html },
  'POST /edit/:space/*': { rule: 'editor', send: json({ base: '1', body: 'x', action: 'preview' }) },
  // Who reads a page suggests changes of it.
  'POST /preview/:space/*': { rule: 'viewer', send: json({ body: 'x' }) },
}
