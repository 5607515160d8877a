/**
 * Processor time of tool calls over MCP compared with the same request over HTTP: `node bench/agent-cost.ts`; see
 * README.
 */
import { join } from 'node:path'
import { Client } from '../test/support/client.ts'
import { startProcess } from '../test/support/process.ts'
import { benchFolder, median, print, processorTime, sampleBody } from './measure.ts'

const ROUNDS = 7
const CALLS = 60
/** Until the code of both is compiled. */
const WARM = 200

using folder = benchFolder()
const data = join(folder.path, 'data')
await using recto = await startProcess({ data, env: { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0' } })
const admin = new Client(recto.url, recto.key)
await admin.space('docs')
const body = sampleBody(6_000)
for (let page = 0; page < 20; page++) await admin.put(`/pages/docs/p${page}`, `${body}\nword${page}\n`)
let edited = 0

/** Each pair: a tool, and the request of the HTTP API that does the same. */
const PAIRS: Readonly<Record<string, readonly [() => Promise<unknown>, () => Promise<unknown>]>> = {
  get_page: [
    () => tool('context_get_page', { space: 'docs', path: 'p1' }),
    () => admin.get('/pages/docs/p1', { accept: 'application/json' }),
  ],
  search: [
    () => tool('context_search', { query: 'paragraph words', limit: 10 }),
    () => admin.get('/search?q=paragraph%20words&limit=10'),
  ],
  edit_page: [
    () => tool('context_edit_page', { space: 'docs', path: 'p2', edits: edits() }),
    () => admin.patch('/pages/docs/p2', { edits: edits() }, { 'if-match': '*' }),
  ],
  update_metadata: [
    () => tool('context_update_metadata', { pages: ['docs/p3'], set: { n: edited++ } }),
    () => admin.patch('/pages/docs/p3/metadata', { set: { n: edited++ } }),
  ],
  list_pages: [() => tool('context_list_pages', { space: 'docs' }), () => admin.get('/spaces/docs/pages')],
}

function edits() {
  return [{ op: 'append', text: `${edited++}` }]
}

async function tool(name: string, args: object): Promise<void> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
  const { status, text } = await admin.post('/mcp', message, { accept: 'application/json, text/event-stream' })
  if (status !== 200 || text.includes('"isError":true')) throw new Error(text.slice(0, 500))
}

async function cost(work: () => Promise<unknown>): Promise<number> {
  const spent = processorTime({ pid: recto.pid, cluster: join(data, 'postgres') })
  for (let call = 0; call < CALLS; call++) await work()
  return spent() / CALLS
}

for (const [name, [overMcp, overHttp]] of Object.entries(PAIRS)) {
  for (let warm = 0; warm < WARM; warm++) await Promise.all([overMcp(), overHttp()])
  const ratios: number[] = []
  const costs: [number, number][] = []
  for (let round = 0; round < ROUNDS; round++) {
    const [mcp, http] = [await cost(overMcp), await cost(overHttp)]
    costs.push([mcp, http])
    ratios.push(mcp / http)
  }
  const of = (index: 0 | 1) => median(costs.map((pair) => pair[index])).toFixed(2)
  const spread = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2)).join(' to ')
  print(`${name.padEnd(16)} MCP ${of(0)} ms, HTTP ${of(1)} ms: ${median(ratios).toFixed(2)} (${spread})`)
}
