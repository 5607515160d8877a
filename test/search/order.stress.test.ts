import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createCursorSealer } from '@recto/lib/encoding/cursor.ts'
import type { Ctx } from '../../packages/server/src/access/ctx.ts'
import { newestMatches } from '../../packages/server/src/content/search/newest-matches.ts'
import { isEmptyQuery, parseQuery } from '../../packages/server/src/content/search/query.ts'
import { TIERS } from '../../packages/server/src/content/search/ranking.ts'
import type { Hit } from '../../packages/server/src/content/search/schema.ts'
import { type SearchBounds, searchPages } from '../../packages/server/src/content/search/search.ts'
import { scoreMatches } from '../../packages/server/src/content/search/store.ts'
import { listNeighbours, toTsquery } from '../../packages/server/src/content/search/tsquery.ts'
import { Authenticator } from '../../packages/server/src/identity/principals/authenticate.ts'
import { createPool } from '../../packages/server/src/platform/database/connections/pool.ts'
import { DatabaseServer } from '../../packages/server/src/platform/database/connections/server.ts'
import { createDb } from '../../packages/server/src/platform/database/database.ts'
import { assertStatus } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson, type Person } from '../support/people.ts'
import { fc } from '../support/property.ts'

const PAGES = 90
/** In ranges of ids, and all at once as in small spaces. */
const BOUNDS: readonly SearchBounds[] = [
  { block: 5, small: 0 },
  { block: 15, small: 1000 },
  { block: 2000, small: 0 },
  { block: 2000, small: 1000 },
]
const WORDS = ['walrus', 'walnut', 'wall', 'sea', 'salt', '日本']
/** Readers of each space. */
const SPACES: Readonly<Record<string, readonly string[]>> = { zoo: ['ann', 'bob'], closed: ['ann'] }

let nodes: Nodes
let contexts: Readonly<Record<string, Ctx>>
const closing = new AsyncDisposableStack()

before(async () => {
  nodes = closing.use(await startNodes())
  const [admin] = nodes.admins
  const people = { ann: await newPerson(admin, 'ann'), bob: await newPerson(admin, 'bob') }
  await people.ann.client.space('zoo')
  await people.ann.client.space('closed', { visibility: 'private' })
  const words = (most: number) => fc.array(fc.constantFrom(...WORDS), { maxLength: most })
  const pages = fc.sample(fc.record({ title: words(3), body: words(8), far: fc.nat(3), space: fc.nat(2) }), {
    numRuns: PAGES,
    seed: 11,
  })
  for (const [n, { title, body, far, space }] of pages.entries()) {
    // Ids lie close together, in other groups of the index, and far apart.
    if (far > 0) await nodes.query(`select setval('page_id', (select last_value + $1 from page_id))`, [7 ** (2 * far)])
    const slug = space === 0 ? 'closed' : 'zoo'
    const path = `/pages/${slug}/p${n}`
    const names = ['page', ...title]
    written.set(`${slug}/p${n}`, { space: slug, title: names, body: [...names, ...body, 'fox'] })
    assertStatus(await people.ann.client.put(path, `# Page ${title.join(' ')}\n\n${body.join(' ')}\n\nfox`), 201)
  }
  contexts = await makeContexts(Object.values(people))
})
after(() => closing.disposeAsync())

/** What the use case needs of a context, over a pool of the test's own. */
async function makeContexts(people: readonly Person[]): Promise<Readonly<Record<string, Ctx>>> {
  const pool = createPool({ server: new DatabaseServer(nodes.connection), size: 2, prepared: true, onError: () => {} })
  closing.defer(() => pool.end())
  const db = createDb(pool)
  const log = { info() {}, warn() {}, error() {}, debug() {} }
  const cursors = createCursorSealer(randomBytes(32))
  const authenticator = new Authenticator({ db, log, failures: { add() {} } })
  const made = people.map(async ({ name, key }) => {
    const actor = await authenticator.byHeader(`Bearer ${key}`, '127.0.0.1')
    return [name, { db, actor, cursors, now: () => new Date() } as unknown as Ctx] as const // all that a search asks for
  })
  return Object.fromEntries(await Promise.all(made))
}

/** A page as it is written now. */
interface Written {
  readonly space: string
  readonly title: readonly string[]
  readonly body: readonly string[]
}
const written = new Map<string, Written>()

/** What a plain scan of all pages finds: the addresses whose names alone meet the query, and the others. */
function reference(who: string, q: string): { titled: string[]; rest: string[] } {
  const found = { titled: [] as string[], rest: [] as string[] }
  for (const [address, page] of written) {
    if (!SPACES[page.space]?.includes(who)) continue
    const names = [page.title, tokensOf(address.slice(page.space.length + 1))]
    if (!meets(q, [...names, page.body])) continue
    const list = meets(q, names) ? found.titled : found.rest
    list.push(address)
  }
  return { titled: found.titled.sort(), rest: found.rest.sort() }
}

/** Whether texts meet a query of words, exclusions, two-word phrases and `or`; the last word is a prefix. */
function meets(q: string, texts: readonly (readonly string[])[]): boolean {
  const terms = q.match(/"[^"]*"|\S+/g) ?? []
  return q.split(/(?:^| )or(?= |$)/).some((branch) => {
    const own = branch.match(/"[^"]*"|\S+/g) ?? []
    if (own.every((term) => term.startsWith('-'))) return false
    return own.every((term, index) => {
      const isLast = branch === q.split(/(?:^| )or(?= |$)/).at(-1) && index === own.length - 1 && term === terms.at(-1)
      if (term.startsWith('-')) return !texts.some((text) => text.includes(term.slice(1)))
      const begins = isLast || term === '日'
      if (!term.startsWith('"')) {
        return texts.some((text) => text.some((word) => word === term || (begins && word.startsWith(term))))
      }
      const [first, second] = term.slice(1, -1).split(' ')
      return texts.some((text) => text.some((word, at) => word === first && text[at + 1] === second))
    })
  })
}

function tokensOf(text: string): string[] {
  return text
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => word.toLowerCase())
}

const addressOf = ({ space, path }: Hit) => `${space}/${path}`

/** The hits, page by page of the list. */
async function* searched(ctx: Ctx, search: { q: string; limit: number }, bounds: SearchBounds) {
  const deps = { snippets: { run: async () => [] }, unindexed: { wait: async () => {} } }
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const list = await searchPages(ctx, { ...search, ...(cursor && { cursor }) }, deps, bounds)
    yield list.items
    cursor = list.nextCursor
  }
}

test('any query finds what a plain scan of all readable pages finds, in one order across pages of results', async () => {
  const word = fc.constantFrom('walrus', 'wal', 'sea', 'salt', 'fox', '-salt', '"sea salt"', 'or', '日', 'none')
  const property = fc.asyncProperty(
    fc.array(word, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('ann', 'bob'),
    fc.constantFrom(3, 7, 20),
    fc.constantFrom(...BOUNDS),
    async (words, who, limit, bounds) => {
      const q = words.join(' ')
      fc.pre(!isEmptyQuery(parseQuery(q)))
      const ctx = contexts[who]
      assert.ok(ctx)
      const expected = reference(who, q)
      const hits: Hit[] = []
      for await (const page of searched(ctx, { q, limit }, bounds)) hits.push(...page)
      const found = hits.filter(({ missing }) => missing === undefined)
      if (expected.titled.length + expected.rest.length === 0) {
        // With some of the words, or corrected ones: of readable pages all the same.
        assert.ok(found.every(({ space }) => SPACES[space]?.includes(who)))
        return
      }
      const addresses = (isTitled: boolean) =>
        found
          .filter(({ score }) => score >= 1 === isTitled)
          .map(addressOf)
          .sort()
      assert.deepEqual({ titled: addresses(true), rest: addresses(false) }, expected)
      assert.deepEqual(
        found.map(({ score }) => score >= 1),
        found
          .map(({ score }) => score >= 1)
          .sort()
          .reverse(),
      )
      const whole: Hit[] = []
      for await (const page of searched(ctx, { q, limit: 200 }, bounds)) whole.push(...page)
      assert.deepEqual(hits.map(addressOf), whole.map(addressOf))
      if (bounds.block === 2000)
        assert.deepEqual(
          found,
          found.toSorted((a, b) => b.score - a.score),
        )
    },
  )
  await fc.assert(property, { numRuns: 25 })
})

test('a match that is scored where it was found has the score that its page has by its key', async () => {
  const ctx = contexts.ann
  assert.ok(ctx)
  const { rows } = await nodes.query('select id::int, (select last_value + 1 from page_id)::int as end from space')
  const terms = ["'sea'", "'wal':*"]
  for (const q of ['wal', 'walrus sea', '"sea salt" -fox', 'fox', 'none']) {
    const query = parseQuery(q)
    const any = toTsquery(query, 'any')
    const scoring = { query: any, exact: toTsquery(query, 'exact'), terms, neighbours: listNeighbours(query) }
    const spaceIds = rows.map(({ id }) => id)
    const matching = {
      spaceIds,
      query: any,
      prefilter: any,
      hidden: null,
      negative: false,
      condition: undefined,
      small: false,
    }
    for (const tier of [undefined, ...TIERS]) {
      const search = { db: ctx.db, matching, tier, end: rows[0]?.end, limit: 200 }
      const plain = await newestMatches(search)
      const found = await newestMatches({ ...search, scored: { scoring, matches: 'all' } })
      const byKey = await scoreMatches(ctx.db, scoring, plain)
      const expected = new Map(byKey.map((row) => [row.page_id, row]))
      assert.deepEqual(
        found,
        plain.map((match) => ({ ...match, ...expected.get(match.page_id) })),
      )
    }
  }
})

test('paging during concurrent writes repeats no page and loses no unchanged page', async () => {
  const [admin] = nodes.admins
  const ctx = contexts.ann
  assert.ok(ctx)
  for (const bounds of BOUNDS) {
    const { titled, rest } = reference('ann', 'fox')
    const before = [...titled, ...rest]
    // Each write changes where a page belongs: its tier, its score, or whether it is found at all.
    const bodies = ['# Fox\n\nfox', '# Page\n\nfox fox fox', '# Page\n\nnothing', `# Page\n\n${'sea '.repeat(50)}fox`]
    const changed = new Set<string>()
    const found: string[] = []
    for await (const hits of searched(ctx, { q: 'fox', limit: 7 }, bounds)) {
      const page = hits.map(addressOf)
      const targets = [page[0], page.at(-1), before[(found.length * 5) % before.length], before.at(-1 - found.length)]
      for (const [n, address] of targets.entries()) {
        if (address === undefined) continue
        changed.add(address)
        const body = bodies[(found.length + n) % bodies.length] ?? ''
        assertStatus(await admin.put(`/pages/${address}`, body, { 'if-match': '*' }), 200)
        const space = address.slice(0, address.indexOf('/'))
        written.set(address, { space, title: tokensOf(body.split('\n')[0] ?? ''), body: tokensOf(body) })
      }
      found.push(...page)
    }
    assert.ok(changed.size > 20 && before.length - changed.size > 10, `${changed.size} of ${before.length}`)
    assert.deepEqual([...new Set(found)], found, JSON.stringify(bounds))
    assert.deepEqual(
      before.filter((address) => !changed.has(address) && !found.includes(address)),
      [],
    )
  }
})
