/** Starts the embedded server in a folder, tells its connection on standard output, and stays until it is killed. */
import { startEmbedded } from '../../src/database/embedded/server.ts'

const log = { info: () => {}, warn: () => {}, error: () => {} }
const server = await startEmbedded({ dataDir: String(process.argv[2]), maxConnections: 10, log })
process.stdout.write(`${JSON.stringify(server.connection)}\n`)
setInterval(() => {}, 1_000)
