import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson } from '../support/people.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
  for (const slug of ['docs', 'other']) await admin.space(slug)
  await admin.space('secret', { visibility: 'private' })
  for (const path of ['docs/a', 'docs/moving', 'secret/plan'])
    assertStatus(await admin.put(`/pages/${path}`, `# Title of ${path}`), 201)
})
after(() => nodes[Symbol.asyncDispose]())

const any = { 'if-match': '*' }
const keep = (client: Client, at: string, json: object) => client.call('PUT', `/me/unsaved/${at}`, { json })
const listed = async (client: Client) =>
  assertStatus(await client.get('/me/unsaved'), 200).json.items.map(
    ({ space, page }: { space: string; page: { path: string } | null }) => (page ? `${space}/${page.path}` : space),
  )

test('typed text is kept for one person, of pages and of new ones, and the last text replaces the one before', async () => {
  const [ann, ben] = [await newPerson(admin, 'Ann'), await newPerson(admin, 'Ben')]
  assertStatus(await keep(ann.client, 'docs/a', { body: 'one', version: 1 }), 204)
  assertStatus(await keep(ann.client, 'docs', { body: 'new' }), 204)
  assertStatus(await keep(ann.client, 'docs/a.md', { body: 'two', note: 'why', version: 1 }), 204)
  const { savedAt, ...text } = assertStatus(await ann.client.get('/me/unsaved/docs/a'), 200).json
  assert.deepEqual(text, { body: 'two', note: 'why', version: 1 })
  assert.ok(Math.abs(Date.now() - Date.parse(savedAt)) < 60_000)
  assert.equal((await ann.client.get('/me/unsaved/docs')).json.version, null)
  const { items } = (await ann.client.get('/me/unsaved')).json
  assert.deepEqual(items[0].page, { space: 'docs', path: 'a', title: 'Title of docs/a', url: '/pages/docs/a' })
  assert.deepEqual(await listed(ann.client), ['docs/a', 'docs'])
  assert.deepEqual(await listed(ben.client), [])
  assertProblem(await ben.client.get('/me/unsaved/docs/a'), 404, 'not_found')
  for (const _ of [1, 2]) assertStatus(await ann.client.delete('/me/unsaved/docs/a'), 204)
  assert.deepEqual(await listed(ann.client), ['docs'])
  assertProblem(await ann.client.get('/me/unsaved/docs/a'), 404, 'not_found')
})

test('the text follows its page to another path and space, also when it is kept at the former address', async () => {
  const { client } = await newPerson(admin, 'Cat')
  assertStatus(await keep(client, 'docs/moving', { body: 'one', version: 1 }), 204)
  assertStatus(await admin.post('/pages/docs/moving/move', { to: { space: 'other', path: 'here' } }, any), 200)
  assert.deepEqual(await listed(client), ['other/here'])
  assertStatus(await keep(client, 'docs/moving', { body: 'two', version: 1 }), 204)
  assert.equal((await client.get('/me/unsaved/other/here')).json.body, 'two')
  assertStatus(await admin.patch('/spaces/other', { slug: 'others' }), 200)
  assertStatus(await keep(client, 'docs/moving', { body: 'three', version: 1 }), 204)
  assert.equal((await client.get('/me/unsaved/others/here')).json.body, 'three')
  assertStatus(await admin.delete('/pages/others/here', any), 204)
  assert.deepEqual(await listed(client), [])
  assertProblem(await keep(client, 'others/here', { body: 'four' }), 410, 'page_deleted')
  assertStatus(await admin.post('/pages/others/here/restore'), 200)
  assert.deepEqual(await listed(client), ['others/here'])
  assertStatus(await admin.delete('/pages/others/here?purge=true', any), 204)
  assertStatus(await admin.put('/pages/others/here', 'another'), 201)
  assertProblem(await client.get('/me/unsaved/others/here'), 404, 'not_found')
})

test('whoever loses a space is not told of its texts, and finds them when they come back', async () => {
  const { id, client } = await newPerson(admin, 'Dan')
  const member = `/spaces/secret/members/${id}`
  for (const at of ['secret/plan', 'secret', 'secret/none'])
    assertProblem(await keep(client, at, { body: 'x' }), 404, 'not_found')
  assertStatus(await admin.call('PUT', member, { json: { role: 'viewer' } }), 201)
  for (const at of ['secret/plan', 'secret']) assertStatus(await keep(client, at, { body: 'x' }), 204)
  assertStatus(await admin.delete(member), 204)
  assert.deepEqual(await listed(client), [])
  assertProblem(await client.get('/me/unsaved/secret/plan'), 404, 'not_found')
  assertStatus(await admin.call('PUT', member, { json: { role: 'viewer' } }), 201)
  assert.deepEqual(await listed(client), ['secret', 'secret/plan'])
})

test('texts that no page takes, and more than a hundred at once, are rejected; old ones are gone', async () => {
  const { client, id } = await newPerson(admin, 'Eve')
  assertProblem(await keep(client, 'docs', { body: 'x'.repeat(1_100_000) }), 413, 'payload_too_large')
  assertProblem(await keep(client, 'docs', { body: 'x\u0000' }), 400, 'invalid_request')
  assertProblem(await keep(client, 'docs', { body: 'x', note: 'n'.repeat(501) }), 400, 'invalid_request')
  const paths = Array.from({ length: 104 }, (_, number) => `many/${number}`)
  for (const path of paths) assertStatus(await admin.put(`/pages/docs/${path}`, 'x'), 201)
  const answers = await Promise.all(paths.map((path) => keep(client, `docs/${path}`, { body: path })))
  assert.deepEqual(
    [204, 400].map((status) => answers.filter((answer) => answer.status === status).length),
    [100, 4],
  )
  assert.equal((await listed(client)).length, 100)
  const full = answers.find(({ status }) => status === 400)
  assert.match(full?.json.detail, /100 unsaved texts/)
  await nodes.query(`update unsaved_text set saved_at = now() - interval '90 days' where principal_id = $1`, [id])
  assert.deepEqual(await listed(client), [])
  assertProblem(await client.get('/me/unsaved/docs/many/1'), 404, 'not_found')
})
