/**
 * Counts the source files that a warm request enters, by the precise coverage of V8: these are what a reader opens to
 * follow it. `npm run request:files` counts them, `npm run request:files -- put` lists those of one request with the
 * functions that it calls.
 */
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { assertStatus, type Client } from '../test/support/client.ts'
import { startLocalService } from '../test/support/local-service.ts'

const PACKAGES = pathToFileURL(join(import.meta.dirname, '../packages/')).href
/** Requests before the first that is measured: they load modules and fill caches. */
const WARM_UP = 5
/** A file counts if each of so many requests enters it: timers and background work enter others now and then. */
const MEASURED = 5

/** The limits of a service with default settings, which test services do not have. */
const LIMITS = { SVC_RATE_LIMIT: '600', SVC_MAX_CONCURRENT_REQUESTS: '32' }
const PAGE = '/pages/docs/notes/monday'
const MCP = { accept: 'application/json, text/event-stream' }
const FILTERS = [{ key: 'status', op: 'eq', value: 'open' }]

/** Requests of one kind, told apart by a number. */
type Send = (client: Client, number: number) => Promise<unknown>

const REQUESTS: Readonly<Record<string, Send>> = {
  html: async (client) => assertStatus(await client.get(PAGE, { accept: 'text/html' }), 200),
  put: async (client, number) => {
    const body = `# Monday\n\nVersion ${number}, after [Sunday](sunday).\n`
    assertStatus(await client.put(PAGE, body, { 'if-match': '*' }), 200)
  },
  patch: async (client, number) =>
    assertStatus(await client.patch(`${PAGE}/metadata`, { set: { status: 'open', number } }), 200),
  query: async (client) =>
    assertStatus(await client.get(`/search/metadata?filters=${encodeURIComponent(JSON.stringify(FILTERS))}`), 200),
  search: async (client) => assertStatus(await client.get('/search?q=monday'), 200),
  mcp: async (client, id) => {
    const params = { name: 'context_get_page', arguments: { space: 'docs', path: 'notes/monday' } }
    const answer = assertStatus(
      await client.post('/mcp', { jsonrpc: '2.0', id, method: 'tools/call', params }, MCP),
      200,
    )
    if (answer.json.result.isError) throw new Error(answer.text)
  },
}

/** The source files of which a function was called since this was last asked, with the names of these functions. */
async function takeCoverage(session: Session): Promise<ReadonlyMap<string, readonly string[]>> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const files = result.filter(({ url }) => url.startsWith(PACKAGES))
  const calls = files.map(({ url, functions }): [string, string[]] => {
    const called = functions.filter(({ ranges: [whole] }) => whole !== undefined && whole.count > 0)
    return [url.slice(PACKAGES.length), called.map(({ functionName }) => functionName || '=>')]
  })
  return new Map(calls.filter(([, functions]) => functions.length > 0))
}

/** The files that each measured request entered, with the functions that the last one called. */
async function measure(session: Session, client: Client, send: Send): Promise<Map<string, readonly string[]>> {
  for (let number = 0; number < WARM_UP; number++) await send(client, number)
  let common: Map<string, readonly string[]> | undefined
  for (let number = WARM_UP; number < WARM_UP + MEASURED; number++) {
    await takeCoverage(session)
    await send(client, number)
    const entered = await takeCoverage(session)
    const before = common
    common = new Map([...entered].filter(([file]) => before?.has(file) ?? true))
  }
  return common ?? new Map()
}

const [only] = process.argv.slice(2)
if (only !== undefined && !Object.hasOwn(REQUESTS, only)) {
  throw new Error(`There is no request ${only}, only ${Object.keys(REQUESTS).join(', ')}.`)
}
await using service = await startLocalService(LIMITS)
const client = service.admin
await client.space('docs')
for (const path of [PAGE, '/pages/docs/notes/sunday']) {
  assertStatus(await client.put(path, '# Sunday\n'), 201)
}
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
for (const [name, send] of Object.entries(REQUESTS)) {
  if (name !== (only ?? name)) continue
  const files = await measure(session, client, send)
  const lines =
    only === undefined
      ? [`${name.padEnd(8)} ${files.size}`]
      : [...files].sort().map(([file, functions]) => `${file}: ${functions.join(' ')}`)
  process.stdout.write(`${lines.join('\n')}\n`)
}
session.disconnect()
