/**
 * Searches by metadata over many pages of 8 keys: `node bench/metadata.ts [pages] [runs] [folder] [names]`. Each line:
 * how long its runs take, one request at a time over HTTP, with other values in every run. A folder that is named is
 * kept, and not filled again. `names`, a regular expression, chooses queries, as `'contains.*all spaces'` does.
 */
import { join } from 'node:path'
import { parseName } from '@recto/contract/filter-ops.ts'
import pg from 'pg'
import { entryKey, toSortKey } from '../packages/server/src/content/metadata/sort-key.ts'
import { Client } from '../test/support/client.ts'
import { startProcess } from '../test/support/process.ts'
import { startFloor } from './floor.ts'
import { benchFolder, embeddedConnection, fillOnce, print } from './measure.ts'
import { fillMetadata } from './metadata-data.ts'
import { timeEach } from './timing.ts'

const [pages = 100_000, runs = 100] = process.argv.slice(2, 4).map(Number)
const kept = process.argv[4]
const names = new RegExp(process.argv[5] ?? '')

using folder = benchFolder(kept)
await using recto = await startProcess({
  data: folder.path,
  env: { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0' },
})
const client = new pg.Client(embeddedConnection(folder.path))
client.on('error', () => {})
await client.connect()
await fillOnce(client, 'page_metadata', () => fillMetadata(client, pages))
await client.query('vacuum analyze metadata_element')
await client.end()

const admin = new Client(recto.url, recto.key)
/** Reads everything, and only the three smallest spaces. */
const narrow = new Client(recto.url, await narrowKey())

/**
 * The floor of every query, as if there were an index for it: 50 pages of one range of an index, with their documents.
 */
using floor = await startFloor(folder.path, {
  range: `select page.path, page.title, page.version, page.updated_at, metadata.doc
    from (select space_id, page_id, rank from metadata_entry where rank >= $1::bytea order by rank limit 50) entry
    join page on page.space_id = entry.space_id and page.id = entry.page_id
    join page_metadata metadata on metadata.space_id = entry.space_id and metadata.page_id = entry.page_id
    order by entry.rank`,
})

type Filter = readonly [key: string, op: string, value?: unknown]
type Parameters = Readonly<Record<string, string | readonly object[]>>

const pick = (below: number) => Math.floor(Math.random() * below)
const day = (n: number) => new Date(Date.UTC(2024, 0, 1 + n)).toISOString().slice(0, 10)
const status = (): Filter => ['status', 'eq', ['active', 'draft', 'review', 'archived'][pick(4)]]

const QUERIES: Readonly<Record<string, () => readonly [Filter[], Parameters?]>> = {
  'no filter': () => [[]],
  'eq, 5 to 70 %': () => [[status()]],
  'eq, about 500': () => [[['owner', 'eq', `owner-${pick(pages / 500)}`]]],
  'eq, unique': () => [[['ticket', 'eq', `T-${1 + pick(pages)}`]]],
  neq: () => [[['status', 'neq', 'active']]],
  'in, about 1000': () => [[['owner', 'in', [`owner-${pick(pages / 500)}`, `owner-${pick(pages / 500)}`]]]],
  'in, 2 of 4 + order': () => [[['status', 'in', ['draft', 'review']]], { orderBy: 'due' }],
  'in, dates': () => [[['due', 'in', Array.from({ length: 20 }, () => day(pick(1000)))]]],
  notIn: () => [[['status', 'notIn', ['active', 'draft']]]],
  'startsWith, few': () => [[['ticket', 'startsWith', `T-${100 + pick(900)}`]]],
  'startsWith, dates + order': () => [[['due', 'startsWith', day(pick(1000)).slice(0, 7)]], { orderBy: 'score' }],
  'no templates': () => [[], { templates: 'false' }],
  'no templates, by number': () => [[], { templates: 'false', orderBy: 'score' }],
  'no templates, eq, about 500': () => [[['owner', 'eq', `owner-${pick(pages / 500)}`]], { templates: 'false' }],
  'contains, 30 %': () => [[['tags', 'contains', 'common']]],
  'contains, 0.4 %': () => [[['tags', 'contains', `tag-${pick(500)}`]]],
  'missing, 20 %': () => [[['due', 'missing']]],
  'missing, 99 %': () => [[['rare', 'missing']]],
  'exists, 1 %': () => [[['rare', 'exists']]],
  'exists, all': () => [[['score', 'exists']]],
  'gt, any share': () => [[['score', 'gt', pick(1_000_000)]]],
  'lt, few': () => [[['score', 'lt', pick(500)]]],
  'date gte, any share': () => [[['due', 'gte', day(pick(1000))]]],
  'order by number': () => [[], { orderBy: 'score' }],
  'order by number, desc': () => [[], { orderBy: 'score', order: 'desc' }],
  'order by date': () => [[], { orderBy: 'due' }],
  'order by 5 values': () => [[], { orderBy: 'priority', order: 'desc' }],
  'order by text': () => [[], { orderBy: 'status' }],
  'order by switch': () => [[], { orderBy: 'done' }],
  'order by rare key': () => [[], { orderBy: 'rare' }],
  'gt + order desc': () => [[['score', 'gt', pick(1_000_000)]], { orderBy: 'score', order: 'desc' }],
  'eq + order by number': () => [[status()], { orderBy: 'score' }],
  'eq + order by date, desc': () => [[status()], { orderBy: 'due', order: 'desc' }],
  'eq, about 500 + order': () => [[['owner', 'eq', `owner-${pick(pages / 500)}`]], { orderBy: 'due' }],
  'contains, 0.4 % + order': () => [[['tags', 'contains', `tag-${pick(500)}`]], { orderBy: 'score' }],
  'date range + order': () => [
    [
      ['due', 'gte', day(300 + pick(10))],
      ['due', 'lt', day(320 + pick(10))],
    ],
    { orderBy: 'due' },
  ],
  'date gt, eq + order': () => [[['due', 'gt', day(pick(900))], status()], { orderBy: 'due' }],
  'narrow range, eq + order by date': () => {
    const from = pick(900_000)
    return [[['score', 'gt', from], ['score', 'lt', from + 1000], status()], { orderBy: 'due' }]
  },
  'three: eq, gte, contains': () => [[status(), ['priority', 'gte', 1 + pick(5)], ['tags', 'contains', 'common']]],
  'three + order by number': () => [
    [status(), ['priority', 'gte', 1 + pick(5)], ['tags', 'contains', 'common']],
    { orderBy: 'score' },
  ],
  'three + order by date, desc': () => [
    [status(), ['priority', 'lte', 1 + pick(5)], ['tags', 'contains', `tag-${pick(500)}`]],
    { orderBy: 'due', order: 'desc' },
  ],
  'three: neq, missing, exists': () => [
    [
      ['status', 'neq', 'active'],
      ['due', 'missing'],
      ['score', 'exists'],
    ],
  ],
  'field: title startsWith': () => [[['$title', 'startsWith', `Page ${100 + pick(900)}`]]],
  'field: path startsWith': () => [[['$path', 'startsWith', `area-${pick(17)}/`]]],
  'field: updatedAt gte, any share': () => [[['$updatedAt', 'gte', day(pick(1000))]]],
  'field: kind, none': () => [[['$updatedByKind', 'eq', 'agent']]],
  'field: version gt, none': () => [[['$version', 'gt', 100]]],
  'field: eq, about 500, updatedAt lt': () => [
    [
      ['owner', 'eq', `owner-${pick(pages / 500)}`],
      ['$updatedAt', 'lt', day(pick(1000))],
    ],
  ],
  'field: order by title': () => [[], { orderByField: 'title' }],
  'field: order by updatedAt, desc': () => [[], { orderByField: 'updatedAt', order: 'desc' }],
  'field: eq + order by updatedAt': () => [[status()], { orderByField: 'updatedAt' }],
  'sort by 5 values, then updatedAt': () => [
    [],
    { sort: [{ key: 'priority' }, { field: 'updatedAt', order: 'desc' }] },
  ],
  'sort by status, date, title': () => [[], { sort: [{ key: 'status' }, { key: 'due' }, { field: 'title' }] }],
  'missing, eq + order by number': () => [[['due', 'missing'], status()], { orderBy: 'score' }],
}

for (const [who, caller] of [
  ['all spaces', admin],
  ['3 spaces', narrow],
] as const) {
  print(`\n${who}`)
  for (const [name, question] of Object.entries(QUERIES))
    await time(`${name}, ${who}`, caller, () => addressOf(question()))
  await time(`keys, ${who}`, caller, () => '/search/metadata/keys')
  for (const key of ['status', 'owner', 'score', 'due', 'tags'])
    await time(`values of ${key}, ${who}`, caller, () => `/search/metadata/values?key=${key}`)
}
print('\none large space')
for (const [name, question] of Object.entries(QUERIES))
  await time(`${name}, one large space`, admin, () => `${addressOf(question())}&space=space-1`)

function addressOf([filters, parameters = {}]: readonly [Filter[], Parameters?]): string {
  const json = filters.map(([key, op, value]) => ({ ...parseName(key), op, ...(value !== undefined && { value }) }))
  const rest = Object.entries(parameters).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value]] : value.map((each) => [name, JSON.stringify(each)]),
  )
  return `/search/metadata?${new URLSearchParams([['filters', JSON.stringify(json)], ...rest])}`
}

async function time(name: string, caller: Client, address: () => string): Promise<void> {
  if (!names.test(name)) return
  const of = { pid: recto.pid, cluster: join(folder.path, 'postgres') }
  const work = async () => {
    const url = address()
    const answer = await caller.get(url)
    if (answer.status !== 200) throw new Error(`${url}: ${answer.text}`)
  }
  const least = () => floor.ask('range', [`\\x${entryKey('score', toSortKey(pick(900_000)))}`])
  await timeEach(runs, { name, of, work }, { name: `floor, ${name}`, of: { ...of, pid: floor.pid }, work: least })
}

async function narrowKey(): Promise<string> {
  const { id } = (await admin.get('/me')).json
  const spaces = ['space-900', 'space-950', 'space-1000']
  const key = await admin.post('/admin/api-keys', { principal: id, name: 'narrow', scopes: ['read'], spaces })
  if (key.status !== 201) throw new Error(key.text)
  return key.json.secret
}
