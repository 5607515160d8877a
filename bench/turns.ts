/**
 * Preloaded into a service (`--import`), measures the longest turn of its event loop in processor time of the main
 * thread, which the load of the machine does not change. Whoever connects to the socket BENCH_TURNS is told the longest
 * turn since the last time.
 */
import { createServer } from 'node:net'
import { isMainThread } from 'node:worker_threads'

const path = process.env.BENCH_TURNS
if (isMainThread && path !== undefined) {
  let longest = 0
  let before = process.threadCpuUsage()
  // A timer fires once in a turn that is longer than its period.
  const look = () => {
    const now = process.threadCpuUsage()
    longest = Math.max(longest, (now.user + now.system - before.user - before.system) / 1_000)
    before = now
  }
  setInterval(look, 1).unref()
  createServer((socket) => {
    look()
    socket.end(`${longest}`)
    longest = 0
  })
    .listen(path)
    .unref()
}
