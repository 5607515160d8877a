import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Client, createClient } from '../../src/client/client.ts'
import { apiDocument } from '../../tools/client-types.ts'
import { type Service, startService } from '../support/service.ts'

interface Api {
  readonly servers: unknown
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
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
  'GET /pages/personal', // `listPages('personal')`
  'GET /pages/{space}/{path}/versions/{n}', // the same as `?version=n`
  'POST /mcp',
]

test('the client types are generated from the document that the service publishes', async () => {
  const { servers, ...published } = api
  assert.deepEqual(JSON.parse(JSON.stringify(await apiDocument())), published)
  assert.ok(servers)
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
    return parameters.some(({ name }) => name === 'idempotency-key')
  }
  for (const [route, withKey] of sent) assert.equal(withKey, takesKey(route), route)
})

/** The path of the OpenAPI document that an address belongs to: the parameters below are all called so. */
function templateOf(pathname: string): string {
  const segments = pathname.split('/')
  const fits = Object.keys(api.paths).filter((path) => {
    const parts = path.split('/')
    return (
      parts.length === segments.length &&
      parts.every((part, index) => part === segments[index] || part.startsWith('{'))
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
    client.listKeys(),
    client.listAllKeys(),
    client.listSessions(),
    client.listConnections(),
    client.listPrincipals(),
    client.listPasskeys(),
    client.listGroups(),
    client.listGroupMembers('g'),
    client.listGroupSpaces('g'),
    client.listSpaceGroups('s'),
    client.listInvitations(),
    client.listInvitations({ space: 's' }),
    client.listAudit(),
    client.listBacklinks(...at),
    client.listBrokenLinks('s'),
    client.listOrphans('s'),
    client.listWanted('s'),
    client.listMetadataHistory(...at),
    client.searchMetadata(),
    client.listMetadataKeys(),
    client.search('words'),
    client.listVersions(...at),
    client.listPages('s'),
    client.listRecent(),
    client.listTrash('s'),
    client.listFiles('s'),
    client.listDeletedFiles('s'),
    client.listFileVersions(...at),
    client.listSpaces(),
    client.listMembers('s'),
    client.listTemplates(),
    client.listSpaceTemplates(),
    client.listWebhooks(),
    client.listDeliveries('w'),
  ]
  for (const list of lists) await list.page()
  await client.me()
  await client.getPages([{ space: 's', path: 'a/b' }])
  await client.createKey({ name: 'n', scopes: ['read'] })
  await client.revokeKey('k')
  await client.createKeyFor({ principal: 'p', name: 'n', scopes: ['read'] })
  await client.revokeAnyKey('k')
  await client.getPrincipal('p')
  await client.createPrincipal({ name: 'n', kind: 'agent' })
  await client.updatePrincipal('p', { disabled: true })
  await client.endSession('k')
  await client.endConnection('k')
  await client.createPasswordLink('p')
  await client.invite({ email: 'a@example.org' })
  await client.resendInvitation('i')
  await client.revokeInvitation('i')
  await client.inviteToSpace('s', 'a@example.org', 'viewer')
  await client.resendInvitation('i', { space: 's' })
  await client.revokeInvitation('i', { space: 's' })
  await client.renamePasskey('k', 'n')
  await client.removePasskey('k')
  await client.getGroup('g')
  await client.createGroup({ name: 'n' })
  await client.updateGroup('g', { name: 'n' })
  await client.deleteGroup('g')
  await client.addGroupMember('g', 'p')
  await client.removeGroupMember('g', 'p')
  await client.setSpaceGroup('s', 'g', 'viewer')
  await client.removeSpaceGroup('s', 'g')
  await client.getChanges()
  await client.getLinks(...at)
  await client.getNeighbourhood(...at, 2)
  await client.rebuildLinks()
  await client.getRebuild('r')
  await client.findTitles('a')
  await client.suggestSearches('a')
  await client.getMetadata(...at)
  await client.patchMetadata(...at, { set: { a: 1 } })
  await client.getPage(...at)
  await client.getMarkdown(...at)
  await client.getHtml(...at)
  await client.getFile(...at)
  await client.putFile(...at, new Uint8Array([1]))
  await client.migrateFiles({ to: 's3' })
  await client.uploadFiles('s', new FormData())
  await client.moveFile(...at, { to: { path: 'b' } })
  await client.deleteFile(...at)
  await client.restoreFile(...at)
  await client.getOrder('s')
  await client.setOrder('s', { folder: '', names: ['a'] })
  await client.arrange('s', 'a', null)
  await client.putPage(...at, 'x')
  await client.createPage(...at, { body: 'x' })
  await client.editPage(...at, [{ op: 'append', text: 'x' }])
  await client.deletePage(...at)
  await client.purgePage(...at)
  await client.restorePage(...at)
  await client.movePage(...at, { to: { path: 'c' } })
  await client.moveFolder('s', { path: 'a', to: { path: 'b' } })
  await client.deleteFolder('s', 'a')
  await client.makeLatest(...at, 1)
  await client.getSpace('s')
  await client.createSpace('s')
  await client.updateSpace('s', { name: 'n' })
  await client.deleteSpace('s')
  await client.setMember('s', 'p', 'viewer')
  await client.removeMember('s', 'p')
  await client.getSpaceTemplate('org', 't')
  await client.createSpaceFromTemplate('builtin', 't', { slug: 's' })
  await client.storeSpaceTemplate({ space: 's' })
  await client.deleteSpaceTemplate('t')
  await client.exportBundle('s')
  await client.importSpace('s', new Uint8Array())
  await client.getWebhook('w')
  await client.createWebhook({ url: 'https://example.org', events: ['*'] })
  await client.updateWebhook('w', { enabled: false })
  await client.deleteWebhook('w')
  await client.rotateWebhookSecret('w')
  await client.testWebhook('w')
  await client.getDelivery('w', 'd')
  await client.redeliver('w', 'd')
}
