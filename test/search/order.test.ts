import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { createAuthenticator } from '../../src/access/authenticate.ts'
import type { Ctx } from '../../src/access/ctx.ts'
import { createDb } from '../../src/database/database.ts'
import { createPool } from '../../src/database/pool.ts'
import { DatabaseServer } from '../../src/database/server.ts'
import { createCursorSealer } from '../../src/lib/cursor.ts'
import { parseQuery } from '../../src/search/query.ts'
import { searchPages } from '../../src/search/search.ts'
import { assertStatus } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson, type Person } from '../support/people.ts'

const PAGES = 90
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
    if (far > 0)
      await nodes.query(`select setval('page_id', (select last_value + $1 from page_id))`, [7 ** (2 * far)])
    const path = `/pages/${space === 0 ? 'closed' : 'zoo'}/p${n}`
    assertStatus(
      await people.ann.client.put(path, `# Page ${title.join(' ')}\n\n${body.join(' ')}\n\nfox`),
      201,
    )
  }
  contexts = await makeContexts(Object.values(people))
})
after(() => closing.disposeAsync())

/** What the use case needs of a context, over a pool of the test's own. */
async function makeContexts(people: readonly Person[]): Promise<Readonly<Record<string, Ctx>>> {
  const pool = createPool({
    server: new DatabaseServer(nodes.connection),
    size: 2,
    prepared: true,
    onError: () => {},
  })
  closing.defer(() => pool.end())
  const db = createDb(pool)
  const log = { info() {}, warn() {}, error() {}, debug() {} }
  const cursors = createCursorSealer(randomBytes(32))
  const authenticator = createAuthenticator({ db, log, failures: { add() {} } })
  const made = people.map(async ({ name, key }) => {
    const actor = await authenticator.byHeader(`Bearer ${key}`, { address: '127.0.0.1', shared: false })
    return [name, { db, actor, cursors } as unknown as Ctx] as const // all that a search uses
  })
  return Object.fromEntries(await Promise.all(made))
}

const addressOf = ({ slug, path }: { slug: string; path: string }) => `${slug}/${path}`

/** All matches in blocks of the newest, block by block by their score. */
async function reference(who: string, q: string, block: number): Promise<string[]> {
  const { rows } = await nodes.query(
    `select s.slug, p.path, p.id, f.title @@ $1::tsquery as titled,
      (ts_rank_cd(f.words, $1::tsquery, 33) * 1000000)::int as score
    from page_search f join page p on p.space_id = f.space_id and p.id = f.page_id join space s on s.id = p.space_id
    where f.words @@ $1::tsquery order by p.id desc`,
    [parseQuery(q).text],
  )
  const seen = rows.filter(({ slug }) => SPACES[slug]?.includes(who))
  const tiers = [seen.filter(({ titled }) => titled), seen.filter(({ titled }) => !titled)]
  return tiers.flatMap((tier) =>
    Array.from({ length: Math.ceil(tier.length / block) }, (_, n) => tier.slice(n * block, (n + 1) * block))
      .flatMap((part) => part.sort((a, b) => b.score - a.score || (addressOf(a) < addressOf(b) ? -1 : 1)))
      .map(addressOf),
  )
}

/** The addresses that are found, page by page of the list. */
async function* searched(ctx: Ctx, search: { q: string; limit: number }, block: number) {
  const deps = { snippets: { run: async () => [] } }
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const list = await searchPages(ctx, { ...search, ...(cursor && { cursor }) }, deps, block)
    yield list.items.map(({ space, path }) => `${space}/${path}`)
    cursor = list.nextCursor
  }
}

test('any query lists its hits in the order of a plain reference, across pages of results', async () => {
  const word = fc.constantFrom(
    'walrus',
    'wal',
    'sea',
    'salt',
    'fox',
    '-salt',
    '"sea salt"',
    'or',
    '日',
    'none',
  )
  const property = fc.asyncProperty(
    fc.array(word, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('ann', 'bob'),
    fc.constantFrom(3, 7, 20, 200),
    fc.constantFrom(1, 5, 30, 2000),
    async (words, who, limit, block) => {
      const q = words.join(' ')
      fc.pre(parseQuery(q).text !== undefined)
      const ctx = contexts[who]
      assert.ok(ctx)
      const found: string[] = []
      for await (const page of searched(ctx, { q, limit }, block)) found.push(...page)
      assert.deepEqual(found, await reference(who, q, block))
    },
  )
  await fc.assert(property, { numRuns: 60 })
})

test('paging during concurrent writes repeats no page and loses no unchanged page', async () => {
  const [admin] = nodes.admins
  const ctx = contexts.ann
  assert.ok(ctx)
  for (const block of [4, 15, 2000]) {
    const before = await reference('ann', 'fox', block)
    // Each write changes where a page belongs: its tier, its score, or whether it is found at all.
    const bodies = [
      '# Fox\n\nfox',
      '# Page\n\nfox fox fox',
      '# Page\n\nnothing',
      `# Page\n\n${'sea '.repeat(50)}fox`,
    ]
    const written = new Set<string>()
    const found: string[] = []
    for await (const page of searched(ctx, { q: 'fox', limit: 7 }, block)) {
      const targets = [
        page[0],
        page.at(-1),
        before[(found.length * 5) % before.length],
        before.at(-1 - found.length),
      ]
      for (const [n, address] of targets.entries()) {
        if (address === undefined) continue
        written.add(address)
        const body = bodies[(found.length + n) % bodies.length] ?? ''
        assertStatus(await admin.put(`/pages/${address}`, body, { 'if-match': '*' }), 200)
      }
      found.push(...page)
    }
    assert.ok(written.size > 20 && before.length - written.size > 10, `${written.size} of ${before.length}`)
    assert.deepEqual([...new Set(found)], found, `block ${block}`)
    assert.deepEqual(
      before.filter((address) => !written.has(address) && !found.includes(address)),
      [],
    )
  }
})
