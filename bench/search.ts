/**
 * Full-text search among many pages: `node bench/search.ts [pages] [folder]`. Pages have 64 words whose frequencies fall as those
 * of a language do, of 50,000, in 100 spaces. A folder that is named is kept, and not filled again.
 */
import { join } from 'node:path'
import pg from 'pg'
import { startProcess } from '../test/support/process.ts'
import { loadFast } from './load.ts'
import { benchFolder, embeddedConnection, fillOnce, timeEach } from './measure.ts'
import { fillSearch, SEARCH_SPACES, SEARCH_TABLES } from './search-data.ts'

const [pages = 99_000] = process.argv.slice(2, 3).map(Number)
const kept = process.argv[3]
const ROUNDS = 100

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

await timed('a bare query by primary key', (n) =>
  client.query({
    name: 'bare',
    text: 'select path from page where space_id = $1 and id = $2',
    values: [1000, SEARCH_SPACES * n],
  }),
)
for (const [name, q] of [
  ['a rare word', 'w31007x'],
  ['two rare words, one of them or the other', 'w31007x or w40961x'],
  ['a common word', 'w3x'],
  ['two common words', 'w3x w5x'],
  ['two common words that many titles have', 'w1x w2x'],
  ['common and rare', 'w3x w31007x'],
  ['a phrase of two common words', '"w1x w2x"'],
  ['common without common', 'w3x -w5x'],
  ['a prefix of many words', 'w31'],
] as const) {
  const path = `/search?limit=20&q=${encodeURIComponent(q)}`
  const { items } = await json('GET', path)
  await timed(`${name} (${items.length === 20 ? 'many' : items.length} found)`, () => json('GET', path))
  if (q === 'w3x w5x') await timed('the same in one space', () => json('GET', `${path}&space=space7`))
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

function timed(name: string, work: (n: number) => Promise<unknown>, rounds = ROUNDS): Promise<void> {
  return timeEach(of, name, rounds, (n) => work(n * 7919))
}
