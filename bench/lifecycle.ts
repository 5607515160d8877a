/**
 * Moves a subtree with the links to it rewritten, and asks for a page that moves and for one beside it all the while: how
 * long it takes, and how long any reader waits. `node bench/lifecycle.ts [pages] [inbound links]`
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { createApp } from '../src/app.ts'
import { loadConfig } from '../src/config.ts'
import { benchFolder } from './measure.ts'

const PAGES = Number(process.argv[2] ?? 10_000)
const INBOUND = Number(process.argv[3] ?? 50_000)
const LINKS_A_PAGE = 10
const WRITERS = 8

using folder = benchFolder()
const config = loadConfig({
  SVC_DATA: folder.path,
  SVC_PORT: '0',
  SVC_LOG_LEVEL: 'warn',
  SVC_RATE_LIMIT: '0',
})
await using app = await createApp(config, pino({ level: 'warn' }))
const authorization = `Bearer ${app.adminKey}`

const print = (line: string) => process.stdout.write(`${line}\n`)

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const type = typeof body === 'string' ? 'text/markdown' : 'application/json'
  const response = await fetch(app.address + path, {
    method,
    redirect: 'manual',
    headers: { authorization, ...(body !== undefined && { 'content-type': type }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: response.status, text: await response.text() }
}

async function write(paths: readonly string[], body: (index: number) => string): Promise<void> {
  let next = 0
  const work = async () => {
    for (let index = next++; index < paths.length; index = next++) {
      const { status, text } = await call('PUT', paths[index] ?? '', body(index))
      if (status !== 201) throw new Error(text)
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, work))
}

/** Reads in turn until it is stopped, and keeps the longest times. */
function startReader(paths: readonly string[]) {
  const times: number[] = []
  let running = true
  const done = (async () => {
    for (let n = 0; running; n++) {
      const began = performance.now()
      const { status, text } = await call('GET', `${paths[n % paths.length]}`, undefined, {
        accept: 'text/markdown',
      })
      if (status !== 200 && status !== 308) throw new Error(text)
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
      return `${times.length} reads, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`
    },
  }
}

await call('POST', '/spaces', { slug: 'bench' })
const tree = Array.from({ length: PAGES - 1 }, (_, n) => `/pages/bench/tree/${Math.floor(n / 100)}/p${n}`)
await write(['/pages/bench/tree'], () => '# Root\n')
await write(tree, (n) => `# Page ${n}\n\nA page of the tree, with a [sibling](./p${n + 1}).\n`)
const sources = Array.from({ length: Math.ceil(INBOUND / LINKS_A_PAGE) }, (_, n) => `/pages/bench/src/p${n}`)
await write(sources, (n) => {
  const links = Array.from({ length: LINKS_A_PAGE }, (_, k) => {
    const target = tree[(n * LINKS_A_PAGE + k) % tree.length]
    return `- [link ${k}](${target} "Title") and words around it`
  })
  return `# Source ${n}\n\n${links.join('\n')}\n`
})
print(`${PAGES} pages, ${sources.length} pages with ${sources.length * LINKS_A_PAGE} links to them`)

const read = ['/pages/bench/tree', tree[0] ?? '', sources[0] ?? '']
const idle = startReader(read)
await sleep(3_000)
print(`idle: ${await idle.stop()}`)

const input = { to: { path: 'moved' }, withChildren: true, rewriteLinks: true }
for (const dryRun of [true, false]) {
  const reader = startReader(read)
  const began = performance.now()
  const { status, text } = await call(
    'POST',
    '/pages/bench/tree/move',
    { ...input, dryRun },
    { 'if-match': '*' },
  )
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  if (status !== 200) throw new Error(text.slice(0, 500))
  const { moved, rewritten, left } = JSON.parse(text)
  print(
    `${dryRun ? 'dry run' : 'move'}: ${seconds} s, ${moved.length} moved, ${rewritten.length} rewritten, ${left.length} left`,
  )
  print(`  meanwhile: ${await reader.stop()}`)
}
