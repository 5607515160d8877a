/**
 * Patches of one key, against a bare transaction of `pg` that updates one row and inserts one audit row in the same
 * database: `node bench/metadata-patch.ts [seconds] [rounds] [clients]`. Both by as many clients and 1,000 pages of 8
 * keys. `floor` is one statement that does what a patch of a number cannot leave out: the document, its entry of the
 * index, the audit row and the event.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Backlog } from '@recto/lib/concurrency/backlog.ts'
import { KeyedQueue } from '@recto/lib/concurrency/keyed-queue.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import pg from 'pg'
import { type MetadataCtx, patchMetadata } from '../packages/server/src/content/metadata/metadata.ts'
import { parsePatch } from '../packages/server/src/content/metadata/parse-patch.ts'
import { entryKey, toSortKey } from '../packages/server/src/content/metadata/sort-key.ts'
import { createPool } from '../packages/server/src/platform/database/connections/pool.ts'
import { createReader } from '../packages/server/src/platform/database/connections/reader.ts'
import { DatabaseServer } from '../packages/server/src/platform/database/connections/server.ts'
import { createDb } from '../packages/server/src/platform/database/database.ts'
import { Client } from '../test/support/client.ts'
import { startProcess } from '../test/support/process.ts'
import { alternate, benchFolder, embeddedConnection, report } from './measure.ts'
import { fillMetadata } from './metadata-data.ts'

const [seconds = 2, rounds = 9, clients = 8] = process.argv.slice(2).map(Number)
const PAGES = 1000

using folder = benchFolder()
// Room for the connections of both.
await using recto = await startProcess({
  data: folder.path,
  env: { SVC_DATABASE_POOL: `${2 * clients + 16}`, SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0' },
})
const connection = embeddedConnection(folder.path)
const bare = new pg.Pool({ ...connection, max: clients })
bare.on('error', () => {})
const client = new pg.Client(connection)
client.on('error', () => {})
await client.connect()
await fillMetadata(client, PAGES)
const { rows: pages } = await client.query(`select p.id, p.space_id as "spaceId", s.slug as space, p.path
  from page p join space s on s.id = p.space_id order by p.id`)
await client.query(`create table bare_doc (id bigint primary key, doc jsonb not null)`)
await client.query(`insert into bare_doc select page_id, doc from page_metadata`)
await client.query(`create table bare_audit (id bigint, seq bigint generated always as identity, key text, old jsonb,
  new jsonb, actor uuid, at timestamptz, primary key (id, seq))`)
await client.query(`create table bare_entry (like metadata_entry including all)`)
await client.query(`insert into bare_entry select * from metadata_entry`)
await client.query(`create table bare_event (like event including all)`)
const me = (await new Client(recto.url, recto.key).get('/me')).json
await client.end()

const settings = { server: new DatabaseServer(connection), prepared: true, onError: () => {} }
const pool = createPool({ ...settings, size: clients })
await using reader = createReader({ ...settings, size: 2, ownServer: true, available: async () => {} })
const ctx = {
  db: createDb(pool, { reader }),
  actor: { id: me.id, name: me.name, kind: me.kind, orgRole: 'admin', scope: 'admin', spaceIds: null, keyId: null },
  now: () => new Date(),
  pages: { writers: new KeyedQueue({ maxWaiting: 1000 }), unindexed: new Backlog() } satisfies MetadataCtx['pages'],
  config: { maxMetadataValueBytes: 65_536, publicUrl: 'http://localhost' },
  events: { wakeDeliveries() {}, wakeReaders() {}, pagesAdded() {} },
} as unknown as MetadataCtx // all that a patch uses

let value = 0
/** Of each page the last value that was written, so that each patch changes something. */
const booleans = new Map<number, boolean>()
function nextBoolean({ id }: Page): boolean {
  const next = !(booleans.get(id) ?? false)
  booleans.set(id, next)
  return next
}

const rates = await alternate(
  {
    'bare transaction': () => perSecond(bareTransaction),
    'floor, one statement': () => perSecond(leastPatch),
    'patch, a number': () => patches(() => ({ priority: value++ })),
    'patch, a text': () => patches(() => ({ owner: `owner-${value++}` })),
    'patch, a boolean': () => patches((page) => ({ done: nextBoolean(page) })),
    'patch, a date': () => patches(() => ({ due: new Date(8.64e7 * (value++ % 20_000)).toISOString() })),
    'patch, a list': () => patches(() => ({ tags: ['one', `two-${value++}`] })),
    'patch, an object': () => patches(() => ({ nested: { value: value++ } })),
  },
  rounds,
)
report(rates, 'bare transaction')
await pool.end()
await bare.end()

interface Page {
  readonly id: number
  readonly spaceId: number
  readonly space: string
  readonly path: string
}

function patches(set: (page: Page) => Readonly<Record<string, unknown>>): Promise<number> {
  return perSecond((page) => patch(page, { set: set(page) }))
}

function patch(page: Page, body: { readonly set: Readonly<Record<string, unknown>> }): Promise<unknown> {
  return patchMetadata(ctx, { space: page.space, path: page.path, operations: parsePatch(body) })
}

async function bareTransaction(page: Page): Promise<void> {
  const connected = await bare.connect()
  const next = JSON.stringify(value++)
  await connected.query('begin')
  await connected.query({
    name: 'update',
    text: `update bare_doc set doc = jsonb_set(doc, '{priority}', $2::jsonb) where id = $1`,
    values: [page.id, next],
  })
  await connected.query({
    name: 'audit',
    text: 'insert into bare_audit (id, key, old, new, actor, at) values ($1, $2, $3, $4, $5, now())',
    values: [page.id, 'priority', '1', next, me.id],
  })
  await connected.query('commit')
  connected.release()
}

async function leastPatch(page: Page): Promise<void> {
  const next = value++
  const ranks = [next - 1, next].map((number) => entryKey('bare', toSortKey(number)))
  await bare.query({
    name: 'least_patch',
    text: `with changed as (
        update bare_doc set doc = jsonb_set(doc, '{priority}', $2::jsonb) where id = $1 returning doc
      ), audited as (
        insert into bare_audit (id, key, old, new, actor, at) values ($1, 'priority', '1', $2::jsonb, $3, now())
      ), removed as (
        delete from bare_entry where space_id = $4 and page_id = $1 and rank = decode($5, 'hex')
      ), entered as (
        insert into bare_entry (space_id, page_id, rank) values ($4, $1, decode($6, 'hex')) on conflict do nothing
      )
      insert into bare_event (id, kind, space_id, page_id, actor_id, at, data)
      select $7::uuid, 'metadata.updated', $4::bigint, $1::bigint, $3::uuid, now(), '{}' from changed`,
    values: [page.id, `${next}`, me.id, page.spaceId, ...ranks, uuid7()],
  })
}

async function perSecond(job: (page: Page) => Promise<unknown>): Promise<number> {
  const stop = new AbortController()
  const end = sleep(seconds * 1000).then(() => stop.abort())
  let done = 0
  const began = performance.now()
  const work = async () => {
    while (!stop.signal.aborted) {
      await job(pages[Math.floor(Math.random() * pages.length)])
      done++
    }
  }
  await Promise.all(Array.from({ length: clients }, work))
  await end
  return done / ((performance.now() - began) / 1000)
}
