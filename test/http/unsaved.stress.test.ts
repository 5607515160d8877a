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

const html = { accept: 'text/html' }
const form = (client: Client, url: string, fields: Readonly<Record<string, string>>) =>
  client.call('POST', url, {
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
/** A person with an open editor: what its form has of the page. */
async function newEditor(name: string, url: string) {
  const { id, client } = await newPerson(admin, name)
  assertStatus(await admin.call('PUT', `/spaces/docs/members/${id}`, { json: { role: 'editor' } }), 201)
  const { text } = assertStatus(await client.get(url, html), 200)
  const [, page = ''] = /name="page" value="([^"]*)"/.exec(text) ?? []
  const [, unsaved = ''] = /data-unsaved="([^"]*)"/.exec(text) ?? []
  return { client, text, page, unsaved }
}
const move = (from: string, to: string) => admin.post(`/pages/docs/${from}/move`, { to: { path: to } }, any)
const markdown = async (path: string) => assertStatus(await admin.get(`/pages/docs/${path}.md`), 200).text

test('an open editor saves its page where it is now, and nothing to a page that has taken its address', async () => {
  assertStatus(await admin.put('/pages/docs/mine', '# Mine'), 201)
  const { client, page, unsaved } = await newEditor('Flo', '/edit/docs/mine')
  assertStatus(await admin.put('/pages/docs/stranger', '# Stranger'), 201)
  assertStatus(await admin.put('/pages/docs/stranger', '# Stranger 2', any), 200)
  assertStatus(await move('mine', 'away'), 200)
  assertStatus(await move('stranger', 'mine'), 200)
  assertStatus(await client.call('PUT', unsaved, { json: { body: 'typed', version: 1 } }), 204)
  assertProblem(await client.get('/me/unsaved/docs/mine'), 404, 'not_found')
  assert.equal(assertStatus(await client.get('/me/unsaved/docs/away'), 200).json.body, 'typed')
  const fields = { base: '1', page, opened: 'docs/mine', body: '# Mine 2' }
  const saved = assertStatus(await form(client, '/edit/docs/mine', fields), 303)
  assert.equal(saved.headers.get('location'), '/pages/docs/away')
  assert.deepEqual([await markdown('away'), await markdown('mine')], ['# Mine 2', '# Stranger 2'])
  assertProblem(await client.get(unsaved), 404, 'not_found')
  // Merged with what others wrote there meanwhile.
  assertStatus(await admin.put('/pages/docs/away', '# Mine 3', any), 200)
  const merged = assertStatus(await form(client, '/edit/docs/mine', fields), 412)
  assert.match(merged.text, /action="\/edit\/docs\/away"[\s\S]*Mine 3/)
  assertStatus(await admin.delete('/pages/docs/away', any), 204)
  assert.match((await form(client, '/edit/docs/mine', fields)).text, /no longer at this address[\s\S]*# Mine 2/)
  assert.equal(await markdown('mine'), '# Stranger 2')
})

test('what is typed as a suggestion and what is typed into the page are two texts', async () => {
  const { client, text } = await newEditor('Gil', '/edit/docs/a?changeRequest=new&title=Better')
  assert.match(text, /data-proposal="new"/)
  assertStatus(await keep(client, 'docs/a', { body: 'direct', version: 1 }), 204)
  const edited = assertStatus(await client.get('/edit/docs/a', html), 200).text
  assert.match(edited, /data-unsaved-at/)
  assert.doesNotMatch(edited, /data-proposal/)
  const again = assertStatus(await client.get('/edit/docs/a?changeRequest=new&title=Better', html), 200).text
  assert.doesNotMatch(again, /data-unsaved-at/)
  const fields = { base: '1', opened: 'docs/a', body: 'suggested', into: 'new', title: 'Better' }
  assertStatus(await form(client, '/edit/docs/a?changeRequest=new&title=Better', fields), 303)
  assert.equal((await client.get('/me/unsaved/docs/a')).json.body, 'direct')
})
