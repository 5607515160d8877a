import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Client, createClient } from '@recto/client/client.ts'
import { apiDocument } from '../../tools/client-types.ts'
import { type Service, startService } from '../support/service.ts'

interface Api {
  readonly servers: unknown
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
}

let service: Service
let api: Api
before(async () => {
  service = await startService()
  api = (await service.admin.get('/openapi.json')).json
})
after(() => service[Symbol.asyncDispose]())

/** Routes without a function, because they are for operators or have a client of their own. */
const WITHOUT_FUNCTION = [
  'GET /healthz',
  'GET /readyz',
  'GET /metrics',
  'GET /problems/{code}',
  'GET /pages/personal', // `pages.list('personal')`
  'GET /pages/{space}/{path}/versions/{n}', // the same as `?version=n`
  'PUT /pages/{space}/{path}.md', // `pages.put` with a text
  'GET /mcp',
  'POST /mcp',
]

test('the client types are generated from the document that the service publishes', async () => {
  const { servers, ...published } = api
  assert.deepEqual(JSON.parse(JSON.stringify(await apiDocument())), published)
  assert.ok(servers)
})

test('the function of an operation is called by its operationId', () => {
  const client: unknown = createClient({ url: 'http://recto.test', key: 'svc_x' })
  const called = (id: string) => id.split('.').reduce((found, name) => Reflect.get(Object(found), name), client)
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, { operationId }] of Object.entries(methods)) {
      const missing = WITHOUT_FUNCTION.includes(`${method.toUpperCase()} ${path}`)
      assert.equal(typeof called(operationId), missing ? 'undefined' : 'function', operationId)
    }
  }
})

test('the client has a function for every route, and sends Idempotency-Key where the route accepts it', async () => {
  const sent = new Map<string, boolean>()
  const answer = { items: [], nextCursor: null, status: 'done', hasMore: false }
  const client = createClient({
    url: 'http://recto.test',
    key: 'svc_x',
    fetch: async (url, init) => {
      const route = `${init?.method} ${templateOf(new URL(String(url)).pathname)}`
      sent.set(route, new Headers(init?.headers).has('Idempotency-Key'))
      return Response.json(answer, { headers: { etag: '"1"' } })
    },
  })
  await callAll(client)
  const routes = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const missing = routes.filter((route) => !sent.has(route))
  assert.deepEqual(missing.sort(), WITHOUT_FUNCTION.sort())
  const takesKey = (route: string) => {
    const [method = '', path = ''] = route.split(' ')
    const { parameters = [] } = api.paths[path]?.[method.toLowerCase()] ?? {}
    return parameters.some(({ name }) => name === 'Idempotency-Key')
  }
  for (const [route, withKey] of sent) assert.equal(withKey, takesKey(route), route)
})

/** The path of the OpenAPI document that an address belongs to: the parameters below are all called so. */
function templateOf(pathname: string): string {
  const segments = pathname.split('/')
  const fits = Object.keys(api.paths).filter((path) => {
    const parts = path.split('/')
    return (
      parts.length === segments.length && parts.every((part, index) => part === segments[index] || part.startsWith('{'))
    )
  })
  const literal = (path: string) => path.split('/').filter((part) => !part.startsWith('{')).length
  const [best] = fits.sort((a, b) => literal(b) - literal(a))
  assert.ok(best, `the API has no ${pathname}`)
  return best
}

async function callAll(client: Client): Promise<void> {
  const at = ['s', 'a/b'] as const
  const lists = [
    client.me.keys.list(),
    client.keys.list(),
    client.me.sessions.list(),
    client.me.favourites.list(),
    client.me.connections.list(),
    client.principals.list(),
    client.jobs.list(),
    client.spaces.members.candidates('s', 'n'),
    client.me.passkeys.list(),
    client.groups.list(),
    client.groups.members.list('g'),
    client.groups.spaces('g'),
    client.spaces.groups.list('s'),
    client.spaces.rules.list('s'),
    client.spaces.accessRequests.list('s'),
    client.changeRequests.list('s'),
    client.changeRequests.listAll(),
    client.changeRequests.threads.list('s', 1),
    client.threads.list(...at),
    client.spaces.shares('s'),
    client.shares.list(...at),
    client.metadata.values('k'),
    client.spaces.readers('s'),
    client.invitations.list(),
    client.spaces.invitations.list('s'),
    client.audit.list(),
    client.pages.backlinks(...at),
    client.links.broken('s'),
    client.links.orphans('s'),
    client.links.wanted('s'),
    client.metadata.history(...at),
    client.metadata.search(),
    client.metadata.keys(),
    client.search.pages('words'),
    client.pages.versions.list(...at),
    client.pages.list('s'),
    client.pages.recent(),
    client.pages.trash('s'),
    client.files.list('s'),
    client.files.trash('s'),
    client.files.versions.list(...at),
    client.spaces.list(),
    client.spaces.members.list('s'),
    client.templates.list(),
    client.spaceTemplates.list(),
    client.webhooks.list(),
    client.webhooks.deliveries.list('w'),
  ]
  for (const list of lists) await list.page()
  await client.me.get()
  await client.pages.batch([{ op: 'delete', space: 's', path: 'a/b', ifMatch: '*' }])
  await client.metadata.batch({ filters: [], set: { a: 1 } })
  await client.pages.batchGet([{ space: 's', path: 'a/b' }])
  await client.me.keys.create({ name: 'n', scopes: ['read'] })
  await client.me.keys.revoke('k')
  await client.keys.create({ principal: 'p', name: 'n', scopes: ['read'] })
  await client.keys.revoke('k')
  await client.principals.get('p')
  await client.principals.create({ name: 'n', kind: 'agent' })
  await client.principals.update('p', { disabled: true })
  await client.me.sessions.end('k')
  await client.me.sessions.endOthers()
  await client.me.connections.end('k')
  await client.me.favourites.addPage(...at)
  await client.me.unsaved.list()
  await client.me.unsaved.getSpace('s')
  await client.me.unsaved.putSpace('s', { body: 'x' })
  await client.me.unsaved.deleteSpace('s')
  await client.me.unsaved.getPage(...at)
  await client.me.unsaved.putPage(...at, { body: 'x' })
  await client.me.unsaved.deletePage(...at)
  await client.me.favourites.removePage(...at)
  await client.me.favourites.addSpace('s')
  await client.me.favourites.removeSpace('s')
  await client.me.firstSteps.remove('import')
  await client.principals.createPasswordLink('p')
  await client.principals.merge('p', 'q')
  await client.jobs.cancel('j')
  await client.invitations.create({ email: 'a@example.org' })
  await client.invitations.resend('i')
  await client.invitations.revoke('i')
  await client.spaces.invitations.create('s', 'a@example.org', 'viewer')
  await client.spaces.invitations.resend('s', 'i')
  await client.spaces.invitations.revoke('s', 'i')
  await client.me.passkeys.rename('k', 'n')
  await client.me.passkeys.remove('k')
  await client.scim.get()
  await client.scim.createToken()
  await client.scim.endToken()
  await client.groups.get('g')
  await client.groups.create({ name: 'n' })
  await client.groups.update('g', { name: 'n' })
  await client.groups.delete('g')
  await client.groups.members.add('g', 'p')
  await client.groups.members.remove('g', 'p')
  await client.spaces.groups.set('s', 'g', 'viewer')
  await client.spaces.groups.remove('s', 'g')
  await client.principals.access('p', 's')
  await client.accessRequests.create({ space: 's' })
  await client.threads.create(...at, { body: 'b' })
  await client.threads.get('t')
  await client.threads.reply('t', { body: 'b' })
  await client.threads.resolve('t')
  await client.threads.reopen('t')
  await client.comments.update('c', { body: 'b' })
  await client.comments.delete('c')
  const { changeRequests } = client
  await changeRequests.threads.create('s', 1, { body: 'b' })
  await changeRequests.create('s', { title: 't' })
  await changeRequests.get('s', 1)
  await changeRequests.update('s', 1, { title: 't' })
  await changeRequests.delete('s', 1)
  await changeRequests.close('s', 1)
  await changeRequests.reopen('s', 1)
  await changeRequests.review('s', 1, { verdict: 'approve' })
  await changeRequests.check('s', 1, { name: 'n', status: 'passed' })
  await changeRequests.changes('s', 1)
  await changeRequests.diff('s', 1, 'p')
  await changeRequests.merge('s', 1, {})
  await changeRequests.updateDrafts('s', 1, {})
  await client.shares.create(...at, {})
  await client.shares.get('i')
  await client.shares.revoke('i')
  await client.verifications.set(...at, { until: '2999-01-31' })
  await client.verifications.remove(...at)
  await client.verifications.report('s', 'none')
  await client.presence.list({ reading: ['s/p'] })
  await client.me.notifications.list()
  await client.me.notifications.count()
  await client.me.notifications.mark({ all: true, read: true })
  await client.me.notificationSettings.get()
  await client.me.notificationSettings.update({ mail: 'off' })
  await client.me.watches.list()
  await client.me.watches.addSpace('s')
  await client.me.watches.removeSpace('s')
  await client.me.watches.addPage(...at)
  await client.me.watches.removePage(...at)
  await client.me.watches.addThread('i')
  await client.me.watches.removeThread('i')
  await client.spaces.accessRequests.approve('s', 'i', { role: 'viewer' })
  await client.spaces.accessRequests.decline('s', 'i')
  await client.spaces.rules.get('s', 'f')
  await client.spaces.rules.set('s', 'f', { read: 'inherit', write: [] })
  await client.spaces.rules.remove('s', 'f')
  await client.changes.list()
  await client.pages.links(...at)
  await client.pages.neighbourhood(...at, 2)
  await client.links.rebuild()
  await client.links.rebuildStatus('r')
  await client.pages.find('a')
  await client.search.suggest('a')
  await client.metadata.get(...at)
  await client.metadata.patch(...at, { set: { a: 1 } })
  await client.pages.get(...at)
  await client.pages.getMarkdown(...at)
  await client.pages.getHtml(...at)
  await client.files.get(...at)
  await client.files.put(...at, new Uint8Array([1]))
  await client.files.migrate({ to: 's3' })
  await client.files.upload('s', new FormData())
  await client.files.move(...at, { to: { path: 'b' } })
  await client.files.delete(...at)
  await client.files.restore(...at)
  await client.spaces.order.get('s')
  await client.spaces.order.set('s', { folder: '', names: ['a'] })
  await client.spaces.order.place('s', 'a', null)
  await client.pages.put(...at, 'x')
  await client.pages.create(...at, { body: 'x' })
  await client.pages.edit(...at, [{ op: 'append', text: 'x' }])
  await client.pages.delete(...at)
  await client.pages.purge(...at)
  await client.pages.restore(...at)
  await client.pages.move(...at, { to: { path: 'c' } })
  await client.folders.move('s', { path: 'a', to: { path: 'b' } })
  await client.folders.delete('s', 'a')
  await client.pages.versions.restore(...at, 1)
  await client.spaces.get('s')
  await client.spaces.create('s')
  await client.spaces.update('s', { name: 'n' })
  await client.spaces.delete('s')
  await client.spaces.members.set('s', 'p', 'viewer')
  await client.spaces.members.remove('s', 'p')
  await client.spaceTemplates.get('org', 't')
  await client.spaceTemplates.createSpace('builtin', 't', { slug: 's' })
  await client.spaceTemplates.create({ space: 's' })
  await client.spaceTemplates.delete('t')
  await client.spaces.exportBundle('s')
  await client.spaces.import('s', new Uint8Array())
  await client.webhooks.get('w')
  await client.webhooks.create({ url: 'https://example.org', events: ['*'] })
  await client.webhooks.update('w', { enabled: false })
  await client.webhooks.delete('w')
  await client.webhooks.rotateSecret('w')
  await client.webhooks.test('w')
  await client.webhooks.deliveries.get('w', 'd')
  await client.webhooks.deliveries.redeliver('w', 'd')
}
