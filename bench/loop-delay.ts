/**
 * How long single requests hold the event loop, and so the requests of others: `node bench/loop-delay.ts [hits]`; see
 * README.
 */
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { assertStatus, Client } from '../test/support/client.ts'
import { startProcess } from '../test/support/process.ts'
import { benchFolder, print } from './measure.ts'

const HITS = Number(process.argv[2] ?? 200)
const ROUNDS = 3
using folder = benchFolder()
const socket = join(folder.path, 'turns')
await using recto = await startProcess({
  data: join(folder.path, 'data'),
  env: { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0', BENCH_TURNS: socket },
  nodeOptions: ['--import', join(import.meta.dirname, 'turns.ts')],
})
const admin = new Client(recto.url, recto.key)
await admin.space('large')

const longestTurn = async () => Number(await text(connect(socket)))

/** Prints the longest turn of the event loop in each of some rounds. */
async function measure(name: string, work: (round: number) => Promise<unknown>): Promise<void> {
  const turns: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await longestTurn()
    await work(round)
    turns.push((await longestTurn()).toFixed(0))
  }
  print(`${name.padEnd(58)} ${turns.join(', ')} ms`)
}

const edit = (path: string, edits: readonly object[]) =>
  admin.patch(`/pages/large/${path}`, { edits }, { 'if-match': '*' })

const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-03-26' }
const batch = (name: string, given: (n: number) => object, length = 20) =>
  admin
    .post(
      '/mcp',
      Array.from({ length }, (_, id) => ({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name, arguments: given(id) },
      })),
      headers,
    )
    .then((answer) => assertStatus(answer, 200))
await measure('an MCP call, the first one first', () => batch('context_whoami', () => ({}), 1))
assertStatus(await admin.put('/pages/large/lines', `# A\n${'\n'.repeat(1_000_000)}end\n`), 201)
await measure('50 plain reads', async () => {
  for (let n = 0; n < 50; n++) await admin.get('/me')
})
await measure('append to a page of a million newlines', () =>
  edit('lines', [{ op: 'append', text: 'more' }]).then((answer) => assertStatus(answer, 200)),
)
const atHeading = Array.from({ length: 10 }, () => ({ op: 'insertAfter', heading: 'A', text: 'more' }))
await measure('ten edits at its heading', () => edit('lines', atHeading).then((answer) => assertStatus(answer, 200)))
await measure('a text that is there a million times', () => edit('lines', [{ op: 'replace', find: '\n', text: '' }]))
await measure('10,000 places', async (round) => {
  const path = `places${round}`
  assertStatus(await admin.put(`/pages/large/${path}`, 'a\n'.repeat(10_000)), 201)
  const swap = { op: 'replace', find: 'a', text: 'b', expectedCount: 10_000 }
  assertStatus(await edit(path, [swap]), 200)
})

assertStatus(await admin.put('/pages/large/meta', 'x'), 201)
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1]))
const patch = (set: object) => admin.patch('/pages/large/meta/metadata', { set })
await measure('a patch of 60,000 keys', () => patch(keys(60_000)).then((answer) => assertStatus(answer, 413)))
await measure('a patch of a value of 60,000 keys', () => patch({ a: keys(60_000) }))
await measure('a patch of a value of 500,000 numbers', () => patch({ a: new Array(500_000).fill(0) }))
await measure('a patch of 1,000 keys', () => patch(keys(1_000)))

const words = Array.from({ length: 2000 }, (_, n) => `word${n}`)
for (let page = 0; page < HITS; page++) {
  let body = '# Haystack\n\n'
  // Much markup would only make the set-up slow: snippets are made of the text.
  for (let n = page; body.length < 900_000; n++) {
    body += `${words[(n * 7919) % 2000]} ${n % 100 === 0 ? '*needle* [a](b)' : 'needle'} `
  }
  assertStatus(await admin.put(`/pages/large/hay${page}`, body), 201)
}
await measure(`a search with ${HITS} hits of 900 kB`, () =>
  admin.get(`/search?q=needle&limit=${Math.min(200, HITS)}`).then((answer) => assertStatus(answer, 200)),
)

await measure('an MCP batch of 20 searches over them', () => batch('context_search', () => ({ query: 'needle' })))
await measure('an MCP batch of 20 pages of 900 kB', () =>
  batch('context_get_page', (n) => ({ space: 'large', path: `hay${n % HITS}` })),
)
