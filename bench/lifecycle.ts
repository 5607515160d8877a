/**
 * Moves a subtree with the links to it rewritten, and asks for a page that moves and for one beside it all the while:
 * how long it takes, and how long any reader waits. `node bench/lifecycle.ts [pages] [inbound links]`
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { startBareReads } from './bare-reads.ts'
import { record } from './results.ts'
import { importInto, serve } from './serving.ts'

const PAGES = Number(process.argv[2] ?? 10_000)
const INBOUND = Number(process.argv[3] ?? 50_000)
const LINKS_A_PAGE = 10

await using server = await serve()
const print = (line: string) => process.stdout.write(`${line}\n`)

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(server.base + path, {
    method,
    redirect: 'manual',
    headers: { ...server.headers, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
}

/** Reads some pages in turn. */
function readerOf(paths: readonly string[]): (n: number) => Promise<void> {
  return async (n) => {
    const path = `/pages/bench/${paths[n % paths.length]}`
    const { status, bytes } = await call('GET', path, undefined, { accept: 'text/markdown' })
    if (status !== 200 && status !== 308) throw new Error(bytes.toString())
  }
}

/** Reads until it is stopped, and keeps the longest times. */
function startReader(read: (n: number) => Promise<void>) {
  const times: number[] = []
  let running = true
  const done = (async () => {
    for (let n = 0; running; n++) {
      const began = performance.now()
      await read(n)
      times.push(performance.now() - began)
      await sleep(2)
    }
  })()
  return {
    async stop() {
      running = false
      await done
      times.sort((a, b) => a - b)
      const at = (share: number) =>
        (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(1)
      return {
        longest: times.at(-1) ?? 0,
        text: `${times.length} reads, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`,
      }
    },
  }
}

const tree = Array.from({ length: PAGES - 1 }, (_, n) => `tree/${Math.floor(n / 100)}/p${n}`)
const sources = Array.from({ length: Math.ceil(INBOUND / LINKS_A_PAGE) }, (_, n) => `src/p${n}`)
await importInto(server, 'bench', pages())
print(`${PAGES} pages, ${sources.length} pages with ${sources.length * LINKS_A_PAGE} links to them`)

function* pages() {
  yield { path: 'tree', body: '# Root\n' }
  for (const [n, path] of tree.entries())
    yield { path, body: `# Page ${n}\n\nA page of the tree, with a [sibling](./p${n + 1}).\n` }
  for (const [n, path] of sources.entries()) {
    const links = Array.from({ length: LINKS_A_PAGE }, (_, k) => {
      const target = tree[(n * LINKS_A_PAGE + k) % tree.length]
      return `- [link ${k}](/pages/bench/${target} "Title") and words around it`
    })
    yield { path, body: `# Source ${n}\n\n${links.join('\n')}\n` }
  }
}

const read = readerOf(['tree', tree[0] ?? '', sources[0] ?? ''])
const idle = startReader(read)
await sleep(3_000)
print(`idle: ${(await idle.stop()).text}`)

await leastMove()

const input = { to: { path: 'moved' }, withChildren: true, rewriteLinks: true }
for (const dryRun of [true, false]) {
  const reader = startReader(read)
  const began = performance.now()
  const { status, bytes } = await call('POST', '/pages/bench/tree/move', { ...input, dryRun }, { 'if-match': '*' })
  const seconds = (performance.now() - began) / 1000
  const meanwhile = await reader.stop()
  const text = bytes.toString()
  if (status !== 200) throw new Error(text.slice(0, 500))
  const { moved, rewritten, left } = JSON.parse(text)
  print(
    `${dryRun ? 'dry run' : 'move'}: ${seconds.toFixed(1)} s, ${moved.length} moved, ${rewritten.length} rewritten, ` +
      `${left.length} left`,
  )
  print(`  meanwhile: ${meanwhile.text}`)
  if (!dryRun) record('move', seconds)
  record(dryRun ? 'longest read, dry run' : 'longest read, move', meanwhile.longest, meanwhile.text)
}

/** The bare move, and how long reads of a bare server take meanwhile. */
async function leastMove(): Promise<void> {
  using bare = await startBareReads('least-read', server.data)
  const script = join(import.meta.dirname, 'least-move.ts')
  const child = spawn(process.execPath, [script, server.data], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  await lines.next()
  const reader = startReader(async () => {
    const answer = await fetch(bare.page, { headers: server.headers })
    await answer.arrayBuffer()
    if (answer.status !== 200) throw new Error(`the floor answered ${answer.status}`)
  })
  child.stdin.end('\n')
  const seconds = Number((await lines.next()).value)
  const meanwhile = await reader.stop()
  print(`floor of the move: ${seconds.toFixed(1)} s; meanwhile: ${meanwhile.text}`)
  record('floor, move', seconds)
  record('floor, longest read, move', meanwhile.longest, meanwhile.text)
}
