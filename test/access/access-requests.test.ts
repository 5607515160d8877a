import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { navigate, sendForm, sessionCookieOf } from '../support/browser-session.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let admin: Client
before(async () => {
  service = await startService()
  admin = service.admin
})
after(() => service[Symbol.asyncDispose]())

async function privateSpace(slug: string) {
  assertStatus(await admin.post('/spaces', { slug, visibility: 'private' }), 201)
  for (const path of ['hr/pay', 'open']) assertStatus(await admin.put(`/pages/${slug}/${path}`, `# ${path}`), 201)
}

const open = async (slug: string) => (await admin.get(`/spaces/${slug}/access-requests`)).json.items

test('the answer to a request is the same whether or not there is anything; what is hidden is delivered once', async () => {
  await privateSpace('asked')
  const ada = await newPerson(admin, 'Ada')
  const answers = []
  for (const [space, path] of [
    ['asked', undefined],
    ['asked', 'hr/pay'],
    ['asked', 'hr/pay'],
    ['asked', 'no-such-page'],
    ['no-such-space', undefined],
    ['no-such-space', 'hr/pay'],
    ['personal', undefined],
  ]) {
    answers.push(assertStatus(await ada.client.post('/access-requests', { space, path, note: 'Please' }), 202).text)
  }
  assert.equal(new Set(answers).size, 1)
  const items = await open('asked')
  assert.deepEqual(
    items.map((request: { path: string; note: string }) => [request.path, request.note]),
    [
      [null, 'Please'],
      ['hr/pay', 'Please'],
    ],
  )
  assertProblem(await ada.client.get('/spaces/asked/access-requests'), 404, 'not_found')
  assertProblem(await ada.client.post('/access-requests', { space: 'asked', note: 'a\nb' }), 400, 'invalid_request')
})

test('nothing is delivered where the asker has access, or the space takes no requests', async () => {
  await privateSpace('silent')
  const ada = await newPerson(admin, 'Ada')
  assertStatus(await admin.patch('/spaces/silent', { accessRequests: false }), 200)
  assertStatus(await ada.client.post('/access-requests', { space: 'silent' }), 202)
  assertStatus(await admin.patch('/spaces/silent', { accessRequests: true }), 200)
  assert.deepEqual(await open('silent'), [])
  assertStatus(await admin.post('/access-requests', { space: 'silent' }), 202)
  assert.deepEqual(await open('silent'), [])
  assertStatus(await ada.client.post('/access-requests', { space: 'silent' }), 202)
  assertStatus(await admin.call('PUT', `/spaces/silent/members/${ada.id}`, { json: { role: 'viewer' } }), 201)
  assert.deepEqual(await open('silent'), [])
  assertStatus(await admin.delete(`/spaces/silent/members/${ada.id}`), 204)
  assert.deepEqual(await open('silent'), [], 'a request that was granted has ended')
})

test('a person asks at most 20 times an hour, whatever for', async () => {
  const ada = await newPerson(admin, 'Ada')
  for (let n = 0; n < 20; n++) assertStatus(await ada.client.post('/access-requests', { space: `none-${n}` }), 202)
  assertProblem(await ada.client.post('/access-requests', { space: 'none' }), 429, 'too_many_requests')
})

test('approving gives a role, or a guest a folder; it must let them read what they asked for', async () => {
  await privateSpace('granted')
  const ada = await newPerson(admin, 'Ada')
  const gina = await newPerson(admin, 'Gina')
  assertStatus(await admin.patch(`/admin/principals/${gina.id}`, { guest: true }), 200)
  for (const { client } of [ada, gina]) {
    assertStatus(await client.post('/access-requests', { space: 'granted', path: 'hr/pay' }), 202)
  }
  const [first, second] = await open('granted')
  const decide = (id: string, verb: string, json?: object) =>
    admin.post(`/spaces/granted/access-requests/${id}/${verb}`, json)
  assertProblem(await decide(first.id, 'approve', { role: 'viewer', folder: 'hr' }), 400, 'invalid_request')
  assertStatus(await decide(first.id, 'approve', { role: 'editor' }), 204)
  assertStatus(await ada.client.get('/pages/granted/hr/pay'), 200)
  assertProblem(await decide(second.id, 'approve', { role: 'viewer', folder: 'open' }), 400, 'invalid_request')
  assertStatus(await gina.client.get('/pages/granted/open'), 404)
  assertStatus(await decide(second.id, 'approve', { role: 'viewer', folder: 'hr' }), 204)
  assertStatus(await gina.client.get('/pages/granted/hr/pay'), 200)
  assertStatus(await gina.client.get('/pages/granted/open'), 404)
  assertStatus(await ada.client.get('/pages/granted/hr/pay'), 200)
  assertProblem(await decide(second.id, 'approve', { role: 'viewer' }), 404, 'not_found')
  const { items } = (await admin.get('/admin/audit?action=space.access_approved')).json
  assert.deepEqual(items.map((entry: { details: object }) => entry.details).length, 2)
})

test('somebody whom a rule hides a folder from is added to its readers, or declined', async () => {
  assertStatus(await admin.post('/spaces', { slug: 'ruled' }), 201)
  assertStatus(await admin.put('/pages/ruled/hr/pay', '# Pay'), 201)
  assertStatus(await admin.call('PUT', '/spaces/ruled/rules/hr', { json: { read: [], write: [] } }), 201)
  const [ada, bob] = [await newPerson(admin, 'Ada'), await newPerson(admin, 'Bob')]
  for (const { client } of [ada, bob]) {
    assertStatus(await client.post('/access-requests', { space: 'ruled', path: 'hr/pay' }), 202)
  }
  const [first, second] = await open('ruled')
  assert.equal(first.folder, 'hr')
  const decide = (id: string, verb: string, json?: object) =>
    admin.post(`/spaces/ruled/access-requests/${id}/${verb}`, json)
  assertProblem(await decide(first.id, 'approve', { role: 'viewer' }), 400, 'invalid_request')
  assert.deepEqual((await admin.get('/spaces/ruled/members')).json.items.length, 1, 'nothing was changed')
  assertStatus(await decide(first.id, 'approve', { role: 'viewer', folder: 'hr' }), 204)
  assertStatus(await decide(second.id, 'decline'), 204)
  assertStatus(await ada.client.get('/pages/ruled/hr/pay'), 200)
  assertStatus(await bob.client.get('/pages/ruled/hr/pay'), 404)
  assert.deepEqual(await open('ruled'), [])
})

test('a request that a change of visibility grants ends, and does not come back with the next change', async () => {
  await privateSpace('opened')
  const { client } = await newPerson(admin, 'Ada')
  assertStatus(await client.post('/access-requests', { space: 'opened' }), 202)
  assert.equal((await open('opened')).length, 1)
  for (const visibility of ['org', 'private']) assertStatus(await admin.patch('/spaces/opened', { visibility }), 200)
  assert.deepEqual(await open('opened'), [])
})

test('every 404 screen of a place has the same form to ask, whether or not there is anything', async () => {
  await privateSpace('screen')
  const ada = await newPerson(admin, 'Ada')
  const cookie = sessionCookieOf(assertStatus(await sendForm(service.nobody, '/sign-in', { key: ada.key }), 303))
  const screens = []
  for (const url of ['/pages/screen/open', '/pages/screen/none', '/pages/absent/open', '/history/screen/open']) {
    const { status, text } = await navigate(admin, url, { cookie })
    assert.equal(status, 404)
    assert.match(text, /action="\/ask-for-access"/, url)
    const names = /screen|absent|open|none|Request [0-9a-f-]+|name="csrf" value="[^"]*"/g
    screens.push(text.replace(/.*<main/s, '').replace(names, ''))
  }
  assert.deepEqual([screens[1], screens[2]], [screens[0], screens[0]])
  const fields = { space: 'screen', path: 'open', note: 'I am new' }
  const sent = await navigate(admin, '/ask-for-access', { cookie }, fields)
  assert.deepEqual([sent.status, sent.location], [303, '/?done=asked'])
  const own = sessionCookieOf(assertStatus(await sendForm(service.nobody, '/sign-in', { key: admin.key ?? '' }), 303))
  assert.match(
    (await navigate(admin, '/settings/screen', { cookie: own })).text,
    /Requests for access <span class="badge info">1</,
  )
  const list = await navigate(admin, '/settings/screen/requests', { cookie: own })
  assert.match(list.text, /Ada.*I am new/s)
  const action = /action="([^"]*\/approve)"/.exec(list.text)?.[1] ?? ''
  const approved = await navigate(admin, action, { cookie: own }, { role: 'viewer', folder: '' })
  assert.equal(approved.location, '/settings/screen/requests?done=approved')
  assert.equal((await navigate(admin, '/pages/screen/open', { cookie })).status, 200)
})
