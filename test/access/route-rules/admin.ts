import { json, NOTHING, type RouteRules } from './rule.ts'

/** The account and the organisation over the API. */
export const ADMIN_RULES: RouteRules = {
  'GET /me': { rule: 'caller' },
  'GET /me/api-keys': { rule: 'caller' },
  'POST /me/api-keys': {
    rule: 'key-maker',
    send: json({ name: 'k', scopes: ['read'], expiresAt: '2001-01-01T00:00:00Z' }),
    ok: [400],
  },
  'DELETE /me/api-keys/:id': { rule: 'caller', ok: [404] },

  'GET /me/sessions': { rule: 'caller' },
  'DELETE /me/sessions/:id': { rule: 'key-maker', ok: [404] },
  'GET /me/connections': { rule: 'caller' },
  'DELETE /me/connections/:id': { rule: 'key-maker', ok: [404] },

  'GET /admin/principals': { rule: 'org-admin' },
  'POST /admin/principals': { rule: 'org-admin', send: json({ name: 'P', kind: 'human' }), ok: [201] },
  'GET /admin/principals/:id': { rule: 'org-admin', ok: [404] },
  'PATCH /admin/principals/:id': { rule: 'org-admin', send: json({ role: 'admin' }), ok: [404] },
  'POST /admin/principals/:id/password-link': { rule: 'org-admin', ok: [404] },
  'GET /admin/invitations': { rule: 'org-admin' },
  'POST /admin/invitations': { rule: 'org-admin', send: json({ email: 'none' }), ok: [400] },
  'POST /admin/invitations/:id/resend': { rule: 'org-admin', ok: [404] },
  'DELETE /admin/invitations/:id': { rule: 'org-admin', ok: [404] },
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
}
