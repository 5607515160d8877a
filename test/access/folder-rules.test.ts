import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
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
