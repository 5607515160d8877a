import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { processesIn, send } from '../../packages/server/src/platform/database/embedded/processes.ts'
import { until } from './embedded.ts'
import { freePort } from './load-balancer.ts'

const DEBIAN = '/usr/lib/postgresql'
const USER = 'postgres'
const START_MS = 60_000
const PROMOTE_SECONDS = 30
const run = promisify(execFile)

/** One of two PostgreSQL servers; either can be the primary. */
export interface PostgresServer {
  readonly name: string
  readonly port: number
  /** Sends a signal to the postmaster and all of its children. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
  /** Stops as `pg_ctl stop -m fast` does: the standby is sent all of the log. */
  stop(): Promise<void>
  /** Ends the recovery of a standby; returns once it takes writes. */
  promote(): Promise<void>
  /** Kills it where it runs, and makes it a synchronous standby of this primary; returns once it is in step. */
  follow(primary: PostgresServer): Promise<void>
  /** As a primary: has commits wait for a standby from now on, and returns once one is in step. */
  awaitStandby(): Promise<void>
}

/** Two servers with synchronous replication: the first one is the primary. */
export interface ReplicatedPostgres extends AsyncDisposable {
  readonly servers: readonly [PostgresServer, PostgresServer]
}

/** Why no server can be started here; `false` where one can. */
export function missingPostgres(): string | false {
  return existsSync(DEBIAN) ? false : `there is no PostgreSQL in ${DEBIAN}`
}

export async function startReplicatedPostgres(database: string): Promise<ReplicatedPostgres> {
  await using starting = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'recto-replicated-'))
  const account = await accountOf(folder)
  starting.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const first = await createServer('a', folder, account)
  const second = await createServer('b', folder, account)
  for (const server of [first, second]) starting.defer(() => server.end())
  await first.initialise(database)
  await second.follow(first)
  const running = starting.move()
  return { servers: [first, second], [Symbol.asyncDispose]: () => running.disposeAsync() }
}

type Account = { readonly uid?: number; readonly gid?: number }

/** PostgreSQL refuses to run as root. */
async function accountOf(folder: string): Promise<Account> {
  if (process.getuid?.() !== 0) return {}
  const numbers = await Promise.all(
    ['-u', '-g'].map(async (option) => Number((await run('id', [option, USER])).stdout)),
  )
  const [uid = 0, gid = 0] = numbers
  chownSync(folder, uid, gid)
  return { uid, gid }
}

async function createServer(name: string, folder: string, account: Account) {
  const newest =
    readdirSync(DEBIAN)
      .sort((a, b) => Number(a) - Number(b))
      .at(-1) ?? ''
  const program = (name: string) => join(DEBIAN, newest, 'bin', name)
  const data = join(folder, name)
  const port = await freePort()
  let postmaster: ChildProcess | undefined
  // It may have ended by itself: whoever asks for the next event `exit` then waits for ever.
  let ended: Promise<unknown> = Promise.resolve()

  const ask = async (sql: string, database = 'postgres') => {
    const client = new Client({ host: '127.0.0.1', port, user: USER, database, connectionTimeoutMillis: 2_000 })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query(sql)).rows[0] ?? {}
    } finally {
      await client.end().catch(() => {})
    }
  }

  /** Commits wait for the standby, or for nobody. Read again at SIGHUP. */
  function synchronous(on: boolean): void {
    writeFileSync(join(data, 'synchronous.conf'), `synchronous_standby_names = '${on ? '*' : ''}'\n`)
    chmodSync(join(data, 'synchronous.conf'), 0o644)
    postmaster?.kill('SIGHUP')
  }

  async function start(): Promise<void> {
    const log = openSync(join(folder, `${name}.log`), 'a')
    postmaster = spawn(program('postgres'), ['-D', data, '-p', String(port)], {
      cwd: data,
      stdio: ['ignore', log, log],
      ...account,
    })
    ended = once(postmaster, 'exit')
    await until(
      () =>
        ask('select 1').then(
          () => true,
          () => false,
        ),
      START_MS,
    )
  }

  /** Kills every process and waits for the end of all. */
  async function end(): Promise<void> {
    if (!existsSync(data)) return
    await until(() => {
      for (const pid of processesIn(data)) send(pid, 'SIGKILL')
      return processesIn(data).length === 0
    })
    postmaster = undefined
  }

  return {
    name,
    port,
    end,
    signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT') {
      for (const pid of processesIn(data)) send(pid, signal)
    },
    async stop() {
      if (!postmaster) return
      postmaster.kill('SIGINT')
      await ended
      postmaster = undefined
    },
    async promote() {
      const { promoted } = await ask(`select pg_promote(true, ${PROMOTE_SECONDS}) as promoted`)
      if (!promoted) throw new Error(`${name} was not promoted within ${PROMOTE_SECONDS} s`)
      await until(async () => (await ask('select pg_is_in_recovery() as standby')).standby === false, START_MS)
    },
    async initialise(database: string) {
      await run(program('initdb'), ['-D', data, '-U', USER, '--auth=trust', '--no-sync', '-E', 'UTF8'], {
        cwd: '/',
        ...account,
      })
      const settings = [
        "listen_addresses = '127.0.0.1'",
        `unix_socket_directories = ''`,
        'max_connections = 60',
        'wal_keep_size = 256MB',
        // A minute each by default: for so long a stop or a standby waited for a peer that was gone.
        'wal_sender_timeout = 5s',
        'wal_receiver_timeout = 5s',
        'wal_retrieve_retry_interval = 200ms',
        // A kill leaves what the kernel was given; only a loss of power would not.
        'fsync = off',
        "include_if_exists = 'synchronous.conf'",
      ]
      writeFileSync(join(data, 'postgresql.auto.conf'), `${settings.join('\n')}\n`)
      synchronous(false)
      await start()
      await ask(`create database ${database}`)
    },
    async follow(primary: PostgresServer) {
      await end()
      rmSync(data, { recursive: true, force: true, maxRetries: 5 })
      const source = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', USER]
      await run(program('pg_basebackup'), [...source, '-D', data, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'], {
        cwd: '/',
        ...account,
      })
      synchronous(false)
      await start()
      await primary.awaitStandby()
    },
    async awaitStandby() {
      synchronous(true)
      const inStep = "select count(*)::int as n from pg_stat_replication where sync_state = 'sync'"
      await until(async () => (await ask(inStep)).n === 1, START_MS)
    },
  }
}
