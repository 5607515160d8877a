import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, Client } from '../support/client.ts'
import { newKey, newPerson, type Person } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

/*
 * Two spaces with the same pages: `twin` has no others, `full` has more that rules hide from Bob. He gets the same
 * answers of both; Ada, on the lists of the rules, and an admin get more.
 */

let service: Service
let admin: Client
let ada: Person
let bob: Person

/** Pages of both spaces; those below `open/deep` are visible below a hidden folder in `full`. */
const PAGES: Readonly<Record<string, readonly [body: string, metadata?: Readonly<Record<string, unknown>>]>> = {
  alpha: ['# Alpha\n\nThe budget of the year. See [[zulu]].', { status: 'open', due: '2026-03-01', rank: 3 }],
  'hr/menu/lunch': ['# Lunch\n\nThe budget of the kitchen.', { status: 'open', rank: 1, tags: ['food'] }],
  'hr-x': ['# Beside\n\nbudget and travel, [[alpha]]', { status: 'done', rank: 2 }],
  zulu: ['# Zulu\n\nNothing but travel.', { due: '2026-02-01' }],
  'templates/visit': ['# {{title}}\n\nA visit to {{place}}.'],
}
/** Pages of `full` that are hidden from Bob. */
const HIDDEN: typeof PAGES = {
  aaa: ['# Aardvark budget\n\nbudget, [[zulu]] travel', { status: 'open', rank: 0, due: '2025-01-01', pay: 1 }],
  hr: ['# People\n\nThe budget of everybody, [[zulu]] [[alpha]]', { status: 'secret', rank: 'x', salary: 10 }],
  'hr/pay': ['# Budget of pay\n\nredundancies and budget travel [[zulu]]', { salary: 5, tags: ['food', 'money'] }],
  'hr/menu/vault/key': ['# Key\n\nxylophones', { status: 'open', vault: { a: true } }],
  'templates/dismissal': ['# {{title}}\n\nThe dismissal of {{who}}.'],
}

async function putAll(space: string, pages: typeof PAGES) {
  for (const [path, [body, metadata = {}]] of Object.entries(pages)) {
    assertStatus(await admin.call('PUT', `/pages/${space}/${path}`, { json: { body, metadata } }), 201)
  }
}

const rule = (read: readonly string[] | 'inherit') => ({
  read: read === 'inherit' ? read : read.map((principal) => ({ principal })),
  write: read === 'inherit' ? read : [],
})

before(async () => {
  service = await startService()
  admin = service.admin
  ada = await newPerson(admin, 'Ada')
  bob = await newPerson(admin, 'Bob')
  for (const space of ['twin', 'full']) assertStatus(await admin.post('/spaces', { slug: space }), 201)
  await putAll('twin', PAGES)
  await putAll('full', { ...PAGES, ...HIDDEN })
  const rules = {
    aaa: rule([ada.id]),
    'hr/menu/vault': rule([ada.id]),
    'hr/menu': rule([ada.id, bob.id]),
    hr: rule([ada.id]),
    'templates/dismissal': rule([ada.id]),
  }
  for (const [prefix, json] of Object.entries(rules)) {
    assertStatus(await admin.call('PUT', `/spaces/full/rules/${prefix}`, { json }), 201)
  }
})
after(() => service[Symbol.asyncDispose]())

/** The answer of a space, with what differs between any two spaces replaced. */
async function answer(client: Client, space: string, url: string): Promise<unknown> {
  const response = await client.get(url.replaceAll('SPACE', space))
  const text = JSON.stringify(response.json)
    .replaceAll(/"(nextCursor|updatedAt|lastUpdatedAt|requestId)":"[^"]*"/g, '"$1":"…"')
    .replaceAll(new RegExp(`(?<="|in:)${space}(?=")`, 'g'), 'SPACE')
  return { status: response.status, ...JSON.parse(text) }
}

async function assertTwins(url: string) {
  assert.deepEqual(await answer(bob.client, 'full', url), await answer(bob.client, 'twin', url), url)
}

const filters = (...conditions: readonly object[]) => encodeURIComponent(JSON.stringify(conditions))

const QUERIES = [
  ...['budget', 'budget travel', 'redundancies', 'budgt', 'xylophone', 'travel -budget', '"budget of"', 'bud'],
  ...['title:budget', 'path:hr', 'has:salary', 'has:status', 'by:me', 'after:2020', 'aard vark', 'aardvarkbudget'],
  ...['what is the budget of everybody', 'people or lunch', 'Zulu', 'salary', 'money', 'food', 'key', '-alpha'],
]

test('a search finds, ranks, corrects and relaxes as if the pages below a hidden folder did not exist', async () => {
  for (const q of QUERIES) {
    await assertTwins(`/search?limit=1&q=${encodeURIComponent(`${q} in:`)}SPACE`)
    await assertTwins(`/search?space=SPACE&q=${encodeURIComponent(q)}`)
    await assertTwins(
      `/search?space=SPACE&q=${encodeURIComponent(q)}&filters=${filters({ key: 'status', op: 'exists' })}`,
    )
  }
  const all = async (client: Client) => (await client.get('/search?space=full&q=budget')).json.items.length
  assert.deepEqual([await all(ada.client), await all(admin)], [6, 6])
  assert.equal(await all(bob.client), 3)
})

const CONDITIONS = [
  [],
  [{ key: 'status', op: 'eq', value: 'open' }],
  [{ key: 'status', op: 'neq', value: 'open' }],
  [{ key: 'salary', op: 'exists' }],
  [{ key: 'salary', op: 'missing' }],
  [{ key: 'rank', op: 'gte', value: 0 }],
  [{ key: 'tags', op: 'contains', value: 'food' }],
  [{ key: 'vault', op: 'eq', value: { a: true } }],
  [
    { key: 'rank', op: 'lt', value: 9 },
    { key: 'status', op: 'eq', value: 'open' },
  ],
]

/** The paths of all items of a list, page by page. */
async function listByOne(url: string): Promise<string[]> {
  const paths: string[] = []
  for (let cursor = ''; ; ) {
    const { items, nextCursor } = assertStatus(await bob.client.get(url + cursor), 200).json
    paths.push(...items.map(({ path }: { path: string }) => path))
    if (nextCursor === null) return paths
    cursor = `&cursor=${encodeURIComponent(nextCursor)}`
  }
}

test('a query by metadata returns the pages, the order, the cursors and the warnings of a space without the hidden ones', async () => {
  for (const conditions of CONDITIONS) {
    for (const order of [
      '',
      '&orderBy=rank',
      '&orderBy=rank&order=desc',
      '&orderBy=salary',
      '&orderBy=due&order=desc',
    ]) {
      const url = `/search/metadata?space=SPACE&includeMetadata=true&filters=${filters(...conditions)}${order}`
      await assertTwins(url)
      const { items } = (await bob.client.get(url.replace('SPACE', 'twin'))).json
      const paths = items.map(({ path }: { path: string }) => path)
      assert.deepEqual(await listByOne(`${url.replace('SPACE', 'full')}&limit=1`), paths, url)
    }
  }
  const found = await ada.client.get(`/search/metadata?space=full&filters=${filters({ key: 'salary', op: 'exists' })}`)
  assert.equal(found.json.items.length, 2)
})

test('the values of a key are those of the pages that the caller sees', async () => {
  for (const key of ['status', 'salary', 'rank', 'due', 'never'])
    for (const limit of [1, 50]) await assertTwins(`/search/metadata/values?space=SPACE&key=${key}&limit=${limit}`)
})

test('the keys in use are counted without hidden pages, and a change there does not show in their times', async () => {
  for (const more of ['', '&limit=1', '&limit=2', '&prefix=s', '&prefix=v'])
    await assertTwins(`/search/metadata/keys?space=SPACE${more}`)
  const keys = async (client: Client) => (await client.get('/search/metadata/keys?space=full')).json.items
  const earlier = await keys(bob.client)
  const patch = (path: string) =>
    admin.call('PATCH', `/pages/full/${path}/metadata`, { json: { set: { status: 'new', due: null, rank: 7 } } })
  assertStatus(await patch('hr'), 200)
  assertStatus(await patch('aaa'), 200)
  assert.deepEqual(await keys(bob.client), earlier)
  assert.notDeepEqual(await keys(ada.client), earlier)
  assertStatus(await patch('hr-x'), 200)
  const later = await keys(bob.client)
  const at = (items: typeof later, key: string) => items.find((item: { key: string }) => item.key === key).lastUpdatedAt
  assert.ok(at(later, 'status') > at(earlier, 'status'))
  assert.equal(at(later, 'due'), at(earlier, 'due'))
})

test('a batch by filters changes the pages that the caller sees', async () => {
  const json = { filters: [{ key: 'rank', op: 'exists' }], set: { seen: true }, dryRun: true }
  const paths = async (client: Client, space: string) =>
    assertStatus(await client.call('POST', '/metadata/batch', { json: { ...json, space } }), 200).json.items.map(
      ({ path }: { path: string }) => path,
    )
  assert.deepEqual(await paths(bob.client, 'full'), await paths(bob.client, 'twin'))
  assert.equal((await paths(ada.client, 'full')).length, 5)
})

test('page templates below a hidden folder are not listed', async () => {
  await assertTwins('/templates?space=SPACE&includeContent=true')
  assert.equal((await ada.client.get('/templates?space=full')).json.items.length, 2)
})

test('a guest of a folder searches and queries what is below it as if the space had nothing else', async () => {
  const { id } = assertStatus(
    await admin.post('/admin/principals', { name: 'Gina', kind: 'human', guest: true }),
    201,
  ).json
  const gina = new Client(admin.base, (await newKey(admin, id)).secret)
  const json = { read: 'inherit', write: 'inherit', guests: [{ principal: id, role: 'viewer' }] }
  assertStatus(await admin.post('/spaces', { slug: 'folder' }), 201)
  await putAll('folder', { 'hr/menu/lunch': PAGES['hr/menu/lunch'] ?? [''] })
  for (const path of ['full/rules/hr/menu/lunch', 'folder/rules/hr']) {
    assertStatus(await admin.call('PUT', `/spaces/${path}`, { json }), 201)
  }
  for (const url of [
    ...QUERIES.map((q) => `/search?space=SPACE&q=${encodeURIComponent(q)}`),
    ...CONDITIONS.map((conditions) => `/search/metadata?space=SPACE&orderBy=rank&filters=${filters(...conditions)}`),
    ...[
      '/search/metadata/keys?space=SPACE',
      '/templates?space=SPACE',
      '/search/metadata/values?space=SPACE&key=status',
    ],
  ]) {
    assert.deepEqual(await answer(gina, 'full', url), await answer(gina, 'folder', url), url)
  }
  assert.equal((await gina.get('/search?q=budget')).json.items.length, 2)
})
