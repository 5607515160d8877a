/**
 * PUT with If-Match against a bare transaction that inserts the same revision and updates the same page, 16 clients on 16
 * pages each: `node bench/write.ts [seconds] [rounds] [bytes]`.
 */
import { zstdCompressSync } from 'node:zlib'
import pg from 'pg'
import { uuid7 } from '../src/lib/encoding/uuid7.ts'
import { Client } from '../test/support/client.ts'
import { openLoad, times } from '../test/support/load.ts'
import { startProcess } from '../test/support/process.ts'
import { alternate, benchFolder, CONNECTIONS, embeddedConnection, report, sampleBody } from './measure.ts'

const [seconds = 2, rounds = 7, bytes = 6_000] = process.argv.slice(2).map(Number)
const WARM_ROUNDS = 3
const body = sampleBody(bytes)

using folder = benchFolder()
const env = { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0', SVC_DATABASE_POOL: '32' }
await using recto = await startProcess({ data: folder.path, env })
const admin = new Client(recto.url, recto.key)
await admin.space('bench')
const paths = times(CONNECTIONS, (index) => `/pages/bench/guide/put-${index}`)
for (const path of paths) await admin.put(path, body)
for (const index of times(CONNECTIONS, Number)) await admin.put(`/pages/bench/guide/bare-${index}`, body)

const pool = new pg.Pool({ ...embeddedConnection(folder.path), max: CONNECTIONS })
const { rows: bare } = await pool.query(
  `select space_id, id, version, updated_by from page where path like 'guide/bare-%' order by id`,
)
const packed = zstdCompressSync(Buffer.from(body))
using load = openLoad(recto.url, recto.key, CONNECTIONS)
const tags = new Map(paths.map((path) => [path, '"1"']))

const variants = {
  yardstick: () => perSecond((index) => bareTransaction(bare[index])),
  PUT: () => perSecond((index) => put(paths[index] ?? '')),
}
// A service that has run for a while is what is asked about: its code is compiled by then.
await alternate(variants, WARM_ROUNDS)
const rates = await alternate(variants, rounds)
report(rates, 'yardstick')
await pool.end()

/** Everyone works in a loop until the time is over. */
async function perSecond(work: (index: number) => Promise<void>): Promise<number> {
  const until = performance.now() + seconds * 1_000
  let done = 0
  await Promise.all(
    times(CONNECTIONS, async (index) => {
      while (performance.now() < until) {
        await work(index)
        done++
      }
    }),
  )
  return done / seconds
}

async function put(path: string): Promise<void> {
  // Another body each time, as edits are.
  const text = `${body}\n${tags.get(path)}`
  const { status, etag = '' } = await load.send('PUT', path, { 'if-match': tags.get(path) ?? '' }, text)
  if (status !== 200) throw new Error(`PUT answered ${status}`)
  tags.set(path, etag)
}

async function bareTransaction(page: { space_id: string; id: string; version: number; updated_by: string }) {
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
    values: [page.space_id, page.id, page.version + 1, id, body.length, packed, now, page.updated_by],
  })
  await client.query('commit')
  client.release()
  page.version++
}
