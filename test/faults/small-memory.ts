/**
 * Writers of large pages on a service that has little memory, its embedded PostgreSQL included, by hand: `node
 * test/faults/small-memory.ts --seconds 60`, as root, since it makes a control group. `--old-space 256` limits the heap
 * of Node instead of the memory of the group. Ends with 1 when the service died, or answered 503 more often than 2xx.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Load, openLoad, times } from '../support/load.ts'
import { launchProcess } from '../support/process.ts'

const MEGABYTE = 1024 * 1024
const WRITERS = 12
const BODY_BYTES = 800_000
const PAGES_EACH = 5

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    megabytes: { type: 'string', default: '256' },
    'old-space': { type: 'string' },
  },
})
const oldSpace = values['old-space']
const data = mkdtempSync(join(tmpdir(), 'recto-memory-'))
const group = oldSpace === undefined ? createGroup(Number(values.megabytes) * MEGABYTE) : undefined
// The process starts in the group, as in a container: Node reads the limit at its start.
if (group) enter(group)
const { child, ready, ended } = launchProcess({
  data,
  // As the container image and the systemd unit set it.
  env: { MALLOC_ARENA_MAX: '2', SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0', SVC_LOG_LEVEL: 'error' },
  nodeOptions: oldSpace ? [`--max-old-space-size=${oldSpace}`] : [],
})
if (group) enter(join(group, '..'))
try {
  const recto = await ready
  await new Client(recto.url, recto.key).space('memory')
  using load = openLoad(recto.url, recto.key, WRITERS)
  const ends = performance.now() + Number(values.seconds) * 1000
  const seen = (await Promise.all(times(WRITERS, (number) => write(load, number, ends)))).flat()
  const counts = Object.groupBy(seen, ({ outcome }) => outcome)
  for (const [outcome, all = []] of Object.entries(counts)) {
    const slowest = Math.max(...all.map(({ ms }) => ms))
    process.stdout.write(`${outcome}: ${all.length}, ${(slowest / 1000).toFixed(1)} s at most\n`)
  }
  const written = seen.filter(({ outcome }) => outcome === '200' || outcome === '201').length
  const busy = counts['503 with Retry-After']?.length ?? 0
  if (child.exitCode !== null || child.signalCode !== null || written <= busy || written + busy < seen.length)
    process.exitCode = 1
} finally {
  child.kill('SIGTERM')
  await ended
  rmSync(data, { recursive: true, force: true })
  if (group) await until(() => removed(group))
}

/** A control group of version 1 or 2 for the memory of what runs in it. */
function createGroup(bytes: number): string {
  const first = existsSync('/sys/fs/cgroup/memory')
  const path = join(first ? '/sys/fs/cgroup/memory' : '/sys/fs/cgroup', `recto-test-${process.pid}`)
  mkdirSync(path)
  writeFileSync(join(path, first ? 'memory.limit_in_bytes' : 'memory.max'), String(bytes))
  return path
}

/** Moves this process into a group; what it spawns begins there. */
function enter(path: string): void {
  writeFileSync(join(path, 'cgroup.procs'), String(process.pid))
}

/** A group can be removed once the last process in it has ended. */
function removed(path: string): boolean {
  if (readFileSync(join(path, 'cgroup.procs'), 'utf8') !== '') return false
  rmdirSync(path)
  return true
}

/** Writes pages one after the other, and waits as it is told to. */
async function write(load: Load, number: number, ends: number) {
  const seen: { readonly outcome: string; readonly ms: number }[] = []
  for (let turn = 0; performance.now() < ends; turn++) {
    const began = performance.now()
    const headers: Record<string, string> = turn < PAGES_EACH ? {} : { 'if-match': '*' }
    const path = `/pages/memory/${number}-${turn % PAGES_EACH}`
    const answer = await load.send('PUT', path, headers, bodyOf(number, turn)).catch(() => undefined)
    const retryAfter = answer?.headers['retry-after']
    const outcome = `${answer?.status ?? 'no answer'}${retryAfter === undefined ? '' : ' with Retry-After'}`
    seen.push({ outcome, ms: performance.now() - began })
    // A page that was rejected does not exist yet.
    if (answer?.status === 503) turn--
    if (answer?.status !== 200 && answer?.status !== 201) await delay(Number(retryAfter ?? 1) * 1000)
  }
  return seen
}

/** Text with some six thousand links. */
function bodyOf(number: number, turn: number): string {
  const parts: string[] = []
  for (let at = 0, length = 0; length < BODY_BYTES; at++) {
    const part = `## Part ${at * number + turn}\n\nSome *text* with [[link-${at % 50}]], \`code\`, and what fills the rest of its line ${at}.\n\n`
    parts.push(part)
    length += part.length
  }
  return parts.join('').slice(0, BODY_BYTES)
}
