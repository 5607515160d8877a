import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { processesIn, send } from '../../packages/server/src/platform/database/embedded/processes.ts'
import {
  type ConnectionSettings,
  type EmbeddedServer,
  startEmbedded,
} from '../../packages/server/src/platform/database/embedded/server.ts'

const CHILD = join(import.meta.dirname, 'embedded-child.ts')
const log = { info: () => {}, warn: () => {}, error: () => {} }

/** A data folder of its own for a test; at the end nothing of it is left, processes included. */
export interface DataFolder extends AsyncDisposable {
  readonly path: string
  readonly cluster: string
  readonly pidFile: string
  /** The PostgreSQL processes that work in its cluster. */
  processes(): readonly number[]
  /** The number in postmaster.pid. */
  postmaster(): number
  start(): Promise<EmbeddedServer>
  /** Starts the server in a process of its own, to be killed. */
  startChild(where?: 'worker', uid?: number): ServingChild
}

export interface ServingChild {
  readonly process: ChildProcess
  readonly connection: Promise<ConnectionSettings>
  /** Ends it without a chance to clean up. */
  kill(): Promise<void>
}

export function dataFolder(path = mkdtempSync(join(tmpdir(), 'recto-test-'))): DataFolder {
  const cluster = join(path, 'postgres')
  const pidFile = join(cluster, 'postmaster.pid')
  const children: ServingChild[] = []
  return {
    path,
    cluster,
    pidFile,
    processes: () => processesIn(cluster),
    postmaster: () => Number(readFileSync(pidFile, 'utf8').split('\n')[0]),
    start: () => startEmbedded({ dataDir: path, maxConnections: 24, log }),
    startChild(where, uid) {
      const child = spawnChild(path, where, uid)
      children.push(child)
      return child
    },
    async [Symbol.asyncDispose]() {
      for (const child of children) await child.kill()
      for (const pid of processesIn(cluster)) send(pid, 'SIGKILL')
      await until(() => processesIn(cluster).length === 0)
      rmSync(path, { recursive: true, force: true, maxRetries: 3 })
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

/** Opens a connection that runs a statement without end; returns the number of its backend. */
export async function occupy(connection: ConnectionSettings, sql: string): Promise<number> {
  const client = new Client({ ...connection, ssl: false })
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  client.query(sql).catch(() => {})
  const pid = rows[0]?.pid
  if (pid === undefined) throw new Error('no backend')
  await until(async () => {
    const [state] = await ask(connection, `select state from pg_stat_activity where pid = ${pid}`)
    return state === 'active'
  })
  return pid
}

/** Waits for a condition; fails when it has not come true in time. */
export async function until(condition: () => boolean | Promise<boolean>, limitMs = 10_000): Promise<void> {
  const deadline = Date.now() + limitMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not true within ${limitMs} ms: ${condition}`)
    await delay(10)
  }
}

/** Whether a process runs: a zombie, which only waits for its parent, does not. */
export function runs(pid: number): boolean {
  const status = `/proc/${pid}/status`
  try {
    return existsSync(status) && !/^State:\s+Z/m.test(readFileSync(status, 'utf8'))
  } catch {
    return false
  }
}

function spawnChild(path: string, where: 'worker' | undefined, uid: number | undefined): ServingChild {
  const args = where === undefined ? [CHILD, path] : [CHILD, path, where]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: '/',
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  const exited = once(child, 'exit')
  const errors = text(child.stderr)
  const line = once(createInterface(child.stdout), 'line').then(
    ([line]) => JSON.parse(String(line)) as ConnectionSettings,
  )
  const end = exited.then(async () => {
    throw new Error(`the serving process ended: ${await errors}`)
  })
  const connection = Promise.race([line, end])
  // A test may kill it at any time, before or after it has told its connection.
  for (const promise of [connection, line, end]) promise.catch(() => {})
  return {
    process: child,
    connection,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
