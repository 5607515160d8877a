/**
 * First start, later starts, and the memory of an idle Node process: `node bench/start.ts [rounds]`. The floor is the
 * embedded PostgreSQL alone: it is created and started, without a schema and without Recto. The floor of the memory is
 * a process that has loaded the libraries which no implementation in Node can leave out, and nothing else.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { startEmbedded } from '../packages/server/src/platform/database/embedded/server.ts'
import { startProcess } from '../test/support/process.ts'
import { benchFolder, median, print, residentMegabytes } from './measure.ts'
import { record } from './results.ts'

const [rounds = 5] = process.argv.slice(2).map(Number)
const IDLE_MS = 3_000
const silent = { info() {}, warn() {}, error() {} }

const starts: Record<`${'' | 'floor, '}${'first' | 'later'}`, number[]> = {
  first: [],
  later: [],
  'floor, first': [],
  'floor, later': [],
}
const memory: number[] = []
const bareMemory: number[] = []
for (let round = 0; round < rounds; round++) {
  using folder = benchFolder()
  for (const start of ['first', 'later'] as const) {
    const began = performance.now()
    await using recto = await startProcess({ data: folder.path })
    const answer = await fetch(`${recto.url}/me`, { headers: { authorization: `Bearer ${recto.key}` } })
    await answer.arrayBuffer()
    if (answer.status !== 200) throw new Error(`the first answer was ${answer.status}`)
    starts[start].push(performance.now() - began)
    await delay(start === 'later' ? IDLE_MS : 0)
    if (start === 'later') memory.push(residentMegabytes(recto.pid))
  }
  using bare = benchFolder()
  for (const start of ['first', 'later'] as const) {
    const began = performance.now()
    await using _server = await startEmbedded({ dataDir: bare.path, maxConnections: 2, log: silent })
    starts[`floor, ${start}`].push(performance.now() - began)
  }
  bareMemory.push(await memoryOfLibraries())
}
for (const [name, times] of Object.entries(starts)) {
  record(name, median(times), `${Math.round(Math.min(...times))} to ${Math.round(Math.max(...times))}`)
  print(`${name} start: ${median(times).toFixed(0)} ms (${times.map(Math.round).join(' ')})`)
}
for (const [name, sizes] of Object.entries({ idle: memory, 'floor, idle': bareMemory })) {
  record(name, median(sizes), `${Math.round(Math.min(...sizes))} to ${Math.round(Math.max(...sizes))}`)
  print(`${name}, memory of the Node process: ${median(sizes).toFixed(0)} MB (${sizes.map(Math.round).join(' ')})`)
}

/** A web server, a driver of PostgreSQL, a parser of Markdown, a log; idle, after a garbage collection. */
async function memoryOfLibraries(): Promise<number> {
  const script = `
    import fastify from 'fastify'
    await Promise.all(['pg', 'kysely', 'markdown-it', 'pino'].map((name) => import(name)))
    await fastify().listen({ host: '127.0.0.1', port: 0 })
    setTimeout(gc, ${IDLE_MS / 3})
    console.log('ready')`
  const options = ['--max-semi-space-size=16', '--expose-gc', '--input-type=module', '-e', script]
  const child = spawn(process.execPath, options, { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  await delay(IDLE_MS)
  const size = residentMegabytes(child.pid ?? 0)
  child.kill()
  return size
}
