import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, Client } from '../support/client.ts'
import { newKey, newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let admin: Client
before(async () => {
  service = await startService()
  admin = service.admin
})
after(() => service[Symbol.asyncDispose]())

async function world(slug: string) {
  assertStatus(await admin.post('/spaces', { slug, defaultRole: 'editor' }), 201)
  for (const path of ['open', 'hr', 'hr/pay', 'hr/public/menu', 'hr-x']) {
    assertStatus(await admin.put(`/pages/${slug}/${path}`, `# ${path}`), 201)
  }
  return { ada: await newPerson(admin, 'Ada'), bob: await newPerson(admin, 'Bob') }
}

test('a folder rule hides its page and all below it from everybody else, and nothing beside it', async () => {
  const { ada, bob } = await world('rules')
  const rule = { read: [{ principal: ada.id }], write: 'inherit' }
  const planned = await admin.call('PUT', '/spaces/rules/rules/hr?dryRun=true', { json: rule })
  assertStatus(planned, 200)
  assertStatus(await bob.client.get('/pages/rules/hr/pay'), 200)
  const set = await admin.call('PUT', '/spaces/rules/rules/hr', { json: rule })
  assertStatus(set, 201)
  assert.ok(set.json.readers.loses.principals.some(({ id }: { id: string }) => id === bob.id))
  for (const [path, status] of [
    ['hr', 404],
    ['hr/pay', 404],
    ['hr/public/menu', 404],
    ['hr-x', 200],
    ['open', 200],
  ] as const) {
    assertStatus(await bob.client.get(`/pages/rules/${path}`), status)
    assertStatus(await ada.client.get(`/pages/rules/${path}`), 200)
    assertStatus(await admin.get(`/pages/rules/${path}`), 200)
  }
  const below = await admin.call('PUT', '/spaces/rules/rules/hr/public', {
    json: { read: [{ principal: bob.id }], write: [] },
  })
  assertStatus(below, 201)
  assertStatus(await bob.client.get('/pages/rules/hr/public/menu'), 200)
  assertStatus(await ada.client.get('/pages/rules/hr/public/menu'), 404)
  assertStatus(await bob.client.put('/pages/rules/hr/public/menu', 'x', { 'if-match': '*' }), 403)
  assertStatus(await bob.client.put('/pages/rules/hr/new', 'x'), 404)
  assert.equal((await admin.get('/spaces/rules/rules')).json.items.length, 2)
  assertStatus(await admin.delete('/spaces/rules/rules/hr'), 200)
  assertStatus(await bob.client.get('/pages/rules/hr/pay'), 200)
  assertStatus(await bob.client.get('/spaces/rules/rules/hr'), 403)
})

test('the list to write implies reading; nobody does more than the role in the space allows', async () => {
  const { ada, bob } = await world('capped')
  assertStatus(await admin.patch('/spaces/capped', { defaultRole: 'viewer' }), 200)
  const rule = { read: [], write: [{ principal: ada.id }] }
  assertStatus(await admin.call('PUT', '/spaces/capped/rules/hr', { json: rule }), 201)
  assertStatus(await ada.client.get('/pages/capped/hr/pay'), 200)
  assertStatus(await ada.client.put('/pages/capped/hr/pay', 'x', { 'if-match': '*' }), 403)
  assertStatus(await bob.client.get('/pages/capped/hr/pay'), 404)
  assertStatus(await admin.call('PUT', `/spaces/capped/members/${ada.id}`, { json: { role: 'editor' } }), 201)
  assertStatus(await ada.client.put('/pages/capped/hr/pay', 'x', { 'if-match': '*' }), 200)
  // A list to write that stands above a list to read gives nothing there.
  const below = { read: [{ principal: bob.id }], write: 'inherit' }
  assertStatus(await admin.call('PUT', '/spaces/capped/rules/hr/public', { json: below }), 201)
  assertStatus(await ada.client.get('/pages/capped/hr/public/menu'), 404)
  assertStatus(await bob.client.get('/pages/capped/hr/public/menu'), 200)
})

test('a rule with a group: its members read, and stop when they leave it', async () => {
  const { ada } = await world('grouped')
  const group = assertStatus(await admin.post('/admin/groups', { name: 'Payroll' }), 201).json
  const rule = { read: [{ group: group.id }], write: 'inherit' }
  assertStatus(await admin.call('PUT', '/spaces/grouped/rules/hr', { json: rule }), 201)
  assertStatus(await ada.client.get('/pages/grouped/hr'), 404)
  assertStatus(await admin.call('PUT', `/admin/groups/${group.id}/members/${ada.id}`), 201)
  assertStatus(await ada.client.get('/pages/grouped/hr'), 200)
  assertStatus(await admin.delete(`/admin/groups/${group.id}`), 204)
  assertStatus(await ada.client.get('/pages/grouped/hr'), 404)
})

test('a rule names principals, groups and guests that exist; a bad one changes nothing', async () => {
  await world('bad')
  const nobody = '00000000-0000-7000-8000-000000000000'
  const bodies = [
    { read: [{ principal: nobody }], write: 'inherit' },
    { read: [{ principal: 'x' }], write: 'inherit' },
    { read: [{ principal: nobody, group: nobody }], write: 'inherit' },
    { read: [{}], write: 'inherit' },
    { read: 'all', write: 'inherit' },
    { write: 'inherit' },
    { read: 'inherit', write: 'inherit', guests: [{ principal: nobody, role: 'viewer' }] },
  ]
  for (const json of bodies) {
    assertStatus(await admin.call('PUT', '/spaces/bad/rules/hr', { json }), 400)
  }
  assertStatus(await admin.call('PUT', '/spaces/bad/rules/hr%2F..%2Fx', { json: bodies[0] }), 400)
  assert.deepEqual((await admin.get('/spaces/bad/rules')).json.items, [])
})

test('a guest has only the spaces and folders that name them, and no list of people', async () => {
  await world('shared')
  await world('other')
  const account = { name: 'Gina', kind: 'human', guest: true }
  const { id, guest } = assertStatus(await admin.post('/admin/principals', account), 201).json
  assert.equal(guest, true)
  const { secret } = await newKey(admin, id)
  const gina = new Client(admin.base, secret)
  assert.deepEqual((await gina.get('/spaces')).json.items, [])
  assertStatus(await gina.get('/pages/shared/open'), 404)
  assertStatus(await gina.post('/spaces', { slug: 'mine' }), 403)
  assertStatus(await gina.get('/spaces/personal'), 404)
  const rule = { read: 'inherit', write: 'inherit', guests: [{ principal: id, role: 'editor' }] }
  assertStatus(await admin.call('PUT', '/spaces/shared/rules/hr/public', { json: rule }), 201)
  assert.deepEqual(
    (await gina.get('/spaces')).json.items.map(({ slug }: { slug: string }) => slug),
    ['shared'],
  )
  assertStatus(await gina.get('/pages/shared/open'), 404)
  assertStatus(await gina.get('/pages/shared/hr/pay'), 404)
  assertStatus(await gina.get('/pages/shared/hr/public/menu'), 200)
  assertStatus(await gina.put('/pages/shared/hr/public/menu', 'x', { 'if-match': '*' }), 200)
  assertStatus(await gina.put('/pages/shared/hr/public/new', 'x'), 201)
  assertStatus(await gina.put('/pages/shared/new', 'x'), 404)
  assertStatus(await gina.get('/spaces/shared/members'), 403)
  assertStatus(await gina.get('/spaces/shared/groups'), 403)
  // Others keep what they had, and a rule below with a list of its own ends it for the guest.
  const own = { read: [], write: [] }
  assertStatus(await admin.call('PUT', '/spaces/shared/rules/hr/public/menu', { json: own }), 201)
  assertStatus(await gina.get('/pages/shared/hr/public/menu'), 404)
  assertStatus(await admin.patch(`/admin/principals/${id}`, { guest: false }), 200)
  assertStatus(await gina.get('/pages/other/open'), 200)
  for (const bad of [
    { kind: 'agent', guest: true },
    { kind: 'human', role: 'admin', guest: true },
  ]) {
    assertStatus(await admin.post('/admin/principals', { name: 'Bad', ...bad }), 400)
  }
})

test('who can read a place, and which row decides', async () => {
  const { ada, bob } = await world('explained')
  const rule = { read: [{ principal: ada.id }], write: 'inherit' }
  assertStatus(await admin.call('PUT', '/spaces/explained/rules/hr', { json: rule }), 201)
  const names = async (query: string) =>
    assertStatus(await ada.client.get(`/spaces/explained/readers?limit=200&path=${query}`), 200).json.items.map(
      ({ principal, role }: { principal: { id: string }; role: string }) => `${principal.id} ${role}`,
    )
  const below = await names('hr%2Fpay')
  assert.ok(below.includes(`${ada.id} editor`))
  assert.ok(!below.some((line: string) => line.startsWith(bob.id)))
  assert.ok((await names('open')).includes(`${bob.id} editor`))
  assertStatus(await bob.client.get('/spaces/explained/readers?path=hr'), 404)
  const explain = async (principal: string, path: string) => {
    const { role, decidedBy } = assertStatus(
      await admin.get(`/admin/access?principal=${principal}&space=explained&path=${path}`),
      200,
    ).json
    return [role, decidedBy.by, decidedBy.prefix]
  }
  assert.deepEqual(await explain(bob.id, 'hr%2Fpay'), [null, 'folder-rule', 'hr'])
  assert.deepEqual(await explain(ada.id, 'hr%2Fpay'), ['editor', 'folder-rule', 'hr'])
  assert.deepEqual(await explain(bob.id, 'open'), ['editor', 'visibility', undefined])
  assertStatus(await admin.call('PUT', `/spaces/explained/members/${bob.id}`, { json: { role: 'admin' } }), 201)
  assert.deepEqual(await explain(bob.id, 'hr'), ['admin', 'member', undefined])
  assertStatus(await bob.client.get('/admin/access?principal=x&space=explained'), 403)
})

test('a template of a space has nothing that not all readers of the space read', async () => {
  const { ada } = await world('copied')
  assertStatus(await admin.call('PUT', '/files/copied/hr/plan', { body: 'Bytes' }), 201)
  const rule = { read: [{ principal: ada.id }], write: 'inherit' }
  assertStatus(await admin.call('PUT', '/spaces/copied/rules/hr', { json: rule }), 201)
  const template = assertStatus(await admin.post('/space-templates/org', { space: 'copied' }), 201).json
  assert.equal(template.pageCount, 2)
  assertStatus(await admin.post('/space-templates/org/copied/spaces', { slug: 'copy' }), 201)
  const paths = (await admin.get('/spaces/copy/pages')).json.items.map(({ path }: { path: string }) => path)
  assert.deepEqual(paths, ['hr-x', 'open'])
  assert.deepEqual((await admin.get('/spaces/copy/files')).json.items, [])
})

test('a change of a rule whose If-Match is stale is rejected, and changes nothing', async () => {
  await world('tagged')
  const url = '/spaces/tagged/rules/hr'
  const put = (read: unknown, headers = {}) => admin.call('PUT', url, { json: { read, write: 'inherit' }, headers })
  assertProblem(await put([], { 'if-match': '*' }), 412, 'precondition_failed')
  const created = assertStatus(await put([]), 201)
  const etag = (await admin.get(url)).headers.get('etag') ?? ''
  assert.equal(created.headers.get('etag'), etag)
  assertStatus(await admin.get(url, { 'if-none-match': etag }), 304)
  assertStatus(await put('inherit', { 'if-match': etag }), 200)
  assertProblem(await put([], { 'if-match': etag }), 412, 'precondition_failed')
  assertProblem(await admin.call('DELETE', url, { headers: { 'if-match': etag } }), 412, 'precondition_failed')
  const rule = await admin.get(url)
  assert.equal(rule.json.read, 'inherit')
  const headers = { 'if-match': rule.headers.get('etag') ?? '' }
  assertStatus(await admin.call('DELETE', url, { headers }), 200)
})
