import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { keepBallast } from './ballast.ts'
import { findPrograms, locateBinaries } from './binaries.ts'
import { type ClusterState, type Folder, handOver, inspectCluster, prepareFolder } from './folder.ts'
import { clearCutShort, initialise, SUPERUSER } from './initialise.ts'
import { type Launched, launch } from './launch.ts'
import { lockDataFolder, rejectLiveServer } from './lock.ts'
import { boundLog } from './log-file.ts'
import { rejectMoved } from './moved.ts'
import { makePassword, readPassword } from './password.ts'
import { clearOrphans } from './pid-file.ts'
import { type Cluster, startPostmaster } from './postmaster.ts'
import { PRODUCT } from './provision.ts'
import { chooseRunner, type Runner } from './runner.ts'
import type { Settings } from './settings.ts'
import { PORT, prepareSocketFolder, removeSocketFolder } from './socket.ts'
import { OlderDatabaseError, StartError } from './start-error.ts'
import { Supervision } from './supervise.ts'
import { finishUpgrade } from './upgraded.ts'

export interface EmbeddedOptions {
  /** The data folder; the cluster is in its `postgres`. */
  readonly dataDir: string
  /** The pool and the spare ones; those of the superuser are in addition. */
  readonly maxConnections: number
  /** Folders with the programs of PostgreSQL: the first in place of the package's (SVC_POSTGRES_BIN). */
  readonly programs?: readonly string[] | undefined
  /** Instead of Recto's own settings, for the server of a test run. */
  readonly overrides?: Settings
  readonly log: Pick<import('pino').Logger, 'info' | 'warn' | 'error'>
}

/** For `pg`: the host is the folder of the socket. */
export interface ConnectionSettings {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
}

export interface EmbeddedServer extends AsyncDisposable {
  readonly connection: ConnectionSettings
  /** 'up', or why it is down. */
  state(): { readonly up: true } | { readonly up: false; readonly reason: string }
  stop(): Promise<void>
}

const RIVAL = /pre-existing shared memory block|lock file ".*" already exists/
const RIVAL_MS = 30_000

/**
 * Starts the data folder's own PostgreSQL, created at the first start, and restarts it until it is stopped. It recovers
 * from whatever an earlier run left; what a person must solve is a StartError.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  try {
    return await start(options)
  } catch (error) {
    throw isDeniedBySystem(error)
      ? new StartError(`PostgreSQL cannot be started in ${resolve(options.dataDir)}: ${error.message}`, {
          cause: error,
        })
      : error
  }
}

async function start(options: EmbeddedOptions): Promise<EmbeddedServer> {
  await using undo = new AsyncDisposableStack()
  const binaries = locateBinaries(options.programs)
  const folder = prepareFolder(options.dataDir)
  const lock = undo.use(await lockDataFolder(folder))
  await rejectLiveServer(folder, lock.previous)
  await clearCutShort(folder)
  rejectMoved(folder)
  finishUpgrade(folder)
  const state = inspectCluster(folder)
  const runner = await chooseRunner(binaries, folder, state)
  if (state === 'ready') checkMajor(runner, folder)
  await clearOrphans(folder, options.log)
  const password = await settlePassword(runner, folder, state)
  if (state === 'missing') await initialise(runner, folder, password)
  for (const path of [folder.lock, folder.holder, folder.password]) handOver(path, runner.account)
  const socketFolder = await prepareSocketFolder(folder, runner.account)
  undo.defer(() => removeSocketFolder(folder))

  const { maxConnections, overrides, log } = options
  const cluster: Cluster = { runner, folder, socketFolder, password, maxConnections, overrides, reopens: false, log }
  const postmaster = await startFirst({ ...cluster, reopens: true })
  const supervision = new Supervision(cluster, postmaster)
  undo.defer(() => supervision.stop())
  undo.use(boundLog(folder.log))
  undo.use(keepBallast(folder, log))
  log.info({ databasePid: postmaster.pid, folder: folder.cluster }, 'PostgreSQL is up')

  const running = undo.move()
  let stopPromise: Promise<void> | undefined
  const stop = () => {
    stopPromise ??= running.disposeAsync()
    return stopPromise
  }
  return {
    connection: { host: socketFolder, port: PORT, user: PRODUCT, password, database: PRODUCT },
    state: () => supervision.state,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** The same for a command, which reads a database of an older major version as it is, by the programs of that. */
export async function startForReading(options: EmbeddedOptions): Promise<EmbeddedServer> {
  try {
    return await startEmbedded(options)
  } catch (error) {
    if (!(error instanceof OlderDatabaseError)) throw error
    return startEmbedded({ ...options, programs: [findPrograms(error, options.programs)] })
  }
}

/** A full disk, a missing permission: a stack would explain nothing. */
function isDeniedBySystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}

/** The start of a service upgrades an older database, and then starts again. */
function checkMajor(runner: Runner, { cluster }: Folder): void {
  const major = Number(readFileSync(join(cluster, 'PG_VERSION'), 'utf8'))
  if (major < runner.major) throw new OlderDatabaseError(cluster, major, runner.major)
  if (major === runner.major) return
  throw new StartError(
    `The database in ${cluster} is one of PostgreSQL ${major}, and the programs are those of ${runner.major}. ` +
      `Use a newer release of Recto, or name the programs of PostgreSQL ${major} in SVC_POSTGRES_BIN.`,
  )
}

async function settlePassword(runner: Runner, folder: Folder, state: ClusterState): Promise<string> {
  const password = readPassword(folder)
  if (password !== undefined) return password
  return state === 'missing' ? makePassword(folder) : await renewPassword(runner, folder)
}

/** A server whose parent was killed while it started appears only now: such a start is retried, which ends it. */
async function startFirst(cluster: Cluster): Promise<Launched> {
  const deadline = Date.now() + RIVAL_MS
  for (;;) {
    try {
      return await startPostmaster(cluster, new AbortController().signal)
    } catch (error) {
      if (!RIVAL.test((error as Error).message) || Date.now() > deadline) throw error
      await delay(200)
    }
  }
}

/** Sets a new password for a cluster whose password file is lost, in single-user mode, which needs none. */
async function renewPassword(runner: Runner, folder: Folder): Promise<string> {
  const password = makePassword(folder)
  const { child, ended } = launch(runner, {
    program: 'postgres',
    args: ['--single', '-D', folder.cluster, '-c', 'listen_addresses=', 'template1'],
    cwd: folder.cluster,
    deathSignal: 'INT',
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const childOutput = child.stderr === null ? '' : text(child.stderr)
  child.stdout?.resume()
  // One statement per line. The password is base64url, so that it needs no escaping.
  child.stdin?.end([SUPERUSER, PRODUCT].map((role) => `alter role ${role} password '${password}'\n`).join(''))
  const { ok, words } = await ended
  if (!ok) throw new StartError(`PostgreSQL could not set a new password (${words}): ${await childOutput}`)
  return password
}
