import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Answer, assertStatus, type Client } from '../support/client.ts'
import { newPerson, type Person } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let admin: Client
let ada: Person
let bob: Person
before(async () => {
  service = await startService()
  admin = service.admin
  ada = await newPerson(admin, 'Ada')
  bob = await newPerson(admin, 'Bob')
})
after(() => service[Symbol.asyncDispose]())

async function make(space: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    assertStatus(await admin.put(`/pages/${space}/${path}`, `# ${path}\n\nneedle`), 201)
    const headers = { 'content-type': 'text/plain' }
    const body = `file ${path}`
    assertStatus(await admin.call('PUT', `/files/${space}/${path}/file.txt`, { body, headers }), 201)
  }
}

type List = readonly { readonly principal: string }[] | 'inherit'

async function rule(space: string, prefix: string, read: List, write: List): Promise<void> {
  const { status, text } = await admin.call('PUT', `/spaces/${space}/rules/${prefix}`, { json: { read, write } })
  assert.ok([200, 201].includes(status), text)
}

/** A space where `team/hr` is Ada's, and `team/law` can be written by her alone. */
async function world(slug: string): Promise<void> {
  assertStatus(await admin.post('/spaces', { slug, defaultRole: 'editor' }), 201)
  await make(slug, ['team', 'team/a', 'team/hr', 'team/hr/pay', 'other'])
  await rule(slug, 'team/hr', [{ principal: ada.id }], 'inherit')
}

async function paths(client: Client, space: string, list = 'pages'): Promise<string[]> {
  const { items } = assertStatus(await client.get(`/spaces/${space}/${list}`), 200).json
  return items.map(({ path }: { path: string }) => path)
}

function move(client: Client, space: string, path: string, to: string, options: object = {}): Promise<Answer> {
  return client.post(`/spaces/${space}/move-folder`, { path, to: { path: to }, ...options })
}

test('moving a folder moves what the caller sees, and the hidden rest stays with its place in the order', async () => {
  await world('mv')
  for (const names of [['hr', 'a']]) {
    assertStatus(await admin.call('PUT', '/spaces/mv/order', { json: { folder: 'team', names } }), 200)
  }
  assertStatus(await admin.call('PUT', '/spaces/mv/order', { json: { folder: '', names: ['team', 'other'] } }), 200)
  const plan = assertStatus(await move(bob.client, 'mv', 'team', 'group', { dryRun: true }), 200)
  assert.doesNotMatch(plan.text, /hr/)
  const done = assertStatus(await move(bob.client, 'mv', 'team', 'group'), 200)
  assert.doesNotMatch(done.text, /hr/)
  assert.deepEqual(await paths(bob.client, 'mv'), ['group', 'group/a', 'other'])
  assert.deepEqual(await paths(admin, 'mv'), ['group', 'group/a', 'other', 'team/hr', 'team/hr/pay'])
  const order = async (folder: string) => (await admin.get(`/spaces/mv/order?folder=${folder}`)).json.names
  assert.deepEqual(await order('team'), ['hr'])
  assert.deepEqual(await order('group'), ['a'])
  assert.deepEqual(await order(''), ['team', 'group', 'other'])
  assert.deepEqual((await bob.client.get('/spaces/mv/order')).json.names, ['group', 'other'])
  assertStatus(await move(bob.client, 'mv', 'team', 'again'), 404)
  const nothing = await Promise.all(['team/hr', 'none'].map((path) => move(bob.client, 'mv', path, 'x')))
  const [hidden, absent] = nothing.map(({ status, json }) => [status, json.detail.replace(/`[^`]+`/, 'PATH')])
  assert.deepEqual(hidden, absent)
})

test('deleting a folder deletes what the caller sees', async () => {
  await world('rm')
  const remove = (path: string, dryRun = false) => bob.client.post('/spaces/rm/delete-folder', { path, dryRun })
  assert.doesNotMatch(assertStatus(await remove('team', true), 200).text, /hr/)
  assert.doesNotMatch(assertStatus(await remove('team'), 200).text, /hr/)
  assert.deepEqual(await paths(admin, 'rm'), ['other', 'team/hr', 'team/hr/pay'])
  assert.deepEqual(await paths(admin, 'rm', 'files'), ['other/file.txt', 'team/hr/file.txt', 'team/hr/pay/file.txt'])
  assertStatus(await remove('team/hr'), 404)
  assertStatus(await remove('team'), 404)
})

test('a move or deletion needs the right to write at each path, and a hidden target is as one that is not there', async () => {
  await world('rw')
  await make('rw', ['law', 'law/act', 'x'])
  await rule('rw', 'law', 'inherit', [{ principal: ada.id }])
  const page = (path: string, to: string, client = bob.client) =>
    client.call('POST', `/pages/rw/${path}/move`, { json: { to: { path: to } }, headers: { 'if-match': '*' } })
  for (const [answer, status] of [
    [await move(bob.client, 'rw', 'law', 'y'), 403],
    [await move(bob.client, 'rw', 'x', 'law/x'), 403],
    [await move(bob.client, 'rw', 'x', 'team/hr/x'), 404],
    [await page('x', 'law/x'), 403],
    [await page('law/act', 'y'), 403],
    [await page('x', 'team/hr/x'), 404],
    [await page('x', 'team/hr/pay'), 404],
    [await page('team/hr/pay', 'y'), 404],
    [await bob.client.post('/spaces/rw/delete-folder', { path: 'law' }), 403],
    [await bob.client.post('/spaces/rw/delete-folder', { path: 'law', dryRun: true }), 403],
  ] as const) {
    assertStatus(answer, status)
  }
  const details = [await page('x', 'team/hr/none'), await page('x', 'team/hr/pay')].map(({ json }) =>
    json.detail.replace(/`[^`]+`/, 'PATH'),
  )
  assert.equal(details[0], details[1])
  const file = (path: string, to: string) =>
    bob.client.call('POST', `/files/rw/${path}/move`, { json: { to: { path: to } }, headers: { 'if-match': '*' } })
  assertStatus(await file('x/file.txt', 'team/hr/pay/file.txt'), 404)
  assertStatus(await file('x/file.txt', 'law/f.txt'), 403)
  assertStatus(await page('x', 'law/x', ada.client), 200)
})

test('the dry run of a move says who gains and who loses by the rules of the target', async () => {
  await world('gain')
  const plan = async (path: string, to: string) => {
    const { json } = assertStatus(await move(admin, 'gain', path, to, { dryRun: true }), 200)
    return [json.opens, json.closes]
  }
  const [opens, closes] = await plan('team/hr', 'free')
  assert.equal(closes, null)
  assert.ok(opens.people >= 1)
  assert.equal(opens.revisions, 2)
  const [none, lost] = await plan('other', 'team/hr/other')
  assert.equal(none, null)
  assert.equal(lost.people, opens.people)
  assert.deepEqual(await plan('other', 'elsewhere'), [null, null])
})

test('an address below a rule is not written into pages whose readers cannot read it', async () => {
  await world('text')
  assertStatus(await admin.put('/pages/text/index', '[other](/pages/text/other) [a](/pages/text/team/a)'), 201)
  const done = assertStatus(await move(ada.client, 'text', 'other', 'team/hr/other'), 200)
  assert.deepEqual(
    done.json.left.map(({ path, reason }: { path: string; reason: string }) => [path, reason]),
    [['index', 'hidden']],
  )
  const headers = { accept: 'text/markdown' }
  assert.match((await bob.client.get('/pages/text/index', headers)).text, /\/pages\/text\/other/)
  assertStatus(await bob.client.get('/pages/text/other'), 404)
})

test('an import and a form of files need the right to write at each path', async () => {
  await world('in')
  const bundle = (path: string) => ({
    format: 'page-bundle',
    formatVersion: 1,
    space: { slug: 'in', name: 'In', description: '' },
    pages: [{ path, body: '# new' }],
  })
  const send = (path: string, query = '') => bob.client.post(`/spaces/in/import${query}`, bundle(path))
  assertStatus(await send('team/hr/new'), 404)
  assertStatus(await send('team/hr/pay', '?dryRun=true'), 404)
  assertStatus(await send('team/new'), 200)
  const form = async (path: string) => {
    const body = new FormData()
    body.append('path', path)
    body.append('file', new Blob(['x'], { type: 'text/plain' }), 'x.txt')
    const headers = { authorization: `Bearer ${bob.key}` }
    return (await fetch(`${service.admin.base}/files/in`, { method: 'POST', body, headers })).status
  }
  assert.equal(await form('team/hr/pay/file.txt'), 404)
  assert.equal(await form('team/hr/none.txt'), 404)
  assert.equal(await form('team/x.txt'), 201)
})
