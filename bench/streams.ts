/**
 * How long a reader waits for a page while many follow the feed: quiet, with idle streams, and with streams that are
 * sent four changes a second: `node bench/streams.ts [streams] [seconds] [rounds]`. The streams are read by a thread of
 * their own. Before that, the memory beside 300 idle streams.
 */
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { Client } from '../test/support/client.ts'
import { times } from '../test/support/load.ts'
import { startProcess } from '../test/support/process.ts'
import { benchFolder, median, print, residentMegabytes, type Timed, timeReads } from './measure.ts'
import { record } from './results.ts'

/** Half of the streams that the service grants a key, so that the bounds play no part. */
const STREAMS_A_KEY = 10
const WRITES_A_SECOND = 4
const MEMORY_STREAMS = 300
const SETTLE_MS = 1_500
/** The service gives back what its start left behind after an idle second. */
const IDLE_MS = 3_000

if (isMainThread) await measure()
else await holdStreams(workerData)

async function measure(): Promise<void> {
  const [streams = 1_500, seconds = 5, rounds = 3] = process.argv.slice(2).map(Number)
  using folder = benchFolder()
  await using recto = await startProcess({
    data: folder.path,
    env: { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0' },
  })
  const admin = new Client(recto.url, recto.key)
  await admin.space('bench')
  await admin.put('/pages/bench/read', '# A page\n\nSome text.')
  await admin.put('/pages/bench/written', 'start')
  const me = (await admin.get('/me')).json.id
  const keys: string[] = []
  for (let n = 0; n < Math.ceil(Math.max(streams, MEMORY_STREAMS) / STREAMS_A_KEY); n++) {
    const made = await admin.post('/admin/api-keys', { principal: me, name: `k${n}`, scopes: ['read'] })
    keys.push(made.json.secret)
  }
  const results = new Map<string, Timed[]>()
  const note = (name: string, timed: Timed) => results.set(name, [...(results.get(name) ?? []), timed])
  const openStreams = async (count: number) => {
    const worker = new Worker(import.meta.filename, { workerData: { url: recto.url, keys, streams: count } })
    await new Promise((resolve) => worker.once('message', resolve))
    await delay(SETTLE_MS)
    return worker
  }
  await delay(IDLE_MS)
  const idle = residentMegabytes(recto.pid)
  const few = await openStreams(MEMORY_STREAMS)
  const memory = residentMegabytes(recto.pid)
  record(`memory beside ${MEMORY_STREAMS} streams`, memory)
  print(`memory beside ${MEMORY_STREAMS} idle streams: ${memory.toFixed(0)} MB (${idle.toFixed(0)} MB before)`)
  await few.terminate()
  const timed = () => timeReads({ ...recto, data: folder.path, path: '/pages/bench/read.md' }, seconds)
  await timed()
  for (let round = 0; round < rounds; round++) {
    note('quiet', await timed())
    const worker = await openStreams(streams)
    note(`${streams} idle streams`, await timed())
    note(`${streams} streams, written`, await withWriter(admin, timed))
    await worker.terminate()
    await delay(SETTLE_MS)
    note('quiet, written', await withWriter(admin, timed))
  }
  for (const [name, all] of results) {
    const [p50, p95, processor] = (['p50', 'p95', 'processor'] as const).map((key) =>
      median(all.map((one) => one[key])).toFixed(2),
    )
    print(`${name.padEnd(26)} p50 ${p50} ms  p95 ${p95} ms  processor ${processor} ms a second`)
  }
}

async function withWriter(admin: Client, work: () => Promise<Timed>): Promise<Timed> {
  let going = true
  const writing = (async () => {
    for (let n = 0; going; n++) {
      await admin.put('/pages/bench/written', `${n}`, { 'if-match': '*' })
      await delay(1_000 / WRITES_A_SECOND)
    }
  })()
  const result = await work()
  going = false
  await writing
  return result
}

/** Opens streams and reads what comes, until the thread is ended. */
async function holdStreams(of: {
  readonly url: string
  readonly keys: readonly string[]
  readonly streams: number
}): Promise<void> {
  const { hostname, port } = new URL(of.url)
  for (let n = 0; n < of.streams; n += 10) {
    await Promise.all(times(Math.min(10, of.streams - n), (index) => open(n + index)))
  }
  parentPort?.postMessage('open')

  function open(n: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      socket.on('error', reject)
      const key = of.keys[n % of.keys.length]
      socket.write(
        `GET /changes?since=now HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\nAccept: ` +
          `text/event-stream\r\n\r\n`,
      )
      socket.once('data', (head) => {
        if (head.toString().startsWith('HTTP/1.1 200')) resolve()
        else reject(new Error(head.toString().slice(0, 200)))
      })
      socket.on('data', () => {})
    })
  }
}
