import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newKey, newPerson } from '../support/people.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
  await admin.space('docs', { name: 'The docs' })
  await admin.space('other')
  await admin.space('secret', { visibility: 'private' })
  for (const [space, path] of [
    ['docs', 'a'],
    ['docs', 'guide/b'],
    ['docs', 'notes.md'],
    ['docs', 'c/links'],
    ['secret', 'plan'],
  ] as const) {
    const answer = await admin.put(`/pages/${space}/${encodeURIComponent(path)}`, `# Title of ${path}`)
    assertStatus(answer, 201)
  }
})
after(() => nodes[Symbol.asyncDispose]())

const add = async (client: Client, at: string) => assertStatus(await client.call('PUT', `/me/favourites/${at}`), 204)
const remove = async (client: Client, at: string) => assertStatus(await client.delete(`/me/favourites/${at}`), 204)

async function namesOf(client: Client): Promise<string[]> {
  const { items } = assertStatus(await client.get('/me/favourites'), 200).json
  return items.map(({ space, page }: { space: string; page: { path: string } | null }) =>
    page ? `${space}/${page.path}` : space,
  )
}

test('pages and spaces become favourites of one person, the last added first, and repeating it changes nothing', async () => {
  const [ann, ben] = [await newPerson(admin, 'Ann'), await newPerson(admin, 'Ben')]
  for (const at of ['docs/a', 'docs', 'docs/guide/b', 'docs/c/links', 'docs/notes.md', 'docs/a'])
    await add(ann.client, at)
  assert.deepEqual(await namesOf(ann.client), ['docs/notes', 'docs/c/links', 'docs/guide/b', 'docs', 'docs/a'])
  const { items, nextCursor } = (await ann.client.get('/me/favourites?limit=3')).json
  assert.deepEqual(items[2].page, {
    space: 'docs',
    path: 'guide/b',
    title: 'Title of guide/b',
    url: '/pages/docs/guide/b',
  })
  const rest = (await ann.client.get(`/me/favourites?limit=3&cursor=${nextCursor}`)).json
  assert.deepEqual([rest.items[0].spaceName, rest.items[0].page, rest.items.length], ['The docs', null, 2])
  assert.deepEqual(await namesOf(ben.client), [])
  await remove(ann.client, 'docs/guide/b')
  await remove(ann.client, 'docs/guide/b')
  await remove(ann.client, 'docs')
  assert.deepEqual(await namesOf(ann.client), ['docs/notes', 'docs/c/links', 'docs/a'])
})

test('a favourite follows its page to another path and space, and is gone while the page is in the trash', async () => {
  const { client } = await newPerson(admin, 'Cat')
  assertStatus(await admin.put('/pages/docs/moving', '# Moving'), 201)
  await add(client, 'docs/moving')
  assertStatus(await admin.post('/pages/docs/moving/move', { to: { path: 'x/moved' } }, { 'if-match': '*' }), 200)
  assert.deepEqual(await namesOf(client), ['docs/x/moved'])
  assertProblem(await client.call('PUT', '/me/favourites/docs/moving'), 404, 'not_found')
  assertStatus(
    await admin.post('/pages/docs/x/moved/move', { to: { space: 'other', path: 'here' } }, { 'if-match': '*' }),
    200,
  )
  assert.deepEqual(await namesOf(client), ['other/here'])
  assertStatus(await admin.delete('/pages/other/here', { 'if-match': '*' }), 204)
  assert.deepEqual(await namesOf(client), [])
  assertStatus(await admin.post('/pages/other/here/restore'), 200)
  assert.deepEqual(await namesOf(client), ['other/here'])
  assertStatus(await admin.delete('/pages/other/here?purge=true', { 'if-match': '*' }), 204)
  assertStatus(await admin.put('/pages/other/here', '# Another page'), 201)
  assert.deepEqual(await namesOf(client), [])
})

test('whoever loses a space is not told of its favourites, and finds them when they come back', async () => {
  const { id, client } = await newPerson(admin, 'Dan')
  const hidden = await client.call('PUT', '/me/favourites/secret/plan')
  assertProblem(hidden, 404, 'not_found')
  assertProblem(await client.call('PUT', '/me/favourites/secret'), 404, 'not_found')
  const member = `/spaces/secret/members/${id}`
  assertStatus(await admin.call('PUT', member, { json: { role: 'viewer' } }), 201)
  await add(client, 'secret/plan')
  await add(client, 'secret')
  assert.deepEqual(await namesOf(client), ['secret', 'secret/plan'])
  assertStatus(await admin.delete(member), 204)
  assert.deepEqual(await namesOf(client), [])
  assertProblem(await client.delete('/me/favourites/secret/plan'), 404, 'not_found')
  assertStatus(await admin.call('PUT', member, { json: { role: 'viewer' } }), 201)
  assert.deepEqual(await namesOf(client), ['secret', 'secret/plan'])
})

test('a deleted space takes its favourites with it, and a key with the scope read can change them', async () => {
  const { client, id } = await newPerson(admin, 'Eve')
  await admin.space('short-lived')
  assertStatus(await admin.put('/pages/short-lived/x', '# X'), 201)
  const reader = new Client(admin.base, (await newKey(admin, id, { scopes: ['read'] })).secret)
  for (const at of ['short-lived', 'short-lived/x']) await add(reader, at)
  assertStatus(await admin.delete('/spaces/short-lived?force=true'), 204)
  await admin.space('short-lived')
  assert.deepEqual(await namesOf(client), [])
})

test('paths that are no pages, and more than a thousand favourites, are rejected', async () => {
  const { client, id } = await newPerson(admin, 'Fay')
  assertProblem(await client.call('PUT', '/me/favourites/docs/none'), 404, 'not_found')
  assertProblem(await client.call('PUT', '/me/favourites/docs/a//b'), 400, 'invalid_path')
  await add(client, 'docs')
  await nodes.query(
    `with made as (
       insert into space (slug, kind, name, description, visibility, default_role, created_at, created_by, updated_at)
       select 'space-' || n, 'shared', 'Space', '', 'private', 'viewer', now(), $1, now() from generate_series(1, 999) n returning id
     ) insert into favourite (space_id, principal_id, created_at) select id, $1, now() from made`,
    [id],
  )
  const problem = assertProblem(await client.call('PUT', '/me/favourites/docs/a'), 400, 'invalid_request')
  assert.match(problem.json.detail, /1000 favourites/)
  await add(client, 'docs')
  await remove(client, 'docs')
  await add(client, 'docs/a')
})
