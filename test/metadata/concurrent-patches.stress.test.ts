import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { assertStatus } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson } from '../support/people.ts'

const PAGES = 24
let nodes: Nodes
before(async () => {
  nodes = await startNodes({ SVC_RATE_LIMIT: '0' })
})
after(() => nodes[Symbol.asyncDispose]())

/** A space of pages that have a number, a text, a date, a list and an object already. */
async function newSpace(slug: string): Promise<string[]> {
  const admin = nodes.admins[0]
  await admin.space(slug, { defaultRole: 'editor' })
  const paths = Array.from({ length: PAGES }, (_, n) => `/pages/${slug}/page-${n}`)
  const set = { number: -1, text: 'before', due: '2020-01-01', list: [], object: { a: 1 } }
  for (const path of paths) {
    assertStatus(await admin.put(path, '# Page'), 201)
    assertStatus(await admin.patch(`${path}/metadata`, { set }), 200)
  }
  return paths
}

/** An event of the change feed. */
interface Told {
  readonly page: { readonly path: string }
  readonly actor: { readonly name: string }
  readonly changedKeys: readonly string[]
}

test('patches of several authors that arrive together are recorded, found and told each as its own', async () => {
  const paths = await newSpace('shared')
  const [admin, other] = nodes.admins
  const authors = [await newPerson(admin, 'Ann'), await newPerson(admin, 'Ben')] as const
  const authorOf = (n: number) => authors[n % 2 === 0 ? 0 : 1]
  const { nextCursor } = (await admin.get('/changes?since=now')).json
  const patched = await Promise.all(
    paths.map(async (path, n) => {
      const set = { number: n, text: `text ${n}`, due: `2021-01-${n + 10}`, object: { n } }
      const patch = { set, append: { list: n } }
      return assertStatus(await authorOf(n).client.patch(`${path}/metadata`, patch), 200).json
    }),
  )
  for (const [n, path] of paths.entries()) {
    const { name } = authorOf(n)
    const read = (await other.get(`${path}/metadata`)).json
    assert.deepEqual(read, patched[n])
    assert.deepEqual([read.metadata.number, read.metadata.list, read.metadata.object], [n, [n], { n }])
    const history = await admin.all(`${path}/metadata/history`)
    const own = history.filter((event) => event.actor.name === name)
    assert.deepEqual(own.map(({ key }) => key).sort(), ['due', 'list', 'number', 'object', 'text'])
  }
  const { items } = (await admin.get(`/changes?space=shared&limit=100&since=${nextCursor}`)).json
  const told = (items as readonly Told[]).map(({ page, actor, changedKeys }) => [
    page.path,
    actor.name,
    changedKeys.length,
  ])
  const expected = paths.map((_, n) => [`page-${n}`, authorOf(n).name, 5])
  assert.deepEqual(told.sort(), expected.sort())
  const query = { filters: JSON.stringify([{ key: 'list', op: 'contains', value: 7 }]), orderBy: 'number' }
  const found = await admin.all(`/search/metadata?${new URLSearchParams(query)}`)
  assert.deepEqual(
    found.map(({ path }) => path),
    ['page-7'],
  )
  const [number] = await admin.all('/search/metadata/keys?space=shared&prefix=number')
  const times = patched.flatMap(({ entries }) =>
    entries.map((entry: { readonly updatedAt: string }) => entry.updatedAt),
  )
  assert.deepEqual([number.pageCount, number.lastUpdatedAt], [PAGES, times.sort().at(-1)])
})

test('a document that is locked holds up its own patch only', async () => {
  const paths = await newSpace('locked')
  const [held, ...others] = paths
  const other = new pg.Client(nodes.connection)
  await other.connect()
  try {
    await other.query('begin')
    await other.query(
      `select from page_metadata join page on page.id = page_id where page.path = 'page-0' and page.space_id =
        (select id from space where slug = 'locked') for update of page_metadata`,
    )
    let isDone = false
    const waiting = nodes.admins[0].patch(`${held}/metadata`, { set: { number: 100 } }).then((answer) => {
      isDone = true
      return answer
    })
    const answers = await Promise.all(
      others.map((path) => nodes.admins[0].patch(`${path}/metadata`, { set: { number: 100 } })),
    )
    for (const answer of answers) assertStatus(answer, 200)
    assert.ok(!isDone)
    await other.query('rollback')
    assert.equal(assertStatus(await waiting, 200).json.metadata.number, 100)
  } finally {
    await other.end()
  }
})

test('patches of the same pages on two nodes are all applied', async () => {
  const paths = (await newSpace('both')).slice(0, 6)
  const rounds = Array.from({ length: 12 }, (_, round) => round)
  await Promise.all(
    rounds.flatMap((round) =>
      paths.map(async (path) => {
        const admin = nodes.admins[round % 2 === 0 ? 0 : 1]
        assertStatus(await admin.patch(`${path}/metadata`, { append: { list: round } }), 200)
      }),
    ),
  )
  for (const path of paths) {
    const { list } = (await nodes.admins[0].get(`${path}/metadata`)).json.metadata
    assert.deepEqual(
      [...list].sort((a, b) => a - b),
      rounds,
    )
    const events = await nodes.admins[0].all(`${path}/metadata/history?limit=200`)
    assert.equal(events.length, 5 + rounds.length)
  }
})

test('atomic batches on two nodes, in opposite orders and with pages without metadata, are all applied in whole', async () => {
  const paths = await newSpace('atomic')
  const fresh = ['fresh-1', 'fresh-2']
  for (const path of fresh) assertStatus(await nodes.admins[0].put(`/pages/atomic/${path}`, '# Fresh'), 201)
  const pages = [...fresh, ...paths.slice(0, 8).map((path) => path.split('/')[3])].map((path) => ({
    space: 'atomic',
    path,
  }))
  const rounds = Array.from({ length: 10 }, (_, round) => round)
  const answers = await Promise.all(
    rounds.map((round) =>
      nodes.admins[round % 2 === 0 ? 0 : 1].post('/metadata/batch', {
        pages: round % 3 === 0 ? pages.toReversed() : pages,
        append: { log: round },
        atomic: true,
      }),
    ),
  )
  for (const answer of answers) assert.equal(assertStatus(answer, 200).json.items.length, pages.length)
  const logs = await Promise.all(
    pages.map(async ({ path }) => {
      const { json } = await nodes.admins[1].get(`/pages/atomic/${path}/metadata`)
      return json.metadata.log
    }),
  )
  assert.deepEqual([...logs[0]].sort(), rounds)
  for (const log of logs) assert.deepEqual(log, logs[0], 'the batches have one order on all pages')
})

test('a patch that is rejected does not reject those that arrive with it', async () => {
  const paths = await newSpace('rejected')
  const answers = await Promise.all(
    paths.map((path, n) =>
      nodes.admins[0].patch(`${path}/metadata`, n % 3 === 0 ? { append: { number: 1 } } : { set: { number: n } }),
    ),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    paths.map((_, n) => (n % 3 === 0 ? 400 : 200)),
  )
})
