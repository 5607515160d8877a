/**
 * Reading a page among 1,000,000 against one among 1,000: `node bench/size.ts [pages] [seconds] [rounds] [folder]`. A
 * folder that is named is kept, and not filled again.
 */
import { join } from 'node:path'
import pg from 'pg'
import { Client } from '../test/support/client.ts'
import { startProcess } from '../test/support/process.ts'
import { loadFast } from './load.ts'
import {
  alternate,
  benchFolder,
  embeddedConnection,
  fillOnce,
  report,
  requestsPerSecond,
  sampleBody,
} from './measure.ts'

const [pages = 1_000_000, seconds = 1, rounds = 9] = process.argv.slice(2, 5).map(Number)
const kept = process.argv[5]
const SPACES = 100
const FEW = 1_000

using smallFolder = benchFolder(kept && join(kept, 'small'))
using largeFolder = benchFolder(kept && join(kept, 'large'))
await using small = await started(smallFolder.path, FEW)
await using large = await started(largeFolder.path, pages)

const rates = await alternate(
  { [`among ${FEW}`]: () => readAll(small, FEW), [`among ${pages}`]: () => readAll(large, pages) },
  rounds,
)
report(rates, `among ${FEW}`)

async function started(data: string, count: number) {
  const recto = await startProcess({ data, env: { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0' } })
  const client = new pg.Client(embeddedConnection(data))
  await client.connect()
  await fillOnce(client, 'page', async () => {
    const admin = new Client(recto.url, recto.key)
    for (let space = 0; space < SPACES; space++) await admin.space(`space-${space}`)
    await admin.put('/pages/space-0/origin', sampleBody(2_000))
    await loadFast(client, ['page', 'page_address', 'revision'], () => multiply(client, count))
  })
  await client.end()
  return recto
}

/** Copies of one page, made by the database itself, spread over all spaces. */
async function multiply(client: pg.Client, count: number): Promise<void> {
  await client.query(
    `create temp table copy as
      select s.id as space_id, nextval('page_id') as id, 'folder-' || n % 100 || '/page-' || n as path,
        gen_random_uuid() as revision_id
      from generate_series(0, $1::int - 1) as n
      join space s on s.slug = 'space-' || n % $2::int`,
    [count, SPACES],
  )
  const columns = async (table: string) => {
    const { rows } = await client.query(
      `select column_name as name from information_schema.columns
        where table_name = $1 and is_generated = 'NEVER' and identity_generation is null`,
      [table],
    )
    return rows.map(({ name }) => name as string)
  }
  const own: Record<string, Record<string, string>> = {
    page_address: { space_id: 'c.space_id', path: 'c.path', page_id: 'c.id', id: `nextval('page_id')` },
    page: {
      space_id: 'c.space_id',
      id: 'c.id',
      path: 'c.path',
      revision_id: 'c.revision_id',
      keyframe_id: 'c.revision_id',
    },
    revision: { space_id: 'c.space_id', page_id: 'c.id', id: 'c.revision_id' },
  }
  for (const [table, values] of Object.entries(own)) {
    const names = await columns(table)
    const list = names.map((name) => values[name] ?? `t.${name}`).join(', ')
    const origin = table === 'revision' ? `page_id = (select id from page where path = 'origin')` : `path = 'origin'`
    await client.query(
      `insert into ${table} (${names.join(', ')}) select ${list} from copy c, ${table} t where t.${origin}`,
    )
  }
}

/** Reads pages all over the place, each for the first time or after it was forgotten. */
function readAll({ url, key }: { url: string; key: string }, count: number): Promise<number> {
  const step = Math.max(1, Math.floor(count / 997))
  const requests = Array.from({ length: 997 }, (_, index) => {
    const n = (index * step + Math.floor(Math.random() * step)) % count
    return { path: `/pages/space-${n % SPACES}/folder-${n % 100}/page-${n}.md` }
  })
  return requestsPerSecond({ url, headers: { authorization: `Bearer ${key}` }, expect: 200, requests }, seconds)
}
