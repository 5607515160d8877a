import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client, redirectOf } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson } from '../support/people.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
})
after(() => nodes[Symbol.asyncDispose]())

async function outbound(path: string): Promise<[string, string, boolean | null][]> {
  const { json } = assertStatus(await admin.get(`/pages/${path}/links`), 200)
  return json.outbound.map((l: { space: string; path: string; exists: boolean | null }) => [l.space, l.path, l.exists])
}

test('the former slug of a space redirects, links by it follow, and a new space may take it', async () => {
  await admin.space('alpha')
  await admin.space('other')
  assertStatus(await admin.put('/pages/alpha/a', '[b](./b) [b](/pages/alpha/b)'), 201)
  assertStatus(await admin.put('/pages/alpha/b', '# B'), 201)
  assertStatus(await admin.put('/pages/alpha/c', '# C'), 201)
  assertStatus(await admin.post('/pages/alpha/c/move', { to: { path: 'd' } }, { 'if-match': '*' }), 200)
  assertStatus(await admin.put('/pages/other/x', '[b](/pages/alpha/b) [e](/pages/beta/e)'), 201)
  const out = await newPerson(admin, 'Outsider', { spaces: ['other'] })

  assertProblem(await admin.patch('/spaces/alpha', { slug: 'other' }), 409, 'slug_taken')
  assertProblem(await admin.patch('/spaces/alpha', { slug: 'personal' }), 409, 'slug_taken')
  assertProblem(await admin.patch('/spaces/alpha', { slug: 'No Slug' }), 400, 'invalid_slug')
  assertProblem(await admin.patch('/spaces/personal', { slug: 'mine' }), 400, 'invalid_request')
  assert.equal(assertStatus(await admin.patch('/spaces/alpha', { slug: 'beta' }), 200).json.slug, 'beta')
  for (const [from, code, to] of [
    ['/spaces/alpha', 'space_renamed', '/spaces/beta'],
    ['/spaces/alpha/pages?limit=3', 'space_renamed', '/spaces/beta/pages?limit=3'],
    ['/pages/recent?space=alpha', 'space_renamed', '/pages/recent?space=beta'],
    ['/pages/alpha/b', 'page_moved', '/pages/beta/b'],
    ['/pages/alpha/b.md', 'page_moved', '/pages/beta/b.md'],
    ['/pages/alpha/b/versions', 'page_moved', '/pages/beta/b/versions'],
    ['/pages/alpha/c', 'page_moved', '/pages/beta/d'],
    ['/history/alpha/b', 'page_moved', '/history/beta/b'],
    ['/browse-files/alpha', 'space_renamed', '/browse-files/beta'],
    ['/views/alpha?limit=3', 'space_renamed', '/views/beta?limit=3'],
    ['/fragments/tree/alpha?open=b', 'space_renamed', '/fragments/tree/beta?open=b'],
    ['/fragments/panel/alpha/b', 'page_moved', '/fragments/panel/beta/b'],
  ] as const) {
    assert.equal(redirectOf(assertProblem(await nodes.admins[1].get(from), 308, code)), to)
  }
  assertProblem(await admin.get('/pages/alpha/none'), 404, 'not_found')
  assertProblem(await admin.put('/pages/alpha/new', 'x'), 404, 'not_found')
  assertProblem(await out.client.get('/spaces/alpha'), 404, 'not_found')
  assertProblem(await out.client.get('/pages/alpha/b'), 404, 'not_found')

  // A link is an address: it is told as it is written, and means what GET of it answers.
  assert.deepEqual(await outbound('other/x'), [
    ['alpha', 'b', true],
    ['beta', 'e', false],
  ])
  assertStatus(await admin.put('/pages/other/x', '[b](/pages/alpha/b) [b](/pages/beta/b)', { 'if-match': '*' }), 200)
  assert.deepEqual(await outbound('other/x'), [
    ['alpha', 'b', true],
    ['beta', 'b', true],
  ])
  assertStatus(
    await admin.put('/pages/beta/a', '[b](./b) [b](/pages/alpha/b) [b](/pages/beta/b)', { 'if-match': '*' }),
    200,
  )
  assert.deepEqual(await outbound('beta/a'), [
    ['beta', 'b', true],
    ['alpha', 'b', true],
    ['beta', 'b', true],
  ])
  const { backlinks } = assertStatus(await admin.get('/pages/beta/b/links'), 200).json
  assert.deepEqual(
    backlinks.map((link: { space: string; via: unknown }) => [link.space, link.via]),
    [
      ['beta', null],
      ['other', null],
    ],
  )

  // A present slug wins over a former one, at once.
  await admin.space('alpha')
  assertStatus(await admin.get('/spaces/alpha'), 200)
  assertProblem(await admin.get('/pages/alpha/b'), 404, 'not_found')
  const reused = [
    ['alpha', 'b', false],
    ['beta', 'b', true],
  ]
  assert.deepEqual(await outbound('other/x'), reused)
  assertStatus(await admin.post('/links/rebuild'), 200)
  assert.deepEqual(await outbound('other/x'), reused)
  // And back again, which ends what led there.
  assertProblem(await admin.patch('/spaces/beta', { slug: 'alpha' }), 409, 'slug_taken')
  assertStatus(await admin.patch('/spaces/beta', { slug: 'gamma' }), 200)
  assertStatus(await admin.patch('/spaces/gamma', { slug: 'beta' }), 200)
  assert.equal(redirectOf(await admin.get('/spaces/gamma')), '/spaces/beta')
  const { rows } = await nodes.query('select slug from former_slug order by 1')
  assert.deepEqual(rows, [{ slug: 'gamma' }])
  assertStatus(await admin.delete('/spaces/beta?force=true'), 204)
  assertProblem(await admin.get('/spaces/gamma'), 404, 'not_found')
})

test('of two spaces that request one slug concurrently one gets it', async () => {
  for (let round = 0; round < 6; round++) {
    await admin.space(`one-${round}`)
    await admin.space(`two-${round}`)
    const answers = await Promise.all([
      nodes.admins[0].patch(`/spaces/one-${round}`, { slug: `both-${round}` }),
      nodes.admins[1].patch(`/spaces/two-${round}`, { slug: `both-${round}` }),
      nodes.admins[0].post('/spaces', { slug: `both-${round}` }),
    ])
    const statuses = answers.map(({ status }) => status)
    assert.equal(statuses.filter((status) => status < 300).length, 1, statuses.join())
    assert.equal(statuses.filter((status) => status === 409).length, 2, answers.map(({ text }) => text).join())
  }
})
