import { html, json, NOTHING, type RouteRules } from './rule.ts'

/** Screens for the account and the organisation. */
export const WEB_MANAGE_RULES: RouteRules = {
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
}
