/**
 * Starts the embedded server in a folder, tells its connection in a line of standard output, and stays until it is
 * killed. With `worker`, from a worker thread, whose children no signal of the kernel follows.
 */
import { isMainThread, Worker } from 'node:worker_threads'
import { startEmbedded } from '../../packages/server/src/platform/database/embedded/server.ts'

const [dataDir, where] = process.argv.slice(2)

if (where === 'worker' && isMainThread) {
  new Worker(import.meta.filename, { argv: process.argv.slice(2) })
} else {
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const server = await startEmbedded({ dataDir: String(dataDir), maxConnections: 10, log })
  process.stdout.write(`${JSON.stringify(server.connection)}\n`)
}
setInterval(() => {}, 1_000)
