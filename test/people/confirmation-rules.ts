import { assertStatus, type Client } from '../support/client.ts'
import { authorizationRequest, LOOPBACK, type PersonBrowser, registerApp } from '../support/oauth.ts'
import { newPerson } from '../support/people.ts'

/** A request of a session, and what is answered once the person has confirmed. */
export interface SensitiveAction {
  readonly path: string
  readonly json?: unknown
  /** The fields of a form, instead of JSON. */
  readonly fields?: Readonly<Record<string, string | readonly string[]>>
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
}

/** What actions are made of. */
export interface Fixtures {
  readonly admin: Client
  readonly nobody: Client
  /** A browser of the person, for what has a state there. */
  readonly browser: PersonBrowser
  /** The person of the session. */
  readonly principal: string
}

type Rule = (fixtures: Fixtures) => Promise<SensitiveAction> | SensitiveAction

let number = 0
const email = () => `person-${++number}@example.org`
const HOOK = { url: 'https://receiver.example/x', events: ['page.created'] }
const KEY = { name: 'k', scopes: ['read'] }

async function newPrincipal({ admin }: Fixtures, more: object = {}): Promise<string> {
  const input = { name: 'P', kind: 'human', ...more }
  return assertStatus(await admin.post('/admin/principals', input), 201).json.id
}

async function newGroup({ admin }: Fixtures): Promise<string> {
  return assertStatus(await admin.post('/admin/groups', { name: `Group ${++number}` }), 201).json.id
}

async function newWebhook({ admin }: Fixtures): Promise<string> {
  return assertStatus(await admin.post('/admin/webhooks', HOOK), 201).json.webhook.id
}

async function privateSpace({ admin }: Fixtures): Promise<string> {
  const slug = `private-${++number}`
  assertStatus(await admin.post('/spaces', { slug, visibility: 'private' }), 201)
  return slug
}

/** A space with a folder that only its admins read. */
async function ruledSpace(f: Fixtures): Promise<string> {
  const { admin } = f
  const slug = `ruled-${++number}`
  assertStatus(await admin.post('/spaces', { slug }), 201)
  await newPrincipal(f)
  assertStatus(await admin.call('PUT', `/spaces/${slug}/rules/hr`, { json: { read: [], write: [] } }), 201)
  return slug
}

async function newAccessRequest(f: Fixtures) {
  const { admin } = f
  const slug = await privateSpace(f)
  const { client } = await newPerson(admin, 'Asker')
  assertStatus(await client.post('/access-requests', { space: slug }), 202)
  const { items } = assertStatus(await admin.get(`/spaces/${slug}/access-requests`), 200).json
  return { slug, id: items[0].id as string }
}

async function newInvitation({ admin }: Fixtures, space?: string): Promise<string> {
  const path = space === undefined ? '/admin/invitations' : `/spaces/${space}/invitations`
  const input = { email: email(), ...(space !== undefined && { role: 'viewer' }) }
  return assertStatus(await admin.post(path, input), 201).json.invitation.id
}

/** The routes that ask a session for the password or passkey, each in the cases in which it does. */
export const ASKS: Readonly<Record<string, readonly Rule[]>> = {
  'POST /me/api-keys': [() => ({ path: '/me/api-keys', json: KEY, status: 201 })],
  'POST /account/keys': [() => ({ path: '/account/keys', fields: { keyName: 'k', scope: 'read' }, status: 201 })],
  'POST /connect/keys': [
    () => ({ path: '/connect/keys', fields: { keyName: 'k', scope: 'read', days: '30' }, status: 201 }),
  ],
  'POST /admin/api-keys': [
    async (f) => ({ path: '/admin/api-keys', json: { ...KEY, principal: await newPrincipal(f) }, status: 201 }),
  ],
  'POST /manage/people/:id/keys': [
    async (f) => ({
      path: `/manage/people/${await newPrincipal(f)}/keys`,
      fields: { keyName: 'k', scope: 'read' },
      status: 201,
    }),
  ],
  'POST /admin/scim/token': [() => ({ path: '/admin/scim/token', status: 201 })],
  'POST /manage/scim/token': [() => ({ path: '/manage/scim/token', fields: {}, status: 200 })],
  'POST /oauth/consent/:uid': [
    async ({ nobody, browser }) => {
      const { url } = authorizationRequest(nobody.base, await registerApp(nobody))
      const opened = await browser.open(url)
      const fields = { decision: 'allow', scope: 'read', access: 'all' }
      return { path: new URL(opened.url).pathname, fields, status: 303 }
    },
  ],
  'GET /oauth/consent/:uid': [
    async ({ nobody, browser }) => {
      const { url } = authorizationRequest(nobody.base, await registerApp(nobody, { redirect_uris: [LOOPBACK] }))
      return { path: new URL((await browser.open(url)).url).pathname, status: 200 }
    },
  ],

  'POST /admin/principals': [
    () => ({ path: '/admin/principals', json: { name: 'A', kind: 'human', email: email() }, status: 201 }),
    () => ({ path: '/admin/principals', json: { name: 'A', kind: 'agent', role: 'admin' }, status: 201 }),
  ],
  'POST /manage/people': [
    () => ({ path: '/manage/people', fields: { name: 'A', kind: 'human', email: email() }, status: 303 }),
  ],
  'PATCH /admin/principals/:id': [
    async (f) => ({ path: `/admin/principals/${await newPrincipal(f)}`, json: { role: 'admin' }, status: 200 }),
    async (f) => ({
      path: `/admin/principals/${await newPrincipal(f, { role: 'admin' })}`,
      json: { role: 'member' },
      status: 200,
    }),
    async (f) => ({ path: `/admin/principals/${await newPrincipal(f)}`, json: { email: email() }, status: 200 }),
    async (f) => ({ path: `/admin/principals/${await newPrincipal(f)}`, json: { disabled: true }, status: 200 }),
    async (f) => {
      const path = `/admin/principals/${await newPrincipal(f)}`
      assertStatus(await f.admin.patch(path, { disabled: true }), 200)
      return { path, json: { disabled: false }, status: 200 }
    },
  ],
  'POST /manage/people/:id': [
    async (f) => ({
      path: `/manage/people/${await newPrincipal(f)}`,
      fields: { name: 'P', role: 'admin' },
      status: 303,
    }),
    async (f) => ({
      path: `/manage/people/${await newPrincipal(f)}`,
      fields: { name: 'P', role: 'guest' },
      status: 303,
    }),
  ],
  'POST /manage/people/:id/state': [
    async (f) => ({ path: `/manage/people/${await newPrincipal(f)}/state`, fields: { disabled: 'true' }, status: 303 }),
  ],
  'POST /admin/principals/:id/merge': [
    async (f) => ({
      path: `/admin/principals/${await newPrincipal(f)}/merge`,
      json: { into: await newPrincipal(f) },
      status: 200,
    }),
  ],
  'POST /manage/people/:id/merge': [
    async (f) => ({
      path: `/manage/people/${await newPrincipal(f)}/merge`,
      fields: { into: await newPrincipal(f) },
      status: 303,
    }),
  ],
  'POST /admin/principals/:id/password-link': [
    async (f) => ({
      path: `/admin/principals/${await newPrincipal(f, { email: email() })}/password-link`,
      status: 201,
    }),
  ],
  'POST /manage/people/:id/password-link': [
    async (f) => ({
      path: `/manage/people/${await newPrincipal(f, { email: email() })}/password-link`,
      fields: {},
      status: 201,
    }),
  ],
  'POST /admin/invitations': [() => ({ path: '/admin/invitations', json: { email: email() }, status: 201 })],
  'POST /manage/invitations': [
    () => ({ path: '/manage/invitations', fields: { email: email(), role: 'member' }, status: 201 }),
  ],
  'POST /admin/invitations/:id/resend': [
    async (f) => ({ path: `/admin/invitations/${await newInvitation(f)}/resend`, status: 200 }),
  ],
  'POST /manage/invitations/:id/resend': [
    async (f) => ({ path: `/manage/invitations/${await newInvitation(f)}/resend`, fields: {}, status: 201 }),
  ],
  'POST /spaces/:space/invitations': [
    () => ({ path: '/spaces/docs/invitations', json: { email: email(), role: 'viewer' }, status: 201 }),
  ],
  'POST /settings/:slug/invitations': [
    () => ({ path: '/settings/docs/invitations', fields: { email: email(), spaceRole: 'viewer' }, status: 201 }),
  ],
  'POST /spaces/:space/invitations/:id/resend': [
    async (f) => ({ path: `/spaces/docs/invitations/${await newInvitation(f, 'docs')}/resend`, status: 200 }),
  ],
  'POST /settings/:slug/invitations/:id/resend': [
    async (f) => ({
      path: `/settings/docs/invitations/${await newInvitation(f, 'docs')}/resend`,
      fields: {},
      status: 201,
    }),
  ],

  'PUT /admin/groups/:id/members/:principal': [
    async (f) => ({ path: `/admin/groups/${await newGroup(f)}/members/${await newPrincipal(f)}`, status: 201 }),
  ],
  'POST /manage/groups/:id/members': [
    async (f) => ({
      path: `/manage/groups/${await newGroup(f)}/members`,
      fields: { principal: await newPrincipal(f) },
      status: 303,
    }),
  ],
  'PUT /spaces/:space/members/:principal': [
    async (f) => ({
      path: `/spaces/${await privateSpace(f)}/members/${await newPrincipal(f)}`,
      json: { role: 'viewer' },
      status: 201,
    }),
  ],
  'POST /settings/:slug/members': [
    async (f) => ({
      path: `/settings/${await privateSpace(f)}/members`,
      fields: { principal: await newPrincipal(f), role: 'viewer' },
      status: 303,
    }),
  ],
  'POST /shares/:space/:path': [
    async ({ admin }) => {
      await admin.write('docs/shared', '# Shared')
      return { path: '/shares/docs/shared', json: {}, status: 201 }
    },
  ],
  'POST /share/:space/*': [
    async ({ admin }) => {
      await admin.write('docs/shared', '# Shared')
      return { path: '/share/docs/shared', fields: { expiresAt: '' }, status: 200 }
    },
  ],
  'PUT /spaces/:space/rules/:prefix': [
    async (f) => ({
      path: `/spaces/${await ruledSpace(f)}/rules/hr`,
      json: { read: 'inherit', write: 'inherit' },
      status: 200,
    }),
  ],
  'DELETE /spaces/:space/rules/:prefix': [
    async (f) => ({ path: `/spaces/${await ruledSpace(f)}/rules/hr`, status: 200 }),
  ],
  'POST /spaces/:space/access-requests/:id/approve': [
    async (f) => {
      const { slug, id } = await newAccessRequest(f)
      return { path: `/spaces/${slug}/access-requests/${id}/approve`, json: { role: 'viewer' }, status: 204 }
    },
  ],
  'POST /settings/:slug/requests/:id/approve': [
    async (f) => {
      const { slug, id } = await newAccessRequest(f)
      return { path: `/settings/${slug}/requests/${id}/approve`, fields: { role: 'viewer' }, status: 303 }
    },
  ],
  'POST /settings/:slug/rules/edit': [
    async (f) => ({
      path: `/settings/${await ruledSpace(f)}/rules/edit`,
      fields: { action: 'save', folder: 'hr', read: 'inherit', write: 'inherit' },
      status: 303,
    }),
  ],
  'POST /settings/:slug/rules/remove': [
    async (f) => ({ path: `/settings/${await ruledSpace(f)}/rules/remove`, fields: { folder: 'hr' }, status: 303 }),
  ],
  'PUT /spaces/:space/groups/:group': [
    async (f) => ({
      path: `/spaces/${await privateSpace(f)}/groups/${await newGroup(f)}`,
      json: { role: 'viewer' },
      status: 201,
    }),
  ],
  'POST /settings/:slug/groups': [
    async (f) => ({
      path: `/settings/${await privateSpace(f)}/groups`,
      fields: { group: await newGroup(f), role: 'viewer' },
      status: 303,
    }),
  ],
  'PATCH /spaces/:space': [
    async (f) => ({ path: `/spaces/${await privateSpace(f)}`, json: { visibility: 'org' }, status: 200 }),
  ],
  'POST /settings/:slug': [
    async (f) => ({
      path: `/settings/${await privateSpace(f)}`,
      fields: { name: 'N', description: '', visibility: 'org', defaultRole: 'viewer', language: 'en' },
      status: 303,
    }),
  ],
  'DELETE /spaces/:space': [async (f) => ({ path: `/spaces/${await privateSpace(f)}`, status: 204 })],
  'POST /settings/:slug/delete': [
    async (f) => {
      const slug = await privateSpace(f)
      return { path: `/settings/${slug}/delete`, fields: { confirm: slug }, status: 303 }
    },
  ],
  'POST /space-templates/org': [
    async (f) => ({ path: '/space-templates/org', json: { space: await privateSpace(f) }, status: 201 }),
  ],
  'POST /settings/:slug/template': [
    async (f) => ({ path: `/settings/${await privateSpace(f)}/template`, fields: { title: 'T' }, status: 303 }),
  ],
  'GET /spaces/:space/export': [() => ({ path: '/spaces/docs/export', status: 200 })],
  'GET /export/:slug': [() => ({ path: '/export/docs', status: 200 })],

  'POST /admin/webhooks': [
    () => ({ path: '/admin/webhooks', json: HOOK, status: 201 }),
    () => ({ path: '/admin/webhooks', json: { ...HOOK, spaceSlug: 'docs' }, status: 201 }),
  ],
  'POST /manage/webhooks': [
    () => ({ path: '/manage/webhooks', fields: { url: HOOK.url, 'events[]': HOOK.events }, status: 201 }),
  ],
  'PATCH /admin/webhooks/:id': [
    async (f) => ({
      path: `/admin/webhooks/${await newWebhook(f)}`,
      json: { url: 'https://other.example/' },
      status: 200,
    }),
    async (f) => ({ path: `/admin/webhooks/${await newWebhook(f)}`, json: { events: ['*'] }, status: 200 }),
    async (f) => ({ path: `/admin/webhooks/${await newWebhook(f)}`, json: { spaceSlug: 'docs' }, status: 200 }),
  ],
  'POST /manage/webhooks/:id': [
    async (f) => ({
      path: `/manage/webhooks/${await newWebhook(f)}`,
      fields: { url: 'https://other.example/', 'events[]': HOOK.events },
      status: 303,
    }),
  ],
  'POST /admin/webhooks/:id/rotate-secret': [
    async (f) => ({ path: `/admin/webhooks/${await newWebhook(f)}/rotate-secret`, status: 200 }),
  ],
  'POST /manage/webhooks/:id/rotate': [
    async (f) => ({ path: `/manage/webhooks/${await newWebhook(f)}/rotate`, fields: {}, status: 201 }),
  ],

  'POST /account/passkeys/options': [() => ({ path: '/account/passkeys/options', json: {}, status: 200 })],
  'DELETE /me/passkeys/:id': [() => ({ path: '/me/passkeys/00000000-0000-7000-8000-000000000000', status: 404 })],
  'POST /account/passkeys/:id/remove': [
    () => ({ path: '/account/passkeys/00000000-0000-7000-8000-000000000000/remove', fields: {}, status: 404 }),
  ],
}

/** Why a route that changes something does not ask. */
const REASONS = {
  content: 'it changes pages, files or their metadata, of which the history and the trash keep what was',
  own: 'it changes what only the person sees, or how they appear',
  less: 'it takes access away, ends a credential or switches something off',
  open: 'it gives nobody access to what is not open to all members already',
  noSession: 'it takes no session: a credential, a secret link or a token is in the request',
  confirms: 'it is how a person confirms or signs in',
  password: 'it asks for the current password itself, and for a confirmation where there is none',
  challenge: 'it takes a challenge that was made after a confirmation',
  repeats: 'it sends only to where an admin has confirmed to send',
  maintenance: 'it moves or reads stored data again, and shows nothing',
} as const

/** Each route that changes something and does not ask, by its reason. */
const BY_REASON: Readonly<Record<keyof typeof REASONS, readonly string[]>> = {
  content: [
    ...['DELETE /files/:space/:path', 'DELETE /pages/:space/:path', 'PATCH /pages/:space/:path'],
    ...['PATCH /pages/:space/:path/metadata', 'POST /delete-file/:space/*', 'POST /delete-folder/:space/*'],
    ...['POST /delete/:space/*', 'POST /edit/:space/*', 'POST /files/:space', 'POST /files/:space/:path/move'],
    ...['POST /files/:space/:path/restore', 'POST /history/:space/*', 'POST /icon/:space/*'],
    ...['POST /import/:slug', 'POST /mcp', 'POST /metadata/:space/*', 'POST /metadata/batch'],
    ...['POST /move-folder/:space/*', 'POST /move/:space/*', 'POST /new/:slug', 'POST /pages/:space/:path/move'],
    ...['POST /pages/:space/:path/restore', 'POST /pages/:space/:path/versions/:n/make-latest'],
    ...['POST /pages/batch', 'POST /pages/batch-get', 'POST /preview/:space/*', 'POST /rename-file/:space/*'],
    ...['POST /replace-file/:space/*', 'POST /reports/:slug', 'POST /spaces/:space/delete-folder'],
    ...['POST /spaces/:space/import', 'POST /spaces/:space/move-folder', 'POST /spaces/:space/order'],
    'POST /settings/:slug/review',
    ...['POST /spaces/:space/change-requests', 'PATCH /spaces/:space/change-requests/:number'],
    ...['DELETE /spaces/:space/change-requests/:number', 'POST /spaces/:space/change-requests/:number/close'],
    ...['POST /spaces/:space/change-requests/:number/merge', 'POST /spaces/:space/change-requests/:number/reopen'],
    ...['POST /spaces/:space/change-requests/:number/reviews', 'POST /spaces/:space/change-requests/:number/checks'],
    'POST /spaces/:space/change-requests/:number/update',
    ...['POST /to-review/:space/:number', 'POST /spaces/:space/change-requests/:number/threads'],
    ...['POST /threads/:space/:path', 'POST /threads/by-id/:id/replies', 'POST /threads/by-id/:id/resolve'],
    ...['POST /threads/by-id/:id/reopen', 'PATCH /comments/:id', 'DELETE /comments/:id', 'POST /comments/:space/*'],
    ...['PUT /verifications/:space/:path', 'DELETE /verifications/:space/:path', 'POST /verify/:space/*'],
    'POST /thread/:id',
    ...['POST /tick/:space/*', 'POST /trash/:slug/files/purge', 'POST /trash/:slug/files/restore'],
    ...['POST /trash/:slug/purge', 'POST /trash/:slug/restore', 'POST /upload/:slug'],
    ...['PUT /files/:space/:path', 'PUT /pages/:space/:path', 'PUT /spaces/:space/order'],
  ],
  own: [
    ...['POST /access-requests', 'POST /ask-for-access'],
    ...['DELETE /me/favourites/:space', 'DELETE /me/favourites/:space/:path', 'DELETE /me/first-steps/:step'],
    ...['PATCH /me/passkeys/:id', 'POST /account/appearance', 'POST /account/passkeys/:id'],
    ...['POST /account/picture', 'POST /account/picture/remove', 'POST /account/profile'],
    ...['POST /favourite/:slug', 'POST /favourite/:space/*', 'POST /steps/:step/dismiss'],
    ...['PUT /me/favourites/:space', 'PUT /me/favourites/:space/:path'],
    ...['PUT /me/unsaved/:space', 'PUT /me/unsaved/:space/:path'],
    ...['DELETE /me/unsaved/:space', 'DELETE /me/unsaved/:space/:path'],
    ...['PATCH /me/notifications', 'PATCH /me/notification-settings', 'POST /inbox', 'POST /inbox/mail'],
    ...['POST /watch/:slug', 'POST /watch/:space/*', 'PUT /me/watches/:space', 'PUT /me/watches/:space/:path'],
    ...['PUT /me/watches/by-id/:id', 'DELETE /me/watches/:space', 'DELETE /me/watches/:space/:path'],
    'DELETE /me/watches/by-id/:id',
  ],
  less: [
    ...['DELETE /admin/api-keys/:id', 'DELETE /admin/groups/:id', 'DELETE /admin/groups/:id/members/:principal'],
    ...['DELETE /admin/invitations/:id', 'DELETE /admin/scim/token', 'DELETE /admin/webhooks/:id'],
    ...['DELETE /me/api-keys/:id', 'DELETE /me/connections/:id', 'DELETE /me/sessions', 'DELETE /me/sessions/:id'],
    ...['DELETE /shares/by-id/:id', 'POST /settings/:slug/shares/revoke'],
    ...['DELETE /space-templates/:source/:id', 'DELETE /spaces/:space/groups/:group'],
    ...['POST /settings/:slug/requests/:id/decline', 'POST /spaces/:space/access-requests/:id/decline'],
    ...['DELETE /spaces/:space/invitations/:id', 'DELETE /spaces/:space/members/:principal'],
    ...['POST /account/connections/:id/end', 'POST /account/keys/:id/revoke', 'POST /account/sessions/:id/end'],
    ...['POST /account/sessions/end-others', 'POST /gallery/:source/:id/remove', 'POST /manage/groups/:id/delete'],
    ...['POST /manage/groups/:id/members/remove', 'POST /manage/invitations/:id/revoke'],
    ...['POST /manage/keys/:id/revoke', 'POST /manage/people/:id/picture/remove', 'POST /manage/scim/end'],
    ...['POST /manage/webhooks/:id/delete', 'POST /settings/:slug/groups/remove'],
    ...['POST /admin/jobs/:id/cancel', 'POST /manage/jobs/:id/cancel'],
    ...['POST /settings/:slug/invitations/:id/revoke', 'POST /settings/:slug/members/remove', 'POST /sign-out'],
  ],
  open: [
    ...['POST /spaces', 'POST /new-space', 'POST /space-templates/:source/:id/spaces', 'POST /gallery/:source/:id'],
    ...['POST /settings/:slug/slug', 'POST /admin/groups', 'PATCH /admin/groups/:id', 'POST /manage/groups'],
    'POST /manage/groups/:id',
  ],
  noSession: [
    ...['POST /oauth/register', 'POST /oauth/revoke', 'POST /oauth/token'],
    ...['POST /scim/v2/Groups', 'PUT /scim/v2/Groups/:id', 'PATCH /scim/v2/Groups/:id', 'DELETE /scim/v2/Groups/:id'],
    ...['POST /scim/v2/Users', 'PUT /scim/v2/Users/:id', 'PATCH /scim/v2/Users/:id', 'DELETE /scim/v2/Users/:id'],
    ...['POST /invitation/:token', 'POST /invitation/:token/passkey', 'POST /invitation/:token/passkey/options'],
    ...['POST /link/:token', 'POST /link/:token/passkey', 'POST /link/:token/passkey/options'],
    ...['POST /forgot-password', 'POST /s/:secret', 'POST /unsubscribe/:token'],
  ],
  confirms: [
    ...['POST /confirm', 'POST /confirm/passkey', 'POST /confirm/passkey/options'],
    ...['POST /sign-in', 'POST /sign-in/passkey', 'POST /sign-in/passkey/options', 'POST /sign-in/password'],
  ],
  password: ['POST /account/password'],
  challenge: ['POST /account/passkeys'],
  repeats: [
    ...['POST /admin/webhooks/:id/test', 'POST /admin/webhooks/:id/deliveries/:deliveryId/redeliver'],
    ...['POST /manage/webhooks/:id/test', 'POST /manage/webhooks/:id/deliveries/:deliveryId/redeliver'],
    'POST /manage/webhooks/:id/state',
  ],
  maintenance: ['POST /admin/files/migrate', 'POST /links/rebuild', 'POST /manage/links'],
}

/** The routes that change something and do not ask, each with the reason. */
export const DOES_NOT_ASK: ReadonlyMap<string, string> = new Map(
  Object.entries(BY_REASON).flatMap(
    ([reason, routes]) => routes.map((route) => [route, REASONS[reason as keyof typeof REASONS]]), // the keys of the record
  ),
)
