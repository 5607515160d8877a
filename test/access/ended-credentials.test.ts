import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson, type Person } from '../support/people.ts'
import { startProvisioning } from '../support/scim.ts'
import { openWebSession } from '../support/web-session.ts'

// Every way to end a credential: the node that ends it refuses it at once, the other one before its cache would.

/**
 * So long a node would remember the credential without a notice, less the time that a slow machine takes for a request.
 */
const REMEMBERED_MS = 700
const ATTEMPTS = 5

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
})
after(() => nodes[Symbol.asyncDispose]())

interface Ending {
  readonly name: string
  /** Ends the credential on the first node. */
  readonly end: (person: Person) => Promise<unknown>
}

const ENDINGS: readonly Ending[] = [
  {
    name: 'an admin revokes the key',
    end: async ({ keyId }) => assertStatus(await admin.delete(`/admin/api-keys/${keyId}`), 204),
  },
  {
    name: 'the person revokes the key',
    end: async ({ client, keyId }) => assertStatus(await client.delete(`/me/api-keys/${keyId}`), 204),
  },
  {
    name: 'the person is disabled',
    end: async ({ id }) => assertStatus(await admin.patch(`/admin/principals/${id}`, { disabled: true }), 200),
  },
]

let count = 0

/** How long the other node went on to serve the key after its last look-up. */
async function servedFor({ end }: Ending): Promise<number> {
  const person = await newPerson(admin, `Person ${++count}`)
  const other = nodes.as(1, person.key)
  assertStatus(await person.client.get('/me'), 200)
  const lookedUp = performance.now()
  assertStatus(await other.get('/me'), 200)
  await end(person)
  assertStatus(await person.client.get('/me'), 401)
  while ((await other.get('/me')).status !== 401);
  return performance.now() - lookedUp
}

for (const ending of ENDINGS) {
  test(`when ${ending.name}, its node refuses it at once and the other one by a notice`, async () => {
    const times: number[] = []
    do times.push(await servedFor(ending))
    while (Math.min(...times) > REMEMBERED_MS && times.length < ATTEMPTS)
    assert.ok(Math.min(...times) <= REMEMBERED_MS, `served for ${times} ms`)
  })
}

test('an admin who is demoted, and a person whom a provider disables, lose their rights at once', async () => {
  const demoted = await newPerson(admin, 'Demoted', { role: 'admin' })
  assertStatus(await demoted.client.get('/admin/principals'), 200)
  assertStatus(await admin.patch(`/admin/principals/${demoted.id}`, { role: 'member' }), 200)
  assertStatus(await demoted.client.get('/admin/principals'), 403)

  const provider = await startProvisioning(admin)
  const id = await provider.user('left@example.org')
  const { secret } = assertStatus(
    await admin.post('/admin/api-keys', { principal: id, name: 'key', scopes: ['read'] }),
    201,
  ).json
  const left = nodes.as(0, secret)
  assertStatus(await left.get('/me'), 200)
  assertStatus(await provider.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false }), 200)
  assertStatus(await left.get('/me'), 401)
})

test('a session that signs out, and one that another ends, are refused at once', async () => {
  const person = await newPerson(admin, 'Signs in')
  const sessions = await Promise.all([1, 2].map(() => openWebSession(admin.base, person.key)))
  for (const session of sessions) assert.equal((await session.get('/account')).status, 200)
  const { items } = assertStatus(await person.client.get('/me/sessions'), 200).json
  for (const { id } of items) assertStatus(await person.client.delete(`/me/sessions/${id}`), 204)
  for (const session of sessions) assert.equal((await session.get('/account')).status, 401)
})
