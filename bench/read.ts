/**
 * Reads of pages by a member, authenticated and checked, as shares of the floor's rate for the same pages
 * (least-read.ts): `node bench/read.ts [seconds] [rounds] [pages] [folder]`. One page; 1,000 by Zipf's law; all
 * 100,000, equally likely, after long reading ("warm") and each for the first time since the start ("cold"). Then the
 * same by a visitor without an account, as shares of the member's rate: the space is public.
 */
import pg from 'pg'
import { Client } from '../test/support/client.ts'
import { newPerson } from '../test/support/people.ts'
import { startProcess } from '../test/support/process.ts'
import { type Reads, startBareReads } from './bare-reads.ts'
import {
  alternate,
  benchFolder,
  CONNECTIONS,
  embeddedConnection,
  fillOnce,
  fire,
  median,
  print,
  processorTime,
  report,
  sampleBody,
} from './measure.ts'
import { importInto } from './serving.ts'

const [seconds = 1, rounds = 9, count = 100_000] = process.argv.slice(2, 5).map(Number)
const POPULAR = Math.min(1_000, count)
/** A client sends its list again from the beginning, where a run needs more. */
const READS_A_CLIENT = 1_000
/** Reads of a run that reads each page once: few enough for all rounds and kinds. */
const COLD_READS = Math.min(2_000, Math.floor(count / (4 * rounds)))
const BODY_BYTES = 6_000

const KINDS: Readonly<Record<string, { readonly headers: Record<string, string>; readonly expect: number }>> = {
  Markdown: { headers: { accept: 'text/markdown' }, expect: 200 },
  'not modified': { headers: { accept: 'text/markdown', 'if-none-match': '"1"' }, expect: 304 },
  HTML: { headers: { accept: 'text/html' }, expect: 200 },
  JSON: { headers: { accept: 'application/json' }, expect: 200 },
}

using folder = benchFolder(process.argv[5])
// Room for the connections of all three: no server opens more than the 16 that it is asked over.
await using recto = await startProcess({
  data: folder.path,
  env: {
    SVC_DATABASE_POOL: '64',
    SVC_RATE_LIMIT: '0',
    SVC_MAX_CONCURRENT_REQUESTS: '0',
    SVC_PUBLIC_SPACES: 'on',
    SVC_PUBLIC_RATE_LIMIT: '1000000',
  },
})
const admin = new Client(recto.url, recto.key)
const client = new pg.Client(embeddedConnection(folder.path))
await client.connect()
await fillOnce(client, 'page', async () => {
  const headers = { authorization: `Bearer ${recto.key}`, 'content-type': 'application/json' }
  await importInto({ base: recto.url, headers }, 'bench', samplePages())
  await client.query('vacuum analyze page, page_address, revision')
})
const published = await admin.patch('/spaces/bench', { visibility: 'public' })
if (published.status !== 200) throw new Error(published.text)
const paths = Array.from({ length: count }, (_, n) => pathOf(n))
const { rows } = await client.query(`select path, space_id || '/' || id as id from page where path = any ($1)`, [paths])
await client.end()
const ids = new Map<string, string>(rows.map(({ path, id }) => [path, id]))
const recent = await admin.get(`/pages/bench/${pathOf(0)}`, { accept: 'text/html' })
using yardstick = await startBareReads('yardstick', folder.path)
using floor = await startBareReads('least-read', folder.path, Buffer.byteLength(recent.text))
const member = await newPerson(admin, 'Reader', { scopes: ['read'] })

/** Who reads: a member or a visitor of the service, or a bare server. */
type Reader = Reads | 'member' | 'visitor'

const POPULAR_SET = `${POPULAR} pages`
/** Which page is read next. */
const SETS: Readonly<Record<string, () => number>> = {
  '1 page': () => 0,
  // The n-th page by popularity is read 1/n as often as the first.
  [POPULAR_SET]: () => Math.floor(POPULAR ** Math.random()) - 1,
  [`${count} pages, warm`]: () => Math.floor(Math.random() * count),
}
let unread = Math.floor(Math.random() * count)
const nextUnread = () => unread++ % count

const processor: Record<string, number[]> = {}
const variants: Record<string, () => Promise<number>> = {
  yardstick: () => fireAt('yardstick', yardstick, 'Markdown', () => 0),
}
for (const kind of Object.keys(KINDS)) {
  for (const [set, next] of Object.entries(SETS)) {
    variants[`floor, ${kind}, ${set}`] = () => fireAt(`floor, ${kind}, ${set}`, floor, kind, next)
    for (const [prefix, reader] of [
      ['', 'member'],
      ['visitor, ', 'visitor'],
    ] as const) {
      variants[`${prefix}${kind}, ${set}`] = async () => {
        if (set === POPULAR_SET) await warmUp(reader, kind)
        return fireAt(`${prefix}${kind}, ${set}`, reader, kind, next)
      }
    }
  }
}
await fireCold('first reads', 'JSON')
const cold = await coldRates()
await alternate({ HTML: () => fireAt('', 'member', 'HTML', () => Math.floor(Math.random() * count)) }, 5)
const rates = await alternate(variants, rounds)
for (const kind of Object.keys(KINDS)) {
  for (const set of Object.keys(SETS)) {
    show(`${kind}, ${set}`, rates[`floor, ${kind}, ${set}`] ?? [], rates)
    report(
      { member: rates[`${kind}, ${set}`] ?? [], [`visitor, ${kind}, ${set}`]: rates[`visitor, ${kind}, ${set}`] ?? [] },
      'member',
    )
  }
  show(`${kind}, ${count} pages, cold`, rates[`floor, ${kind}, ${count} pages, warm`] ?? [], cold)
}
report({ floor: rates['floor, Markdown, 1 page'] ?? [], yardstick: rates.yardstick ?? [] }, 'floor')

/** The first reads of all come before the others, which leave pages in the caches. */
async function coldRates(): Promise<Record<string, readonly number[]>> {
  const kinds = Object.keys(KINDS).map((kind) => {
    const name = `${kind}, ${count} pages, cold`
    return [name, () => fireCold(name, kind)] as const
  })
  return alternate(Object.fromEntries(kinds), rounds)
}

function show(name: string, floorRates: readonly number[], all: Readonly<Record<string, readonly number[]>>): void {
  report({ [`floor, ${name}`]: floorRates, [name]: all[name] ?? [] }, `floor, ${name}`)
  print(
    `${''.padEnd(32)} ${median(processor[name] ?? [])
      .toFixed(0)
      .padStart(8)} us of processor time a read`,
  )
}

/** Reads for some seconds; each client has its own list of pages. */
async function fireAt(name: string, reader: Reader, kind: string, next: () => number): Promise<number> {
  const lists = Array.from({ length: CONNECTIONS }, () => Array.from({ length: READS_A_CLIENT }, next))
  return fireLists(name, reader, kind, lists, undefined)
}

/** Popular pages are in the caches: here the reads of all others have replaced them. */
async function warmUp(reader: Reader, kind: string): Promise<void> {
  const each = Math.ceil(POPULAR / CONNECTIONS)
  const lists = Array.from({ length: CONNECTIONS }, (_, client) =>
    Array.from({ length: each }, (_, n) => (client * each + n) % POPULAR),
  )
  await fireLists('', reader, kind, lists, each * CONNECTIONS)
}

async function fireCold(name: string, kind: string): Promise<number> {
  const each = Math.floor(COLD_READS / CONNECTIONS)
  const lists = Array.from({ length: CONNECTIONS }, () => Array.from({ length: each }, nextUnread))
  return fireLists(name, 'member', kind, lists, each * CONNECTIONS)
}

async function fireLists(
  name: string,
  reader: Reader,
  kind: string,
  lists: readonly (readonly number[])[],
  amount: number | undefined,
): Promise<number> {
  const { headers, expect } = KINDS[kind] ?? { headers: {}, expect: 200 }
  const bare = typeof reader === 'string' ? undefined : reader
  const spent = processorTime({ pid: bare?.pid ?? recto.pid, cluster: `${folder.path}/postgres` })
  const address = (n: number) => (bare === undefined ? `/pages/bench/${pathOf(n)}` : `/pages/${ids.get(pathOf(n))}`)
  const { rate, requests } = await fire(
    {
      url: bare?.base ?? recto.url,
      headers: { ...(reader !== 'visitor' && { authorization: `Bearer ${member.key}` }), ...headers },
      expect: bare === yardstick ? 200 : expect,
      lists: lists.map((list) => list.map((n) => ({ path: address(n) }))),
      ...(amount !== undefined && { amount }),
    },
    seconds,
  )
  processor[name] ??= []
  processor[name].push((spent() / requests) * 1_000)
  return rate
}

/** Ten thousand folders and more would be another benchmark: `tree.ts`. */
function pathOf(n: number): string {
  return `folder-${n % 100}/page-${n}`
}

function* samplePages(): Generator<{ path: string; body: string }> {
  const rest = sampleBody(BODY_BYTES).slice('# A page'.length)
  for (let n = 0; n < count; n++) yield { path: pathOf(n), body: `# Page ${n}${rest}` }
}
