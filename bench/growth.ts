/**
 * What a page adds to the database: `node bench/growth.ts [pages] [revisions]`. Writes pages of about 3 kB with ten
 * links, each some times, with three keys of metadata and one webhook; prints rows and bytes of each table, indexes and
 * TOAST included.
 */
import { join } from 'node:path'
import { Client as PgClient } from 'pg'
import { assertStatus, Client } from '../test/support/client.ts'
import { startProcess } from '../test/support/process.ts'
import { benchFolder, embeddedConnection, print, processorTime } from './measure.ts'

const [pages = 1_500, revisions = 3] = process.argv.slice(2, 4).map(Number)
const CLIENTS = 8
const TABLES = `select c.relname as table, pg_total_relation_size(c.oid) as bytes,
  pg_indexes_size(c.oid) as indexes,
  (xpath('/row/n/text()', query_to_xml('select count(*) as n from ' || c.relname, true, true,
    '')))[1]::text::int as rows
  from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by bytes desc`

using folder = benchFolder()
const env = {
  SVC_RATE_LIMIT: '0',
  SVC_WEBHOOKS_ALLOW_HTTP: '1',
  SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1',
  SVC_WEBHOOKS_RETRY_SCHEDULE: '86400',
}
await using recto = await startProcess({ data: folder.path, env })
const admin = new Client(recto.url, recto.key)
await admin.space('docs')
const hook = { url: 'http://127.0.0.1:9/', events: ['page.created', 'page.updated'] }
assertStatus(await admin.post('/admin/webhooks', hook), 201)

const words = Array.from({ length: 5_000 }, (_, n) => `w${((n * 7919) % 99_991).toString(36)}`)
const word = () => words[Math.floor(words.length * Math.random() ** 3)]
function body(page: number, revision: number): string {
  const links = Array.from({ length: 10 }, (_, n) => `- [link](/pages/docs/page-${(page * 31 + n * 97) % pages})`)
  const text = Array.from({ length: 40 }, () => Array.from({ length: 14 }, word).join(' '))
  return `# Page ${page}\n\nRevision ${revision}\n\n${text.join('\n\n')}\n\n${links.join('\n')}\n`
}

async function writePage(page: number): Promise<void> {
  const path = `/pages/docs/page-${page}`
  let text = body(page, 1)
  for (let version = 1; version <= revisions; version++) {
    const headers = version > 1 ? { 'if-match': `"${version - 1}"` } : {}
    assertStatus(await admin.put(path, text, headers as Record<string, string>), version > 1 ? 200 : 201)
    // An edit: one paragraph of forty.
    text = text.replace(/\n\n[^\n]+\n\n/, () => `\n\n${Array.from({ length: 14 }, word).join(' ')}\n\n`)
  }
  assertStatus(await admin.patch(`${path}/metadata`, { set: { status: 'draft', owner: word(), rank: page } }), 200)
}

const spent = processorTime({ pid: recto.pid, cluster: join(folder.path, 'postgres') })
const began = performance.now()
let next = 0
await Promise.all(
  Array.from({ length: CLIENTS }, async () => {
    while (next < pages) await writePage(next++)
  }),
)
const writes = pages * (revisions + 1)
const seconds = (performance.now() - began) / 1000
print(`${writes} writes in ${seconds.toFixed(0)} s; ${(spent() / writes).toFixed(2)} ms of processor each`)

const client = new PgClient(embeddedConnection(folder.path))
await client.connect()
const { rows } = await client.query(TABLES)
print('| table | rows a page | bytes a row | of them indexes |\n| --- | --- | --- | --- |')
for (const { table, bytes, indexes, rows: count } of rows) {
  if (count < pages) continue
  const each = (value: string) => Math.round(Number(value) / count)
  print(`| ${table} | ${(count / pages).toFixed(1)} | ${each(bytes)} | ${each(indexes)} |`)
}
await client.end()
