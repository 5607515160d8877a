/**
 * What is offered while someone types, among many pages: `node bench/suggest.ts [pages] [folder]`, on the data of `search.ts`.
 * A folder that is named is kept, and not filled again.
 */
import { join } from 'node:path'
import pg from 'pg'
import { Client } from '../test/support/client.ts'
import { startProcess } from '../test/support/process.ts'
import { loadFast } from './load.ts'
import { benchFolder, embeddedConnection, fillOnce, timeEach } from './measure.ts'
import { fillSearch, SEARCH_TABLES } from './search-data.ts'

const [pages = 99_000] = process.argv.slice(2, 3).map(Number)
const RUNS = 60

using folder = benchFolder(process.argv[3])
await using recto = await startProcess({
  data: folder.path,
  env: { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0' },
})
const client = new pg.Client(embeddedConnection(folder.path))
client.on('error', () => {})
await client.connect()
await fillOnce(client, 'page_search', () => loadFast(client, SEARCH_TABLES, () => fillSearch(client, pages)))
await client.end()

const of = { pid: recto.pid, cluster: join(folder.path, 'postgres') }
const admin = new Client(recto.url, recto.key)
for (const [name, q] of [
  ['one letter', 'w'],
  ['two letters, of every third page', 'w3'],
  ['a prefix of many words', 'w31'],
  ['a rare prefix', 'w312'],
  ['a common word', 'w3x'],
  ['two common words', 'w3x w5x'],
  ['a rare word', 'w31007x'],
  ['a word of no page', 'zebra'],
  ['the beginning of a path', 'folder7/'],
] as const) {
  for (const route of ['/search/suggest', '/titles']) {
    for (const [where, space] of [
      ['', ''],
      [', one space', '&space=space7'],
    ] as const) {
      await timeEach(of, `${route}, ${name}${where}`, RUNS, async () => {
        const answer = await admin.get(`${route}?q=${encodeURIComponent(q)}${space}`)
        if (answer.status !== 200) throw new Error(answer.text)
      })
    }
  }
}
