import { json, type RouteRules } from './rule.ts'

/** What the service tells of itself, and signing in. */
export const SERVICE_RULES: RouteRules = {
  'GET /healthz': { rule: 'public' },
  'GET /readyz': { rule: 'public' },
  'GET /metrics': { rule: 'public' },
  'GET /problems/:code': { rule: 'public', params: { code: 'forbidden' } },
  'GET /openapi.json': { rule: 'public' },
  'GET /docs': { rule: 'public' },
  'GET /.well-known/api-catalog': { rule: 'public' },
  'GET /diagram-frame': { rule: 'public' },
  'GET /assets/:name': { rule: 'public', params: { name: 'none' }, ok: [404] },
  'GET /sign-in': { rule: 'public' },
  'POST /sign-in': { rule: 'public', send: json({}), ok: [400] },
  'POST /sign-in/password': { rule: 'public', send: json({}), ok: [400] },
  'POST /sign-in/passkey/options': { rule: 'public', send: json({}), ok: [400] },
  'POST /sign-in/passkey': { rule: 'public', send: json({}), ok: [400] },
  'GET /link/:token': { rule: 'public', params: { token: 'none' }, ok: [404, 429] },
  'POST /link/:token': { rule: 'public', params: { token: 'none' }, send: json({}), ok: [404, 429] },
  'POST /link/:token/passkey/options': {
    rule: 'public',
    params: { token: 'none' },
    send: json({ name: 'N' }),
    ok: [404, 429],
  },
  'POST /link/:token/passkey': {
    rule: 'public',
    params: { token: 'none' },
    send: json({ name: 'N', response: {} }),
    ok: [404, 429],
  },
  'GET /invitation/:token': { rule: 'public', params: { token: 'none' }, ok: [404, 429] },
  'POST /invitation/:token': { rule: 'public', params: { token: 'none' }, send: json({}), ok: [404, 429] },
  'POST /invitation/:token/passkey/options': {
    rule: 'public',
    params: { token: 'none' },
    send: json({ name: 'N' }),
    ok: [404, 429],
  },
  'POST /invitation/:token/passkey': {
    rule: 'public',
    params: { token: 'none' },
    send: json({ name: 'N', response: {} }),
    ok: [404, 429],
  },
  'GET /forgot-password': { rule: 'public' },
  'POST /sign-out': { rule: 'public', ok: [303] },
  'GET /sign-in/oidc': { rule: 'public' },
  'GET /sign-in/callback': { rule: 'public' },

  'GET /.well-known/oauth-protected-resource': { rule: 'public' },
  'GET /.well-known/oauth-protected-resource/mcp': { rule: 'public' },
  'GET /.well-known/oauth-authorization-server': { rule: 'public' },
  // Without a credential it describes the service; one that has ended is 401.
  'GET /llms.txt': { rule: 'public', ok: [200, 401] },
  'GET /oauth/jwks': { rule: 'public' },
  'POST /oauth/token': { rule: 'public', ok: [400] },
  'POST /oauth/revoke': { rule: 'public', ok: [400] },
  'POST /oauth/register': { rule: 'public', send: json({}), ok: [400] },
  // Connecting an app takes the session of a browser, and the cookie of a pending request.
  'GET /oauth/authorize': { rule: 'caller', ok: [403] },
  'GET /oauth/authorize/:uid': { rule: 'caller', params: { uid: 'none' }, ok: [403] },
  'GET /oauth/consent/:uid': { rule: 'key-maker', params: { uid: 'none' }, ok: [400] },
  'POST /oauth/consent/:uid': { rule: 'key-maker', params: { uid: 'none' }, send: json({}), ok: [400] },

  'GET /offline': { rule: 'public' },
  'GET /offline-worker.js': { rule: 'public' },
}
