/**
 * Reads of a page, authenticated and checked, against a bare server with one prepared query on the same database:
 * `node bench/read.ts [seconds] [rounds]`. `floor` is what no authenticated read can leave out (least-read.ts).
 */
import { Client } from '../test/support/client.ts'
import { startProcess } from '../test/support/process.ts'
import { startBareReads } from './bare-reads.ts'
import { alternate, benchFolder, report, requestsPerSecond, sampleBody } from './measure.ts'

const [seconds = 1, rounds = 15] = process.argv.slice(2).map(Number)

using folder = benchFolder()
// Room for the connections of both: neither opens more than the 16 that it is asked over.
await using recto = await startProcess({
  data: folder.path,
  env: { SVC_DATABASE_POOL: '32', SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0' },
})
const admin = new Client(recto.url, recto.key)
await admin.space('bench')
await admin.put('/pages/bench/guide/page', sampleBody(6_000))
using yardstick = await startBareReads('yardstick', folder.path)
const { text: html } = await admin.get('/pages/bench/guide/page', { accept: 'text/html' })
using floor = await startBareReads('least-read', folder.path, Buffer.byteLength(html))

const page = `${recto.url}/pages/bench/guide/page`
const authorization = `Bearer ${recto.key}`
const read = (url: string, headers: Record<string, string> = {}, expect = 200) =>
  requestsPerSecond({ url, headers: { authorization, ...headers }, expect }, seconds)
const known = { 'if-none-match': '"1"' }

const rates = await alternate(
  {
    yardstick: () => requestsPerSecond({ url: yardstick.page, expect: 200 }, seconds),
    'floor, a body': () => read(floor.page),
    'floor, HTML': () => read(floor.page, { accept: 'text/html' }),
    'floor, not modified': () => read(floor.page, known, 304),
    Markdown: () => read(page, { accept: 'text/markdown' }),
    HTML: () => read(page, { accept: 'text/html' }),
    'not modified': () => read(page, { accept: 'text/markdown', ...known }, 304),
    JSON: () => read(page, { accept: 'application/json' }),
  },
  rounds,
)
report(rates, 'yardstick')
