import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes({ SVC_RATE_LIMIT: '0' })
  admin = nodes.admins[0]
  // The order of what is inside is another than that of slugs and paths.
  for (const slug of ['order-b', 'order-a']) {
    await admin.space(slug)
    for (const path of ['m', 'z', 'a'])
      assertStatus(await admin.put(`/pages/${slug}/${path}`, '[hub](/pages/order-b/hub)'), 201)
  }
  assertStatus(await admin.put('/pages/order-b/hub', '# Hub'), 201)
})
after(() => nodes[Symbol.asyncDispose]())

const SOURCES = ['order-a/a', 'order-a/m', 'order-a/z', 'order-b/a', 'order-b/m', 'order-b/z']

interface Listed {
  readonly space: string
  readonly path: string
}
const named = ({ space, path }: Listed) => `${space}/${path}`

test('recent pages that changed within one millisecond are sorted by path and space, across pages of results', async () => {
  await nodes.query(`update page set updated_at = '2030-01-01T00:00:00.123Z' where path <> 'hub'`)
  const expected = ['order-b/z', 'order-a/z', 'order-b/m', 'order-a/m', 'order-b/a', 'order-a/a']
  for (const limit of [1, 2, 5, 200]) {
    const items: Listed[] = await admin.all(`/pages/recent?limit=${limit}`)
    assert.deepEqual(items.map(named).slice(0, 6), expected, `limit ${limit}`)
    assert.equal(new Set(items.map(named)).size, items.length)
    const inSpace: Listed[] = await admin.all(`/pages/recent?space=order-b&limit=${limit}`)
    assert.deepEqual(
      inSpace.map(({ path }) => path),
      ['z', 'm', 'a', 'hub'],
    )
  }
  const titles = assertStatus(await admin.get('/titles?limit=6'), 200).json.items as Listed[]
  assert.deepEqual(titles.map(named), expected)
})

test('backlinks are sorted by space and path, across pages of results', async () => {
  for (const limit of [1, 2, 5, 200]) {
    const found: Listed[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const url: string = `/pages/order-b/hub/links?limit=${limit}${cursor && `&cursor=${cursor}`}`
      const { backlinks, nextCursor } = assertStatus(await admin.get(url), 200).json
      found.push(...backlinks)
      cursor = nextCursor
    }
    assert.deepEqual(found.map(named), SOURCES, `limit ${limit}`)
  }
})

test('the neighbours of a page are sorted by space and path', async () => {
  const { nodes: found } = assertStatus(await admin.get('/pages/order-b/hub/links?depth=1'), 200).json
  assert.deepEqual(found.map(named), ['order-b/hub', ...SOURCES])
})

test('the trash lists pages deleted at one path within one millisecond by version', async () => {
  for (const title of ['# First', '# Second', '# Third']) {
    assertStatus(await admin.put('/pages/order-a/gone', title), 201)
    assertStatus(await admin.delete('/pages/order-a/gone', { 'if-match': '*' }), 204)
  }
  await nodes.query(`update page set deleted_at = '2030-01-01T00:00:00.123Z' where path = 'gone'`)
  const items: { title: string; restorable: boolean }[] = await admin.all('/spaces/order-a/trash?limit=1')
  assert.deepEqual(
    items.map(({ title, restorable }) => [title, restorable]),
    [
      ['First', false],
      ['Second', false],
      ['Third', true],
    ],
  )
  const back = assertStatus(await admin.post('/pages/order-a/gone/restore'), 200).json
  assert.equal(back.title, 'Third')
})
