import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { newOwner } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

const BLNS = join(import.meta.dirname, '../../../shared/data/strings/blns.json')

let service: Service
let admin: Client
before(async () => {
  service = await startService()
  admin = service.admin
})
after(() => service[Symbol.asyncDispose]())

async function search(q: string, more = '', client: Client = admin): Promise<string[]> {
  const items = await client.all(`/search?q=${encodeURIComponent(q)}${more}`)
  return items.map((item) => item.path)
}

test('a page is found by its current text immediately after each write, and not by its former text', async () => {
  await admin.space('words')
  await admin.write('words/a', '# Crème brûlée\n\nBurnt **sugar** on vanilla custard.')
  const [item] = await admin.all('/search?q=vanilla')
  const { updatedAt, score, ...rest } = item
  assert.deepEqual(rest, {
    space: 'words',
    path: 'a',
    title: 'Crème brûlée',
    snippet: 'Crème brûlée Burnt sugar on <mark>vanilla</mark> custard.',
    heading: 'Crème brûlée',
    line: 3,
    version: 1,
    trust: { lastEditBy: 'person', verification: null },
  })
  assert.ok(score > 0 && score < 1 && Date.parse(updatedAt) > 0)
  for (const q of ['creme BRULEE', 'sugár', '"vanilla custard"', 'vanil', 'custard -salt', 'salt or sugar'])
    assert.deepEqual(await search(q), ['a'], q)
  for (const q of ['"vanil sugar"', '"custard vanilla"', 'custard -sugar', 'salt', '-sugar', '', '"'])
    assert.deepEqual(await search(q), [], q)
  await admin.write('words/a', '# Toast')
  assert.deepEqual(await search('vanilla'), [])
  assert.deepEqual(await search('toast'), ['a'])
  assertStatus(await admin.post('/pages/words/a/versions/1/make-latest'), 200)
  assert.deepEqual(await search('vanilla'), ['a'])
})

test('words of scripts without spaces, such as Japanese, are found', async () => {
  await admin.space('scripts')
  await admin.write('scripts/ja', '東京都に住んでいます。検索エンジン')
  await admin.write('scripts/zh', '全文搜索引擎的设计')
  await admin.write('scripts/th', 'ภาษาไทยเป็นภาษาที่สวยงาม')
  for (const [q, path] of [
    ['東京', 'ja'],
    ['検索エンジン', 'ja'],
    ['都', 'ja'],
    ['搜索', 'zh'],
    ['搜索引擎', 'zh'],
    ['设计', 'zh'],
    ['ภาษา', 'th'],
    ['สวยงาม', 'th'],
  ] as const)
    assert.deepEqual(await search(q, '&space=scripts'), [path], q)
  assert.deepEqual(await search('京東', '&space=scripts'), [])
  const [item] = await admin.all(`/search?q=${encodeURIComponent('検索')}&space=scripts`)
  assert.match(item.snippet, /<mark>検索<\/mark>/)
})

test('pages whose title meets the query come first, in a stable order', async () => {
  await admin.space('order')
  for (let n = 0; n < 12; n++) await admin.write(`order/p${n}`, `# Page ${n}\n\n${'walrus '.repeat(n + 1)}`)
  await admin.write('order/title', '# The walrus\n\nNothing else.')
  await admin.write('order/half', '# Walrus\n\nand carpenter')
  const all = await search('walrus', '&space=order')
  assert.deepEqual(all.slice(0, 2).sort(), ['half', 'title'])
  assert.equal(all.length, 14)
  assert.equal(all[2], 'p11')
  assert.deepEqual(await search('walrus', '&space=order&limit=3'), all)
  assert.equal((await search('walrus carpenter', '&space=order'))[0], 'half')
  assertProblem(await admin.get('/search?q=walrus&cursor=AAAA'), 400, 'invalid_cursor')
  const { nextCursor } = assertStatus(await admin.get('/search?q=walrus&space=order&limit=3'), 200).json
  assertProblem(await admin.get(`/search?q=other&limit=3&cursor=${nextCursor}`), 400, 'invalid_cursor')
})

test('a search returns only pages that the caller can read', async () => {
  await admin.space('everyone')
  await admin.space('secrets', { visibility: 'private' })
  await admin.write('secrets/best', '# Zebra zebra zebra')
  await admin.write('everyone/a', 'a zebra')
  const { client: member } = await newOwner(admin, 'Reader')
  await member.write('personal/own', '# Zebra')
  assert.deepEqual(await search('zebra', '', member), ['own', 'a'])
  assert.deepEqual(await search('zebra', '&limit=1', member), ['own', 'a'])
  assert.deepEqual(await search('zebra'), ['best', 'a'], 'a personal page is its owner’s alone')
  assert.deepEqual(await search('zebra', '&space=personal', member), ['own'])
  assertProblem(await member.get('/search?q=zebra&space=secrets'), 404, 'not_found')
})

test('the parameter filters restricts a search by metadata', async () => {
  await admin.space('filtered')
  for (const [path, status] of [
    ['x', 'done'],
    ['y', 'open'],
  ] as const) {
    await admin.write(`filtered/${path}`, '# Okapi')
    assertStatus(await admin.patch(`/pages/filtered/${path}/metadata`, { set: { status } }), 200)
  }
  await admin.write('filtered/z', 'okapi')
  const by = (filters: unknown) =>
    search('okapi', `&space=filtered&filters=${encodeURIComponent(JSON.stringify(filters))}`)
  assert.deepEqual(await by([{ key: 'status', op: 'eq', value: 'open' }]), ['y'])
  assert.deepEqual((await by([{ key: 'status', op: 'exists' }])).sort(), ['x', 'y'])
  assert.deepEqual(await by([{ key: 'status', op: 'missing' }]), ['z'])
  assert.deepEqual((await by([])).sort(), ['x', 'y', 'z'])
  assertProblem(await admin.get('/search?q=okapi&filters=x'), 400, 'invalid_request')
})

test('any text can be written and searched for', async () => {
  await admin.space('naughty')
  const strings: string[] = existsSync(BLNS) ? JSON.parse(readFileSync(BLNS, 'utf8')) : ['\\', "'", '":*&|!()<->']
  await admin.write(
    'naughty/all',
    strings
      .filter((text) => text.isWellFormed())
      .join('\n\n')
      .replaceAll('\0', ''),
  )
  for (const text of strings) {
    const answer = await admin.get(`/search?q=${encodeURIComponent(text.toWellFormed())}`)
    assert.ok(answer.status === 200 || answer.status === 400, `${answer.status} for ${JSON.stringify(text)}`)
  }
  const random = Array.from({ length: 90_000 }, (_, n) => (n * 2654435761).toString(36)).join(' ')
  await admin.write('naughty/words', random.slice(0, 1_000_000))
  await admin.write('naughty/one', 'x'.repeat(1_000_000))
  await admin.write('naughty/same', 'same '.repeat(200_000))
  await admin.write('naughty/dense', '漢字'.repeat(160_000))
  assert.deepEqual(await search('same', '&space=naughty'), ['same'])
  assert.deepEqual(await search('字漢', '&space=naughty'), ['dense'])
})

test('pages written between two pages of results are not repeated and displace no others', async () => {
  await admin.space('moving')
  const paths = Array.from({ length: 24 }, (_, n) => `p${n}`)
  for (const [n, path] of paths.entries()) {
    await admin.write(`moving/${path}`, n % 2 ? `# Ibex ${n}` : `# Page ${n}\n\n${'ibex '.repeat(n + 1)}`)
  }
  const shown: string[] = []
  const changed = new Set<string>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const more = cursor === '' ? '' : `&cursor=${cursor}`
    const answer = await admin.get(`/search?q=ibex&space=moving&limit=5${more}`)
    assertStatus(answer, 200)
    const items: string[] = answer.json.items.map((item: { path: string }) => item.path)
    shown.push(...items)
    cursor = answer.json.nextCursor
    // What was shown first falls behind everything; what would come last goes to the front.
    const [first] = items
    const last = paths.findLast((path) => !shown.includes(path))
    if (first) await admin.write(`moving/${first}`, `# Page\n\n${'other words '.repeat(99)} ibex`)
    if (last) await admin.write(`moving/${last}`, '# Ibex')
    for (const path of [first, last]) if (path) changed.add(path)
  }
  assert.ok(changed.size >= 6)
  assert.deepEqual([...new Set(shown)], shown)
  assert.deepEqual(
    paths.filter((path) => !changed.has(path) && !shown.includes(path)),
    [],
  )
})

test('hits with equal scores are sorted by space and path', async () => {
  await admin.space('tie-b')
  await admin.space('tie-a')
  for (const path of ['tie-b/n', 'tie-b/m', 'tie-a/z', 'tie-a/k', 'tie-b/a']) await admin.write(path, '# Thylacine')
  const items = await admin.all('/search?q=thylacine&limit=2')
  assert.deepEqual(
    items.map((item) => `${item.space}/${item.path}`),
    ['tie-a/k', 'tie-a/z', 'tie-b/a', 'tie-b/m', 'tie-b/n'],
  )
})
