import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createCursorSealer } from '@recto/lib/encoding/cursor.ts'
import { canonicalJson } from '@recto/lib/json/json.ts'
import type { Ctx } from '../../packages/server/src/access/ctx.ts'
import { type SearchMetadata, searchMetadata } from '../../packages/server/src/content/metadata/search.ts'
import { toSortKey } from '../../packages/server/src/content/metadata/sort-key.ts'
import { metadataValues } from '../../packages/server/src/content/metadata/values.ts'
import { Authenticator } from '../../packages/server/src/identity/principals/authenticate.ts'
import { createPool } from '../../packages/server/src/platform/database/connections/pool.ts'
import { DatabaseServer } from '../../packages/server/src/platform/database/connections/server.ts'
import { createDb } from '../../packages/server/src/platform/database/database.ts'
import { assertStatus, type Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newOwner, type Person } from '../support/people.ts'
import { fc } from '../support/property.ts'

interface Stored {
  readonly space: string
  readonly path: string
  readonly metadata: ReadonlyMap<string, unknown>
  readonly fields: ReadonlyMap<string, unknown>
  /** Who reads it. */
  readonly readers: readonly string[]
}

/** A key or, as `$title`, a field of the page. */
interface Filter {
  readonly key: string
  readonly op: string
  readonly value?: unknown
}

interface Question {
  readonly filters: readonly Filter[]
  readonly orders: readonly { readonly key: string; readonly order: 'asc' | 'desc' }[]
  readonly space: string | undefined
  readonly templates: boolean
  readonly timeZone: string
}

const KEYS = ['a', 'b', '__proto__', 'цель']
const PAGES = 260
const TITLES = ['', 'a', 'B', 'ab', '2026-01-01', '1', 'é\\n', '😀 a', 'x'.repeat(300), 'x'.repeat(250)]
/** An element whose digest is indexed, and more elements than are indexed. */
const LONG = 'long '.repeat(50)
const MANY = Array.from({ length: 100 }, (_, n) => `element ${n}`)

/** Dates as programs write them, with the same instant in the words of JavaScript. */
const FORMS = new Map([
  ['2026-01', '2026-01-01'],
  ['2026-02', '2026-02-01'],
  ['2026-01-01t00:00:00z', '2026-01-01'],
  ['2026-01-01 00:00:00Z', '2026-01-01'],
  ['2025-12-31T23:59:60Z', '2026-01-01'],
  ['2026-01-01T02:00:00.123000+0200', '2026-01-01T00:00:00.123Z'],
  ['2026-01-01 01:00:00.123+01', '2026-01-01T00:00:00.123Z'],
  ['2026-01-01T01:00+01:00[Europe/Berlin]', '2026-01-01'],
])

/** The time of the queries, when it is another day in each of two zones. */
const NOW = new Date('2026-01-01T12:30:00Z')
/** Their hours from UTC, in all seasons. */
const ZONES: Readonly<Record<string, number>> = { UTC: 0, 'Pacific/Kiritimati': 14, 'Pacific/Honolulu': -10 }
const HOUR = 3_600_000
/** Relative dates: from now, or from the midnight of today; the hours and the months that are added. */
const RELATIVE: Readonly<Record<string, readonly [base: 'now' | 'today', hours: number, months: number]>> = {
  now: ['now', 0, 0],
  'now-13h': ['now', -13, 0],
  'now+99999h': ['now', 99_999, 0],
  today: ['today', 0, 0],
  'today-1d': ['today', -24, 0],
  'today+2w': ['today', 336, 0],
  'today+1m': ['today', 0, 1],
  'today-1y': ['today', 0, -12],
}
/** Folders that rules hide from others than these: of `zoo`, `open` and `q`. */
const RULES: readonly (readonly [space: string, prefix: string, readers: readonly string[]])[] = [
  ['zoo', 'p', ['ann']],
  ['open', 'é/3', ['bob', 'spy']],
  ['open', 'templates', []],
  ['q', 'p/1', ['ann']],
]

let nodes: Nodes
let people: Record<string, Person>
let contexts: Record<string, Ctx>
const stored: Stored[] = []
const closing = new AsyncDisposableStack()

before(async () => {
  nodes = closing.use(await startNodes())
  const [admin] = nodes.admins
  people = {
    ann: await newOwner(admin, 'ann'),
    bob: await newOwner(admin, 'bob'),
    spy: await newOwner(admin, 'spy', { scopes: ['read'] }),
  }
  // Made in an order that is not that of their slugs.
  await admin.space('zoo')
  await admin.space('open', { defaultRole: 'editor' })
  await person('ann').client.space('closed', { visibility: 'private' })
  await person('ann').client.space('q', { visibility: 'private' })
  const readers: Record<string, string[]> = {
    zoo: ['ann', 'bob', 'spy'],
    open: ['ann', 'bob', 'spy'],
    closed: ['ann'],
    q: ['ann', 'bob'],
  }
  assertStatus(
    await person('ann').client.call('PUT', `/spaces/q/members/${person('bob').id}`, { json: { role: 'viewer' } }),
    201,
  )
  const seeds = fc.sample(fc.record({ space: fc.nat(5), metadata: metadataOf() }), { numRuns: PAGES, seed: 7 })
  for (const [index, { space, metadata }] of seeds.entries()) {
    const slug = ['zoo', 'open', 'closed', 'q', 'personal', 'personal'][space] ?? 'zoo'
    const owner = slug === 'personal' && space === 5 ? 'bob' : 'ann'
    const writer = slug === 'zoo' ? admin : person(owner).client
    const path = `${index % 3 === 0 ? 'é' : index % 5 === 0 ? 'templates' : 'p'}/${index % 7}/${index}`
    const title = TITLES[index % TITLES.length] ?? ''
    await create(writer, slug, path, title, metadata)
    stored.push({
      space: slug,
      path,
      metadata,
      fields: await fieldsOf(writer, slug, path),
      readers: (readers[slug] ?? [owner]).filter((name) => reads(name, slug, path)),
    })
  }
  for (const [space, prefix, names] of RULES) {
    const json = { read: names.map((name) => ({ principal: person(name).id })), write: [] }
    const writer = space === 'q' ? person('ann').client : admin
    const address = `/spaces/${space}/rules/${prefix.split('/').map(encodeURIComponent).join('/')}`
    assertStatus(await writer.call('PUT', address, { json }), 201)
  }
  contexts = await makeContexts()
})
after(() => closing.disposeAsync())

function reads(name: string, space: string, path: string): boolean {
  const rule = RULES.find(([slug, prefix]) => slug === space && path.startsWith(`${prefix}/`))
  return rule === undefined || rule[2].includes(name)
}

function person(name: string): Person {
  const found = people[name]
  assert.ok(found)
  return found
}

async function create(
  client: Client,
  space: string,
  path: string,
  title: string,
  metadata: ReadonlyMap<string, unknown>,
) {
  const body = `{"body":${JSON.stringify(`---\ntitle: ${JSON.stringify(title)}\n---\n`)},"metadata":${JSON.stringify(Object.fromEntries(metadata))}}`
  const address = `/pages/${space}/${path.split('/').map(encodeURIComponent).join('/')}`
  const headers = { 'content-type': 'application/json' }
  assertStatus(await client.call('PUT', address, { body, headers }), 201)
}

/** The fields of a page as queries name them. */
async function fieldsOf(client: Client, space: string, path: string): Promise<ReadonlyMap<string, unknown>> {
  const address = `/pages/${space}/${path.split('/').map(encodeURIComponent).join('/')}`
  if (Number(path.split('/').at(-1)) % 4 === 0)
    assertStatus(await client.put(address, '# Changed', { 'if-match': '*' }), 200)
  const { json } = await client.get(address, { accept: 'application/json' })
  const { title, createdAt, updatedAt, createdBy, updatedBy, version } = json
  const fields = {
    title,
    path,
    createdAt,
    updatedAt,
    createdBy: createdBy.id,
    updatedBy: updatedBy.id,
    updatedByKind: updatedBy.kind,
    version,
  }
  return new Map(Object.entries(fields).map(([name, value]) => [`$${name}`, value]))
}

/** What the use case needs of a context, over a pool of the test's own. */
async function makeContexts(): Promise<Record<string, Ctx>> {
  const { connection } = nodes
  const pool = createPool({ server: new DatabaseServer(connection), size: 2, prepared: true, onError: () => {} })
  closing.defer(() => pool.end())
  const db = createDb(pool)
  const log = { info() {}, warn() {}, error() {}, debug() {} }
  const cursors = createCursorSealer(randomBytes(32))
  const authenticator = new Authenticator({ db, log, failures: { add() {} } })
  const made = Object.values(people).map(async ({ name, key }) => {
    const actor = await authenticator.byHeader(`Bearer ${key}`, '127.0.0.1')
    return [name, { db, actor, cursors, now: () => NOW, log } as unknown as Ctx] as const // all that a search asks for
  })
  return Object.fromEntries(await Promise.all(made))
}

/** Values that are close to each other in every way that a comparison could get wrong. */
function anyValue(): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(0, 1, 2, -1, -1.5, 10, 1e300, -1e300, 5e-324, 2 ** 53) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        '2026-01-01',
        '2026-01-01T00:00:00Z',
        '2026-01-01T02:00:00+02:00',
        '2025-12-31T23:59:59.999Z',
        '2026-01-01T00:00:00.0001Z',
        '0001-01-01',
        '9999-12-31',
        ...FORMS.keys(),
      ),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom('', 'a', 'B', 'ab', '2026-13-01', '1', 'é', '\uffff', '😀', 'x'.repeat(300)),
    },
    { weight: 1, arbitrary: fc.boolean() },
    {
      weight: 2,
      arbitrary: fc.array(fc.constantFrom<unknown>(1, 'a', null, [1], { x: 1 }, { x: 1, y: 2 }, LONG), {
        maxLength: 3,
      }),
    },
    { weight: 1, arbitrary: fc.constantFrom(1, 'a', { x: 1 }).map((value) => [...MANY, value]) },
    { weight: 2, arbitrary: fc.constantFrom({}, { x: 1 }, { x: 1, y: 2 }, { y: 2, x: 1 }, { x: [] }, { x: [1] }) },
  )
}

function metadataOf(): fc.Arbitrary<ReadonlyMap<string, unknown>> {
  return fc
    .uniqueArray(fc.tuple(fc.constantFrom(...KEYS), anyValue()), { selector: ([key]) => key, maxLength: 4 })
    .map((entries) => new Map(entries))
}

/** A filter on a field of the page, with an operand that a page has or is near to one. */
function anyFieldFilter(): fc.Arbitrary<Filter> {
  const page = fc.nat(PAGES - 1).map((index) => stored[index]?.fields ?? new Map<string, unknown>())
  const short = (value: unknown) => (typeof value === 'string' ? value.slice(0, 199) : value)
  const readValue = (name: string) => page.map((fields) => short(fields.get(`$${name}`)))
  const kind = fc.constantFrom(
    'title',
    'path',
    'createdAt',
    'updatedAt',
    'createdBy',
    'updatedBy',
    'updatedByKind',
    'version',
  )
  const equal = kind.chain((name) =>
    fc.oneof(
      fc.record({ key: fc.constant(`$${name}`), op: fc.constantFrom('eq', 'neq'), value: readValue(name) }),
      fc.record({
        key: fc.constant(`$${name}`),
        op: fc.constantFrom('in', 'notIn'),
        value: fc.array(readValue(name), { maxLength: 4 }),
      }),
    ),
  )
  const compared = fc
    .constantFrom('createdAt', 'updatedAt', 'version')
    .chain((name) =>
      fc.record({
        key: fc.constant(`$${name}`),
        op: fc.constantFrom('gt', 'gte', 'lt', 'lte'),
        value: readValue(name),
      }),
    )
  const relative = fc.record({
    key: fc.constantFrom('$createdAt', '$updatedAt'),
    op: fc.constantFrom('gt', 'gte', 'lt', 'lte'),
    value: anyRelativeDate(),
  })
  const begun = fc.record({
    key: fc.constantFrom('$title', '$path', '$updatedByKind'),
    op: fc.constant('startsWith'),
    value: fc.constantFrom('', 'a', 'x', 'x'.repeat(199), 'é', 'é\\', 'p/', 'templates/', '2026', 'hum'),
  })
  return fc.oneof(equal, compared, relative, begun)
}

const anyRelativeDate = () => fc.constantFrom(...Object.keys(RELATIVE)).map(($date) => ({ $date }))

function anyFilter(): fc.Arbitrary<Filter> {
  const key = fc.constantFrom(...KEYS, 'never')
  const comparable = anyValue().filter((value) => kindOf(value) === 'number' || kindOf(value) === 'date')
  return fc.oneof(
    fc.record({ key, op: fc.constantFrom('eq', 'neq'), value: anyValue() }),
    fc.record({ key, op: fc.constantFrom('in', 'notIn'), value: fc.array(anyValue(), { maxLength: 4 }) }),
    fc.record({
      key,
      op: fc.constant('startsWith'),
      value: fc.constantFrom(
        '',
        'a',
        '20',
        '2026',
        '2026-0',
        '2026-01-01',
        '2026-01-01T',
        '2025-12',
        '2026-13',
        'é',
        LONG,
        'x'.repeat(250),
      ),
    }),
    fc.record({
      key,
      op: fc.constant('contains'),
      value: fc.constantFrom<unknown>(1, 'a', null, [1], { x: 1 }, {}, LONG, 'element 7'),
    }),
    fc.record({
      key,
      op: fc.constantFrom('gt', 'gte', 'lt', 'lte'),
      value: fc.oneof({ weight: 3, arbitrary: comparable }, anyRelativeDate()),
    }),
    fc.record({ key, op: fc.constantFrom('exists', 'missing') }),
  )
}

function anyQuestion(): fc.Arbitrary<Question> {
  return fc.record({
    filters: fc.array(fc.oneof({ weight: 2, arbitrary: anyFilter() }, anyFieldFilter()), { maxLength: 3 }),
    orders: fc.uniqueArray(
      fc.record({
        key: fc.constantFrom(
          ...KEYS,
          'never',
          '$title',
          '$path',
          '$updatedAt',
          '$createdBy',
          '$updatedByKind',
          '$version',
        ),
        order: fc.constantFrom('asc', 'desc'),
      }),
      { selector: ({ key }) => key, maxLength: 3 },
    ),
    space: fc.option(fc.constantFrom('zoo', 'open', 'personal'), { nil: undefined, freq: 4 }),
    templates: fc.boolean(),
    timeZone: fc.constantFrom(...Object.keys(ZONES)),
  })
}

// The reference: what a search means, in the plainest words.

function reference(who: string, question: Question, now = NOW): string[] {
  const readValue = (page: Stored, key: string) => (key.startsWith('$') ? page.fields : page.metadata).get(key)
  return stored
    .filter(({ readers }) => readers.includes(who))
    .filter(({ space }) => question.space === undefined || space === question.space)
    .filter(({ path }) => question.templates || !path.startsWith('templates/'))
    .filter((page) =>
      question.filters.every((filter) =>
        meets(readValue(page, filter.key), { ...filter, value: resolve(filter.value, question.timeZone, now) }),
      ),
    )
    .sort((x, y) => {
      for (const { key, order } of question.orders) {
        const [a, b] = [readValue(x, key), readValue(y, key)]
        const compare = TEXTS.includes(key) ? byTextStart : byValue
        const result = byPresence(a, b) || (order === 'desc' ? -1 : 1) * compare(a as string, b as string)
        if (result !== 0) return result
      }
      return byText(x.space, y.space) || byText(x.path, y.path)
    })
    .map((page) => `${page.space}/${page.path}`)
}

/** Fields whose values are texts, even where they look like dates. */
const TEXTS = ['$title', '$path', '$createdBy', '$updatedByKind']

/** A relative date as a time, any other operand as it is. */
function resolve(value: unknown, timeZone: string, now: Date): unknown {
  const [base, hours, months] = RELATIVE[(value as { $date?: string } | undefined)?.$date ?? ''] ?? []
  if (base === undefined) return value
  const local = new Date(now.getTime() + (ZONES[timeZone] ?? 0) * HOUR)
  const date = base === 'now' ? new Date(now) : new Date(local.toISOString().slice(0, 10))
  date.setUTCMonth(date.getUTCMonth() + (months ?? 0))
  return new Date(date.getTime() + (hours ?? 0) * HOUR).toISOString()
}

function meets(found: unknown, { op, value }: Filter): boolean {
  if (op === 'missing') return found === undefined
  if (found === undefined) return false
  if (op === 'exists') return true
  if (op === 'eq') return same(found, value)
  if (op === 'neq') return !same(found, value)
  if (op === 'in') return (value as unknown[]).some((each) => same(found, each))
  if (op === 'notIn') return !(value as unknown[]).some((each) => same(found, each))
  if (op === 'startsWith') return typeof found === 'string' && found.startsWith(value as string)
  if (op === 'contains') return Array.isArray(found) && found.some((element) => same(element, value))
  const kind = kindOf(found)
  if (kind !== kindOf(value) || (kind !== 'number' && kind !== 'date')) return false
  const difference = byValue(found, value)
  if (op === 'gt') return difference > 0
  if (op === 'gte') return difference >= 0
  return op === 'lt' ? difference < 0 : difference <= 0
}

function same(a: unknown, b: unknown): boolean {
  try {
    assert.deepStrictEqual(a, b)
    return true
  } catch {
    return false
  }
}

const KINDS = ['number', 'date', 'text', 'rest']

function kindOf(value: unknown): string {
  if (typeof value === 'number') return 'number'
  if (typeof value !== 'string') return 'rest'
  if (FORMS.has(value)) return 'date'
  return /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value)) ? 'date' : 'text'
}

function byPresence(a: unknown, b: unknown): number {
  return Number(a === undefined) - Number(b === undefined)
}

function byValue(a: unknown, b: unknown): number {
  const kinds = KINDS.indexOf(kindOf(a)) - KINDS.indexOf(kindOf(b))
  if (kinds !== 0) return kinds
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : Number(a > b)
  if (typeof a !== 'string' || typeof b !== 'string') return 0
  return kindOf(a) === 'date' ? instantOf(a) - instantOf(b) : byText(a, b)
}

/** In tenths of milliseconds, which is as fine as the dates above. */
function instantOf(text: string): number {
  return Date.parse(FORMS.get(text) ?? text) * 10 + (text.includes('.0001Z') ? 1 : 0)
}

/** Strings are sorted by their first 200 characters. */
function byTextStart(a: string, b: string): number {
  return byText(a.slice(0, 200), b.slice(0, 200))
}

function byText(a: string, b: string): number {
  const [x, y] = [[...a], [...b]].map((characters) => characters.map((each) => each.codePointAt(0) ?? 0))
  const at = x?.findIndex((point, index) => point !== y?.[index]) ?? -1
  if (at === -1) return a.length - b.length
  return (x?.[at] ?? 0) - (y?.[at] ?? -1)
}

function parameters(question: Question, limit: number): SearchMetadata {
  const { filters, orders, space, templates, timeZone } = question
  const [first] = orders
  const named = <T extends { readonly key: string }>({ key, ...rest }: T) =>
    key.startsWith('$') ? { field: key.slice(1), ...rest } : { key, ...rest }
  const order =
    !first || orders.length > 1
      ? { sort: orders.map((each) => JSON.stringify(named(each))) }
      : first.key.startsWith('$')
        ? { orderByField: first.key.slice(1), order: first.order }
        : { orderBy: first.key, order: first.order }
  return {
    limit,
    filters: JSON.stringify(filters.map(named)),
    ...order,
    ...(space !== undefined && { space }),
    ...(!templates && { templates }),
    timeZone,
  }
}

async function assertMatches(numRuns: number): Promise<void> {
  const property = fc.asyncProperty(
    anyQuestion(),
    fc.constantFrom('ann', 'bob', 'spy'),
    fc.constantFrom(5, 20, 50, 200),
    // Bounds that lead the search through each of its ways.
    fc.constantFrom(
      { sortLimit: 0, scanLimit: 0, estimateLimit: 0, selectiveLimit: 0, probeCost: 0 },
      { sortLimit: 0, scanLimit: 2, estimateLimit: 0, selectiveLimit: 2, probeCost: 1 },
      { sortLimit: 0, scanLimit: 0, estimateLimit: 0, selectiveLimit: 1000, probeCost: 1e9 },
      { sortLimit: 300, scanLimit: 0, estimateLimit: 0, selectiveLimit: 100, probeCost: 1e9 },
      { sortLimit: 4, scanLimit: 30, estimateLimit: 8, selectiveLimit: 100, probeCost: 50 },
      { sortLimit: 300, scanLimit: 3000, estimateLimit: 0, selectiveLimit: 3000, probeCost: 0 },
    ),
    async (question, who, limit, bounds) => {
      // One whose personal space was never used has none to search.
      fc.pre(!(who === 'spy' && question.space === 'personal'))
      const ctx = contexts[who]
      assert.ok(ctx)
      const found: string[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const input = { ...parameters(question, limit), ...(cursor && { cursor }) }
        const list = await searchMetadata(ctx, input, bounds)
        found.push(...list.items.map(({ space, path }) => `${space}/${path}`))
        cursor = list.nextCursor
      }
      assert.deepEqual(found, reference(who, question))
    },
  )
  await fc.assert(property, { numRuns })
}

test('any filters and order return the matches of a plain reference in its order, across pages of results', () =>
  assertMatches(100))

test('the HTTP API returns the same matches, with metadata if includeMetadata is set', async () => {
  const questions = fc.sample(anyQuestion(), { numRuns: 40 })
  for (const question of questions) {
    const { limit, ...rest } = parameters(question, 50)
    const texts = Object.entries({ ...rest, limit, includeMetadata: true }).flatMap(([name, value]) =>
      [value].flat().map((each) => [name, String(each)]),
    )
    const query = new URLSearchParams(texts)
    const items = await person('ann').client.all(`/search/metadata?${query}`)
    assert.deepEqual(
      items.map(({ space, path }) => `${space}/${path}`),
      reference('ann', question, new Date()),
    )
    for (const item of items) {
      const page = stored.find(
        ({ space, path, readers }) => space === item.space && path === item.path && readers.includes('ann'),
      )
      assert.deepEqual(new Map(Object.entries(item.metadata)), page && new Map(page.metadata))
    }
  }
})

test('key counts are those of the pages that the caller can read', async () => {
  for (const who of ['ann', 'bob', 'spy']) {
    for (const space of [undefined, 'zoo', 'q']) {
      if (space === 'q' && who === 'spy') continue
      const items = await person(who).client.all(`/search/metadata/keys?limit=2${space ? `&space=${space}` : ''}`)
      const counts = new Map<string, { count: number; types: Set<string> }>()
      const pages = stored.filter((page) => page.readers.includes(who) && (!space || page.space === space))
      for (const [key, value] of pages.flatMap(({ metadata }) => [...metadata])) {
        const use = counts.get(key) ?? { count: 0, types: new Set() }
        counts.set(key, { count: use.count + 1, types: use.types.add(Array.isArray(value) ? 'array' : typeof value) })
      }
      const expected = [...counts].sort(([a, x], [b, y]) => y.count - x.count || byText(a, b))
      assert.deepEqual(
        items.map(({ key, pageCount, valueTypes }) => [key, pageCount, [...valueTypes].sort()]),
        expected.map(([key, { count, types }]) => [key, count, [...types].sort()]),
      )
    }
  }
})

test('values are listed once, with counts of the pages that the caller can read, and incomplete ones only beyond the bound', async () => {
  for (const who of ['ann', 'spy']) {
    for (const [key, space] of ['a', '__proto__', 'never'].flatMap((key) => [undefined, 'zoo'].map((s) => [key, s]))) {
      const ctx = contexts[who]
      assert.ok(ctx && key !== undefined)
      const expected = new Map<string, { pages: number; sort: string }>()
      const ranks = new Map<string, number>()
      for (const { metadata, readers, space: slug } of stored) {
        const value = metadata.get(key)
        if (value === undefined || !readers.includes(who) || (space && slug !== space)) continue
        const sort = toSortKey(value)
        ranks.set(sort, (ranks.get(sort) ?? 0) + 1)
        const text = canonicalJson(value)
        expected.set(text, { sort, pages: (expected.get(text)?.pages ?? 0) + 1 })
      }
      for (const [scanLimit, limit] of [
        [3, 7],
        [20, 50],
        [10_000, 8],
      ]) {
        const listed = new Map<string, number>()
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const input = { key, ...(limit && { limit }), ...(space && { space }), ...(cursor && { cursor }) }
          const list: Awaited<ReturnType<typeof metadataValues>> = await metadataValues(ctx, input, scanLimit)
          for (const { value, pageCount, isComplete } of list.items) {
            const text = canonicalJson(value)
            const { pages, sort } = expected.get(text) ?? assert.fail(text)
            assert.ok(!listed.has(text), text)
            listed.set(text, pageCount)
            assert.equal(isComplete, (ranks.get(sort) ?? 0) <= (scanLimit ?? 0), text)
            if (isComplete) assert.equal(pageCount, pages, text)
            else assert.ok(pageCount > 0 && pageCount <= pages, text)
          }
          cursor = list.nextCursor
        }
        const complete = [...expected].filter(([, { sort }]) => (ranks.get(sort) ?? 0) <= (scanLimit ?? 0))
        for (const [text] of complete) assert.ok(listed.has(text), `${text} of ${key}, ${scanLimit}, ${limit}`)
      }
    }
  }
})

test('a search in a space that the caller cannot see is 404', async () => {
  const { client } = person('spy')
  assert.equal((await client.get('/search/metadata?space=closed')).status, 404)
  assert.equal((await client.get('/search/metadata/keys?space=closed')).status, 404)
  assert.equal((await client.get('/search/metadata/values?key=a&space=closed')).status, 404)
})
