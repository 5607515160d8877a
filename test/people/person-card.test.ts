import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, Client } from '../support/client.ts'
import { newKey, newPerson, type Person } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let ann: Person
let bob: Person
let gina: Person

before(async () => {
  service = await startService()
  const { admin } = service
  ann = await newPerson(admin, 'Ann')
  bob = await newPerson(admin, 'Bob')
  const account = { name: 'Gina', kind: 'human', guest: true }
  const { id } = assertStatus(await admin.post('/admin/principals', account), 201).json
  const { secret, apiKey } = await newKey(admin, id)
  gina = { id, name: 'Gina', key: secret, keyId: apiKey.id, client: new Client(admin.base, secret) }
  assertStatus(await admin.post('/spaces', { slug: 'club', name: 'Club', visibility: 'private' }), 201)
  for (const person of [gina, bob]) {
    assertStatus(await admin.call('PUT', `/spaces/club/members/${person.id}`, { json: { role: 'viewer' } }), 201)
  }
})
after(() => service[Symbol.asyncDispose]())

const open = (client: Client, id: string) => client.call('GET', `/people/${id}`, { headers: { accept: 'text/html' } })

test('the card of a person names them and leads to the pages that they changed', async () => {
  const { text } = assertStatus(await open(ann.client, bob.id), 200)
  assert.match(text, /<h1>.*Bob.*<\/h1>/s)
  assert.match(text, /href="\/find\?q=by%3A%22Bob%22"/)
})

test('a guest has a card for those who read a space whose member they are, and sees no card but their own', async () => {
  assertStatus(await open(bob.client, gina.id), 200)
  assertStatus(await open(ann.client, gina.id), 404)
  assertStatus(await open(gina.client, bob.id), 404)
  assertStatus(await open(gina.client, gina.id), 200)
})

test('a caller without an account, an unknown id and what is no id find no card', async () => {
  const visitor = service.nobody
  assert.ok([303, 401].includes((await open(visitor, bob.id)).status))
  assertStatus(await open(ann.client, '01890000-0000-7000-8000-000000000000'), 404)
  assertStatus(await open(ann.client, 'nobody'), 404)
})
