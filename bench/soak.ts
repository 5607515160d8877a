import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client } from '../test/support/client.ts'
import { type Load, openLoad, times } from '../test/support/load.ts'
import { scrape } from '../test/support/metrics.ts'
import { startProcess } from '../test/support/process.ts'
import { benchFolder, median, print, residentMegabytes } from './measure.ts'
import { record } from './results.ts'

/**
 * Whether memory grows under a mixed load that goes on: a line a minute, and a verdict at the end. The pages are a
 * fixed set, so that what grows is not what is stored. Started as `npm start` does.
 */
const { values: options } = parseArgs({
  options: { minutes: { type: 'string', default: '30' }, clients: { type: 'string', default: '4' } },
})
const MINUTES = Math.max(4, Number(options.minutes))
const CLIENTS = Number(options.clients)
const PAGES = 2_000
const LARGE_EVERY = 500
const LARGE_PAGES = 8
const PAUSE_MS = 5
const CACHES = ['contents', 'documents', 'hints']
/** What the later half may have more than the first: less than this is the garbage collector's. */
const TOLERANCE = 1.1

/** What a minute ended with, in bytes; the resident memory in MB. */
interface Line {
  readonly rss: number
  readonly heap: number
  readonly external: number
  readonly cached: number
}

using folder = benchFolder()
await using recto = await startProcess({
  data: folder.path,
  env: { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0' },
})
using load = openLoad(recto.url, recto.key, CLIENTS)
const client = new Client(recto.url, recto.key)
await client.space('soak')

const lines: Line[] = []
const statuses = new Map<string, number>()
const ends = Date.now() + MINUTES * 60_000
const working = Promise.all(times(CLIENTS, work))
print('minute      RSS     heap external   cached  requests')
for (let minute = 1; minute <= MINUTES; minute++) {
  await delay(ends - (MINUTES - minute) * 60_000 - Date.now())
  const line = await measure()
  lines.push(line)
  const figures = [line.heap, line.external, line.cached].map((bytes) => megabytes(bytes).padStart(8))
  const requests = [...statuses.values()].reduce((sum, count) => sum + count, 0)
  print(
    `${String(minute).padStart(6)} ${line.rss.toFixed(0).padStart(8)} ${figures.join(' ')} ` +
      `${String(requests).padStart(9)}`,
  )
}
await working
print([...statuses].map(([status, count]) => `${status}: ${count}`).join(', '))
// Caches have limits, which a slow load reaches late.
const used = lines.map(({ rss, cached }) => rss - cached / 1024 / 1024)
const [before, after] = [
  median(used.slice(used.length / 4, used.length / 2)),
  median(used.slice((used.length * 3) / 4)),
]
const isFlat = after <= before * TOLERANCE
record('memory, last quarter to second', after / before, `${before.toFixed(0)} to ${after.toFixed(0)} MB`)
const verdict = isFlat ? 'flat' : 'it grows'
print(
  `RSS without caches: ${before.toFixed(0)} MB in the second quarter, ${after.toFixed(0)} MB in the last: ${verdict}`,
)
process.exitCode = isFlat ? 0 : 1

async function work(number: number): Promise<void> {
  for (let turn = 0; Date.now() < ends; turn++) {
    const answer = await request(load, number, turn)
    const name = `${answer.status}`
    statuses.set(name, (statuses.get(name) ?? 0) + 1)
    await delay(PAUSE_MS)
  }
}

async function put({ send }: Load, page: string, text: string) {
  const answer = await send('PUT', page, { 'if-match': '*' }, text)
  return answer.status === 412 ? send('PUT', page, { 'if-none-match': '*' }, text) : answer
}

function request(load: Load, client: number, turn: number) {
  const { send } = load
  const seed = (turn * 7919 + client * 104_729) % PAGES
  const page = `/pages/soak/p${seed}`
  if (turn % LARGE_EVERY === LARGE_EVERY - 1) {
    const large = (Math.floor(turn / LARGE_EVERY) + client) % LARGE_PAGES
    return put(load, `/pages/soak/large-${large}`, body(turn, 800_000))
  }
  switch (turn % 10) {
    case 0:
    case 1:
    case 2:
      return put(load, page, body(turn, 200 + (seed % 40) * 200))
    case 3:
      return send('GET', '/search?q=evening')
    case 4:
      return send('GET', '/spaces/soak/pages?limit=50')
    case 5:
      return send('GET', '/changes?since=now')
    case 6:
      return send('DELETE', page, { 'if-match': '*' })
    case 7:
      return send('GET', `${page}.md`)
    default:
      return send('GET', page, { accept: 'text/html' })
  }
}

function body(seed: number, length: number): string {
  const line = `Sentence ${seed} of the [[p${seed % PAGES}]] says that **water** is needed in the evening.\n\n`
  return `# Page ${seed}\n\n${line.repeat(Math.ceil(length / line.length))}`
}

async function measure(): Promise<Line> {
  const { samples } = await scrape(client)
  const of = (name: string) => samples.get(name) ?? 0
  return {
    rss: residentMegabytes(recto.pid),
    heap: of('nodejs_heap_size_used_bytes'),
    external: of('nodejs_external_memory_bytes'),
    cached: CACHES.reduce((sum, cache) => sum + of(`recto_cache_bytes{cache="${cache}"}`), 0),
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0)
}
