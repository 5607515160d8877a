/**
 * Full-text search among many pages: `node bench/search.ts [pages] [folder] [names]`. Pages have 64 words whose
 * frequencies fall as those of a language do, of 50,000, in 100 spaces. A folder that is named is kept, and not filled
 * again. `names`, a regular expression, chooses queries.
 */
import { join } from 'node:path'
import pg from 'pg'
import { LARGE_BASE, LARGE_BITS, SMALL_BITS } from '../packages/server/src/content/search/id-ranges.ts'
import { startProcess } from '../test/support/process.ts'
import { startFloor } from './floor.ts'
import { loadFast } from './load.ts'
import { benchFolder, embeddedConnection, fillOnce } from './measure.ts'
import { fillSearch, SEARCH_SPACES, SEARCH_TABLES } from './search-data.ts'
import { timeEach } from './timing.ts'

const [pages = 99_000] = process.argv.slice(2, 3).map(Number)
const kept = process.argv[3]
const names = new RegExp(process.argv[4] ?? '')
const ROUNDS = 100
/**
 * Searches for other words before all. A service that has run for a while is what is asked about: its code is compiled
 * by then.
 */
const WARM_UP = Number(process.env.BENCH_WARM_UP ?? 300)

/** A statement of the floor with its values. */
type Least = readonly [statement: string, query: string, ...partitions: (readonly number[])[]]
type Query = readonly [name: string, q: string, least?: Least]

using folder = benchFolder(kept)
await using recto = await startProcess({
  data: folder.path,
  env: { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0' },
})
const of = { pid: recto.pid, cluster: join(folder.path, 'postgres') }
const admin = recto.key
const client = new pg.Client(embeddedConnection(folder.path))
await client.connect()
await fillOnce(client, 'page_search', () => loadFast(client, SEARCH_TABLES, () => fillSearch(client, pages)))

/**
 * The floor of a search: the newest 200 matches by the index of the product, ranked by their text, and the bodies of
 * the best 20. The pages of which the index is asked are named, as nobody can know them: those that have so many
 * matches.
 */
const keys =
  `array[- page_search.space_id, page_search.page_id >> ${SMALL_BITS}, ` +
  `(page_search.page_id >> ${LARGE_BITS}) + ${LARGE_BASE}]`
const least = (where: string) => `
  with match as materialized (
    select space_id, page_id, ts_rank_cd(words, $1::tsquery) as score from page_search
    where words @@ $1::tsquery and ${where} order by page_id desc limit 200
  ), best as (select * from match order by score desc limit 20)
  select page.path, page.title, page.version, page.updated_at, best.score, coalesce(page.body, revision.data) as body
  from best join page on page.space_id = best.space_id and page.id = best.page_id
  join revision on revision.space_id = page.space_id and revision.page_id = page.id and revision.version = page.version
  order by best.score desc`
using floor = await startFloor(folder.path, {
  all: least('true'),
  newest: least(`${keys} && $2::bigint[]`),
  space: least(`${keys} @> $2::bigint[] and ${keys} && $3::bigint[]`),
})
const { rows: last } = await client.query('select last_value::int as id from page_id')
const small = [0, 1].map((n) => (last[0].id >> SMALL_BITS) - n)
const large = [0, 1].map((n) => (last[0].id >> LARGE_BITS) - n + LARGE_BASE)

await timed('a bare query by primary key', (n) =>
  client.query({
    name: 'bare',
    text: 'select path from page where space_id = $1 and id = $2',
    values: [1000, SEARCH_SPACES * n],
  }),
)
if (process.env.BENCH_FILL_ONLY === undefined)
  for (let n = 0; n < WARM_UP; n++) await json('GET', `/search?limit=20&q=w${25_000 + n * 3}x`)
for (const [name, q, least] of [
  ['a rare word', 'w31007x', ['all', "'w31007x'"]],
  ['two rare words, one of them or the other', 'w31007x or w40961x'],
  ['a common word', 'w3x', ['newest', "'w3x'", small]],
  ['two common words', 'w3x w5x', ['newest', "'w3x' & 'w5x'", small]],
  ['two common words that many titles have', 'w1x w2x'],
  ['common and rare', 'w3x w31007x'],
  ['a phrase of two common words', '"w1x w2x"'],
  ['common without common', 'w3x -w5x'],
  ['a prefix of many words', 'w31'],
] satisfies Query[]) {
  const path = `/search?limit=20&q=${encodeURIComponent(q)}`
  const { items } = await json('GET', path)
  await timed(`${name} (${items.length === 20 ? 'many' : items.length} found)`, () => json('GET', path), least)
  if (q !== 'w3x w5x') continue
  const inSpace: Least = ['space', "'w3x' & 'w5x'", [-1007], large]
  await timed('the same in one space', () => json('GET', `${path}&space=space7`), inSpace)
}

await client.end()

async function json(method: string, path: string, input?: unknown) {
  const answer = await fetch(recto.url + path, {
    method,
    headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
    ...(input !== undefined && { body: JSON.stringify(input) }),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

async function timed(name: string, work: (n: number) => Promise<unknown>, least?: Least): Promise<void> {
  if (!names.test(name)) return
  const product = { name, of, work: (n: number) => work(n * 7919) }
  if (least === undefined) return timeEach(ROUNDS, product)
  const [statement, ...values] = least
  return timeEach(ROUNDS, product, {
    name: `floor, ${name}`,
    of: { ...of, pid: floor.pid },
    work: () => floor.ask(statement, values),
  })
}
