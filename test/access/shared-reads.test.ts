import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client } from '../support/client.ts'
import { type Exchange, openLoad, times } from '../support/load.ts'
import { newKey, newOwner, newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

// Requests that arrive together share the executions of equal statements (docs/adr/0020-request-collapsing.md): never
// across rights.

let service: Service
let admin: Client
before(async () => {
  service = await startService()
  admin = service.admin
})
after(() => service?.[Symbol.asyncDispose]())

const TYPES = ['text/markdown', 'text/html', 'application/json']

/** What each key gets, from requests that are sent together, again and again. */
async function readTogether(path: string, keys: readonly string[]): Promise<Exchange[][]> {
  const loads = keys.map((key) => openLoad(service.app.address, key, 8))
  try {
    return await Promise.all(
      loads.map(async (load) => {
        const all: Exchange[] = []
        for (let round = 0; round < 12; round++) {
          const accept = TYPES[round % TYPES.length] ?? ''
          all.push(...(await Promise.all(times(8, () => load.send('GET', path, { accept })))))
        }
        return all
      }),
    )
  } finally {
    for (const load of loads) load[Symbol.dispose]()
  }
}

test('of concurrent reads of one page each gets what its own rights allow', async () => {
  const [member, editor, stranger] = await Promise.all(
    ['Member', 'Editor', 'Stranger'].map((name) => newPerson(admin, name)),
  )
  assert.ok(member && editor && stranger)
  await admin.space('secret', { visibility: 'private' })
  await admin.space('other')
  for (const [{ id }, role] of [
    [member, 'viewer'],
    [editor, 'editor'],
  ] as const) {
    assertStatus(await admin.call('PUT', `/spaces/secret/members/${id}`, { json: { role } }), 201)
  }
  await admin.write('secret/plan', '# The plan\n\n[Missing](./missing)')
  const elsewhere = (await newKey(admin, member.id, { scopes: ['read'], spaces: ['other'] })).secret
  const reads = await readTogether('/pages/secret/plan', [member.key, editor.key, stranger.key, elsewhere])
  const statuses = reads.map((all) => [...new Set(all.map(({ status }) => status))])
  assert.deepEqual(statuses, [[200], [200], [404], [404]])
  const forms = reads.map((all) => all.filter(({ body }) => body.includes('/new/secret?path=missing')).length)
  assert.deepEqual(forms, [0, 32, 0, 0]) // HTML links a missing page to its form for editors alone
})

test('of concurrent reads of one URL of personal spaces each gets the page of its own', async () => {
  const people = await Promise.all(['Ada', 'Bo', 'Cy'].map((name) => newOwner(admin, name)))
  for (const { name, client } of people) {
    assertStatus(await client.put('/pages/personal/diary', `# Diary of ${name}`), 201)
  }
  const reads = await readTogether(
    '/pages/personal/diary',
    people.map(({ key }) => key),
  )
  reads.forEach((all, index) => {
    for (const { status, body } of all) {
      assert.equal(status, 200)
      assert.ok(body.includes(`Diary of ${people[index]?.name}`))
    }
  })
})

test('a member who is removed reads nothing from then on, while others read the page', async () => {
  const [stays, leaves] = await Promise.all(['Stays', 'Leaves'].map((name) => newPerson(admin, name)))
  assert.ok(stays && leaves)
  await admin.space('club', { visibility: 'private' })
  for (const { id } of [stays, leaves]) {
    assertStatus(await admin.call('PUT', `/spaces/club/members/${id}`, { json: { role: 'viewer' } }), 201)
  }
  await admin.write('club/rules', '# Rules')
  using busy = openLoad(service.app.address, stays.key, 8)
  using load = openLoad(service.app.address, leaves.key, 8)
  let stopped = false
  const others = times(8, async () => {
    while (!stopped) assert.equal((await busy.send('GET', '/pages/club/rules.md')).status, 200)
  })
  try {
    assert.equal((await load.send('GET', '/pages/club/rules.md')).status, 200)
    assertStatus(await admin.delete(`/spaces/club/members/${leaves.id}`), 204)
    for (const { status } of await Promise.all(times(8, () => load.send('GET', '/pages/club/rules.md')))) {
      assert.equal(status, 404)
    }
  } finally {
    stopped = true
    await Promise.all(others)
  }
})
