import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { elementKeys } from '../../packages/server/src/content/metadata/elements.ts'
import { assertStatus, type Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
  await admin.space('docs')
  await admin.space('other')
})
after(() => nodes[Symbol.asyncDispose]())

async function newPage(path: string, metadata?: unknown): Promise<void> {
  assertStatus(await admin.call('PUT', `/pages/docs/${path}`, { json: { body: '# Page', metadata } }), 201)
}

async function patch(path: string, change: unknown): Promise<void> {
  assertStatus(await admin.patch(`/pages/docs/${path}/metadata`, change), 200)
}

/** The paths of the pages whose key contains an element, and that every row of elements is that of a document. */
async function having(key: string, element: unknown): Promise<string[]> {
  const filters = JSON.stringify([{ key, op: 'contains', value: element }])
  const items = await admin.all(`/search/metadata?${new URLSearchParams({ filters })}`)
  await assertRows()
  return items.map(({ space, path }) => `${space}/${path}`)
}

async function assertRows(): Promise<void> {
  const { rows } = await nodes.query(`select doc, array(
    select encode(rank, 'hex') from metadata_element element
    where element.space_id = document.space_id and element.page_id = document.page_id order by 1) as ranks
    from page_metadata document`)
  for (const { doc, ranks } of rows) {
    const right = Object.entries(doc).flatMap(([key, value]) => elementKeys(key, value))
    assert.deepEqual(ranks, right.sort())
  }
}

test('contains follows each kind of change of an array', async () => {
  await newPage('a', { tags: ['x', 'x', 1, { n: [1] }], scalar: 'x' })
  assert.deepEqual(await having('tags', 'x'), ['docs/a'])
  assert.deepEqual(await having('tags', { n: [1] }), ['docs/a'])
  assert.deepEqual(await having('scalar', 'x'), [])
  await patch('a', { append: { tags: ['y', 'z'] } })
  assert.deepEqual(await having('tags', 'y'), ['docs/a'])
  await patch('a', { set: { tags: ['y', 1.0], scalar: ['x'] } })
  assert.deepEqual(await having('tags', 'x'), [])
  assert.deepEqual(await having('tags', 1), ['docs/a'])
  assert.deepEqual(await having('scalar', 'x'), ['docs/a'])
  await patch('a', { set: { tags: 'y', scalar: null } })
  assert.deepEqual(await having('tags', 'y'), [])
  assert.deepEqual(await having('scalar', 'x'), [])
})

test('an array of more elements than are indexed is found by each of them, also after it has become shorter', async () => {
  const many = Array.from({ length: 150 }, (_, n) => `e${n}`)
  await newPage('long', { list: many.slice(0, 100) })
  assert.deepEqual(await having('list', 'e99'), ['docs/long'])
  await patch('long', { append: { list: many.slice(100) } })
  assert.equal((await nodes.query('select from metadata_element where length(rank) = 5')).rowCount, 1)
  for (const element of ['e0', 'e99', 'e149']) assert.deepEqual(await having('list', element), ['docs/long'])
  assert.deepEqual(await having('list', 'e150'), [])
  await patch('long', { set: { list: ['e149'] } })
  assert.deepEqual(await having('list', 'e149'), ['docs/long'])
  assert.deepEqual(await having('list', 'e0'), [])
})

test('elements of a page follow it to the trash, back, to another space, and away', async () => {
  await newPage('b', { kinds: ['guide'] })
  const etag = { 'if-match': '*' }
  assertStatus(await admin.call('DELETE', '/pages/docs/b', { headers: etag }), 204)
  assert.deepEqual(await having('kinds', 'guide'), [])
  assertStatus(await admin.call('POST', '/pages/docs/b/restore', {}), 200)
  assert.deepEqual(await having('kinds', 'guide'), ['docs/b'])
  const moved = await admin.call('POST', '/pages/docs/b/move', {
    json: { to: { space: 'other', path: 'c' } },
    headers: etag,
  })
  assertStatus(moved, 200)
  assert.deepEqual(await having('kinds', 'guide'), ['other/c'])
  assertStatus(await admin.call('DELETE', '/pages/other/c?purge=true', { headers: etag }), 204)
  assert.deepEqual(await having('kinds', 'guide'), [])
  const { rows } = await nodes.query(
    `select count(*)::int as n from metadata_element where rank >= 'kinds'::bytea and rank < 'kindt'::bytea`,
  )
  assert.equal(rows[0].n, 0)
})

test('patches of two nodes that append to one array at once keep a row for each element', async () => {
  await newPage('race', { seen: [] })
  const appended = Array.from({ length: 40 }, (_, n) => n)
  await Promise.all(
    appended.map((n) =>
      nodes.admins[n % 2 === 0 ? 0 : 1].patch('/pages/docs/race/metadata', { append: { seen: [`n${n}`, 'shared'] } }),
    ),
  )
  for (const n of [0, 17, 39]) assert.deepEqual(await having('seen', `n${n}`), ['docs/race'])
})
