import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { processesIn } from '../../src/database/embedded/processes.ts'
import {
  type ConnectionSettings,
  type EmbeddedServer,
  startEmbedded,
} from '../../src/database/embedded/server.ts'

export interface DataFolder extends AsyncDisposable {
  readonly path: string
  readonly cluster: string
  /** The PostgreSQL processes that work in its cluster. */
  processes(): readonly number[]
  /** The number in postmaster.pid. */
  postmaster(): number
  start(): Promise<EmbeddedServer>
}

const log = { info: () => {}, warn: () => {}, error: () => {} }

/** A data folder of its own for a test; at the end nothing of it is left, processes included. */
export function dataFolder(path = mkdtempSync(join(tmpdir(), 'recto-test-'))): DataFolder {
  const cluster = join(path, 'postgres')
  return {
    path,
    cluster,
    processes: () => processesIn(cluster),
    postmaster: () => Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]),
    start: () => startEmbedded({ dataDir: path, maxConnections: 10, log }),
    async [Symbol.asyncDispose]() {
      for (const pid of processesIn(cluster)) process.kill(pid, 'SIGKILL')
      await until(() => processesIn(cluster).length === 0)
      rmSync(path, { recursive: true, force: true })
    },
  }
}

/** Runs one statement over a connection of its own and returns the first column. */
export async function ask(connection: ConnectionSettings, sql: string): Promise<unknown[]> {
  const client = new Client({ ...connection, ssl: false })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' })
    return rows.map((row) => row[0])
  } finally {
    await client.end().catch(() => {})
  }
}

/** Waits for a condition; fails when it has not come true in time. */
export async function until(condition: () => boolean | Promise<boolean>, limitMs = 10_000): Promise<void> {
  const deadline = Date.now() + limitMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not true within ${limitMs} ms: ${condition}`)
    await delay(10)
  }
}
