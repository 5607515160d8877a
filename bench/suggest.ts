/**
 * What is offered while someone types, among many pages: `node bench/suggest.ts [pages] [folder]`, on the data of
 * `search.ts`. A folder that is named is kept, and not filled again.
 */
import { join } from 'node:path'
import pg from 'pg'
import { Client } from '../test/support/client.ts'
import { startProcess } from '../test/support/process.ts'
import { startFloor } from './floor.ts'
import { loadFast } from './load.ts'
import { benchFolder, embeddedConnection, fillOnce } from './measure.ts'
import { fillSearch, SEARCH_SPACES, SEARCH_TABLES } from './search-data.ts'
import { timeEach } from './timing.ts'

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
/** The floor of completion, whatever is typed: ten pages of one range of an index. */
using floor = await startFloor(folder.path, {
  begun: `select page.space_id, page.path, page.title from page_address address
    join page on page.space_id = address.space_id and page.id = address.page_id
    where address.space_id = $1 and address.page_id is not null and address.path >= $2 order by address.path limit 10`,
})
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
      const timing = {
        name: `${route}, ${name}${where}`,
        of,
        async work() {
          const answer = await admin.get(`${route}?q=${encodeURIComponent(q)}${space}`)
          if (answer.status !== 200) throw new Error(answer.text)
        },
      }
      const least = (run: number) => floor.ask('begun', [1000 + (run % SEARCH_SPACES), `folder${run * 7}`])
      const bare = { name: `floor, ${timing.name}`, of: { ...of, pid: floor.pid }, work: least }
      await timeEach(RUNS, timing, bare)
    }
  }
}
