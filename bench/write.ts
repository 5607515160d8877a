/**
 * PUT with If-Match against a bare transaction that inserts the same revision and updates the same page, by 1, 16 and
 * 64 writers, each on a page of its own: `node bench/write.ts [seconds] [rounds]`. `floor` is what no PUT can leave out
 * (least-write.ts).
 */
import { zstdCompressSync } from 'node:zlib'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import pg from 'pg'
import { Client } from '../test/support/client.ts'
import { type Load, openLoad, times } from '../test/support/load.ts'
import { startProcess } from '../test/support/process.ts'
import { startBareServer } from './bare-server.ts'
import { alternate, benchFolder, CONNECTIONS, embeddedConnection, print, report, sampleBody } from './measure.ts'

const [seconds = 1, rounds = 9] = process.argv.slice(2).map(Number)
const WARM_ROUNDS = 2
const SIZES = [6_000, 1_000]
const WRITERS = [1, 16, 64]
const PAGES = Math.max(...WRITERS)

interface BarePage {
  readonly space_id: string
  readonly id: string
  version: number
  readonly updated_by: string
}

using folder = benchFolder()
// Room for the connections of all three: the bare transaction and the floor have 16 each.
const env = { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0', SVC_DATABASE_POOL: '48' }
await using recto = await startProcess({ data: folder.path, env })
const admin = new Client(recto.url, recto.key)
await admin.space('bench')
/** The pages of the service, of the floor, and of the bare transaction. */
const [paths, leastPaths, barePaths] = [pathsOf('put'), pathsOf('least'), pathsOf('bare')]
for (const path of [...paths, ...leastPaths, ...barePaths]) await admin.put(path, sampleBody(1_000))

const pool = new pg.Pool({ ...embeddedConnection(folder.path), max: CONNECTIONS })
pool.on('error', () => {})
const { rows: bare } = await pool.query<BarePage>(
  `select space_id, id, version, updated_by from page where path like 'guide/bare-%' order by id`,
)
using least = await startBareServer('least-write', [folder.path])
using load = openLoad(recto.url, recto.key, PAGES)
using leastLoad = openLoad(least.base, recto.key, PAGES)
const tags = new Map([...paths, ...leastPaths].map((path) => [path, '"1"']))

for (const size of SIZES) {
  const body = sampleBody(size)
  const packed = zstdCompressSync(Buffer.from(body))
  for (const writers of WRITERS) {
    const bareName = `bare transaction, ${writers}`
    const each = (work: (index: number) => Promise<unknown>) => () => perSecond(writers, work)
    const variants = {
      [bareName]: each((index) => transaction(pageAt(index), size, packed)),
      [`floor of ${size} bytes, ${writers}`]: each((index) => put(leastLoad, leastPaths[index] ?? '', body)),
      [`PUT of ${size} bytes, ${writers}`]: each((index) => put(load, paths[index] ?? '', body)),
    }
    // A service that has run for a while is what is asked about: its code is compiled by then.
    await alternate(variants, WARM_ROUNDS)
    report(await alternate(variants, rounds), bareName)
    print('')
  }
}
await pool.end()

function pathsOf(name: string): string[] {
  return times(PAGES, (index) => `/pages/bench/guide/${name}-${index}`)
}

function pageAt(index: number): BarePage {
  const page = bare[index]
  if (page === undefined) throw new Error(`there is no page ${index}`)
  return page
}

/** Everyone works in a loop until the time is over. */
async function perSecond(writers: number, work: (index: number) => Promise<unknown>): Promise<number> {
  const until = performance.now() + seconds * 1_000
  let done = 0
  await Promise.all(
    times(writers, async (index) => {
      while (performance.now() < until) {
        await work(index)
        done++
      }
    }),
  )
  return done / seconds
}

async function put(load: Load, path: string, body: string): Promise<void> {
  // Another body each time, as edits are.
  const text = `${body}\n${tags.get(path)}`
  const { status, etag = '' } = await load.send('PUT', path, { 'if-match': tags.get(path) ?? '' }, text)
  if (status !== 200) throw new Error(`PUT answered ${status}`)
  tags.set(path, etag)
}

async function transaction(page: BarePage, size: number, packed: Buffer): Promise<void> {
  const client = await pool.connect()
  const id = uuid7()
  const now = new Date()
  await client.query('begin')
  await client.query({
    name: 'bare_update',
    text: `update page set version = version + 1, revision_id = $4, updated_at = $5, updated_by = $6
      where space_id = $1 and id = $2 and version = $3`,
    values: [page.space_id, page.id, page.version, id, now, page.updated_by],
  })
  await client.query({
    name: 'bare_insert',
    text: `insert into revision (space_id, page_id, version, id, title, size, data, created_at, created_by)
      values ($1, $2, $3, $4, 'A page', $5, $6, $7, $8)`,
    values: [page.space_id, page.id, page.version + 1, id, size, packed, now, page.updated_by],
  })
  await client.query('commit')
  client.release()
  page.version++
}
