/**
 * Relevance of search: `node bench/relevance.ts`. Questions over the corpora of `../shared/data/md`, each with the page
 * that a reader of these corpora expects; the result is how often that page is the first hit, and among the first
 * three.
 */
import { join } from 'node:path'
import pg from 'pg'
import { corpusFiles } from '../test/support/corpora.ts'
import { startService } from '../test/support/service.ts'
import { embeddedConnection, print, processorTime } from './measure.ts'
import { HELD_OUT, type Questions, TUNED } from './relevance-questions.ts'

/** Front matter that some pages get, because the corpora have no tags and no aliases. */
const ADDED: Readonly<Record<string, string>> = {
  'EIPS/eip-1559': 'aliases: [London burn]',
  'EIPS/eip-4844': 'tags: [proto-danksharding, scaling]',
  'appendix/humorust': 'tags: [easteregg]',
  'borrow-check': 'aliases: [借用检查]',
}

await using service = await startService({ SVC_RATE_LIMIT: '0' })
const { admin } = service
for (const slug of ['rustc', 'eips', 'versions']) await admin.space(slug)
const spent = processorTime({ pid: process.pid, cluster: join(service.data, 'postgres') })
let [pages, bytes] = [0, 0]
await put('rustc', corpusFiles('rustc-guide'), '')
await put('eips', corpusFiles('eips'), '')
const versioned = [...corpusFiles('rustc-guide')].filter(([path]) => path.startsWith('mir/'))
for (const version of ['7.3', '7.4', '7.5']) await put('versions', new Map(versioned), `${version}/`)
const made = spent()
await report()

async function put(space: string, files: ReadonlyMap<string, Buffer>, prefix: string): Promise<void> {
  const waiting = [...files]
  const one = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [path, body] = next
      bytes += body.length
      pages++
      const answer = await admin.put(`/pages/${space}/${encodeURI(prefix + path)}`, withAdded(path, body.toString()))
      if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    }
  }
  await Promise.all([one(), one(), one(), one()])
}

function withAdded(path: string, body: string): string {
  const added = ADDED[path]
  if (added === undefined) return body
  return body.startsWith('---\n') ? body.replace('---\n', `---\n${added}\n`) : `---\n${added}\n---\n${body}`
}

async function report(): Promise<void> {
  print(`60 questions that the ranking is tuned to: ${await asked(TUNED)}`)
  print(`40 questions that it is not tuned to: ${await asked(HELD_OUT)}`)
  const client = new pg.Client(embeddedConnection(service.data))
  await client.connect()
  const { rows } = await client.query(`select pg_total_relation_size('page_search') as bytes`)
  await client.end()
  print(
    `a page written takes ${(made / pages).toFixed(1)} ms of processor time with its request, ` +
      `of ${(bytes / pages / 1000).toFixed(1)} kB on average`,
  )
  print(`search index: ${(rows[0].bytes / 1e6).toFixed(1)} MB for ${(bytes / 1e6).toFixed(1)} MB of Markdown`)
}

/** How many of the questions find their page; prints those that do not find it first. */
async function asked(set: Questions): Promise<string> {
  const ranks: number[] = []
  for (const [kind, questions] of Object.entries(set)) {
    for (const [typed, expected] of questions) {
      const [, space, q] = /^(?:(versions):)?(.*)$/.exec(typed) ?? []
      const more = space ? `&space=${space}` : ''
      const answer = await admin.get(`/search?limit=3&q=${encodeURIComponent(q ?? '')}${more}`)
      const paths: string[] = answer.json.items.map((item: { path: string }) => item.path)
      // A copy in the space of versions is as good.
      const rank = paths.findIndex((path) => path === expected || path.endsWith(`/${expected}`))
      ranks.push(rank)
      const place = rank < 0 ? 'not found' : `number ${rank + 1}`
      if (rank !== 0) print(`${kind}: ${q} -> ${expected} is ${place}: ${paths.join(', ')}`)
    }
  }
  const first = ranks.filter((rank) => rank === 0).length
  const firstThree = ranks.filter((rank) => rank >= 0).length
  return `first ${percent(first / ranks.length)}, first three ${percent(firstThree / ranks.length)}`
}

function percent(part: number): string {
  return `${(100 * part).toFixed(0)} %`
}
