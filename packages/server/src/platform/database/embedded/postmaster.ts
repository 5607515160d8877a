import { closeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { giveUpBallast } from './ballast.ts'
import { type Folder, handOver } from './folder.ts'
import { keepAlive, type Launched, launch } from './launch.ts'
import { openLog, readSize, readTail } from './log-file.ts'
import { clearOrphans, saysReady } from './pid-file.ts'
import { endAll, processesIn, type Step, send } from './processes.ts'
import { askServer } from './provision.ts'
import type { Runner } from './runner.ts'
import { type Settings, settings } from './settings.ts'
import { StartError } from './start-error.ts'

/** The parameters of each start of a postmaster. */
export interface Cluster {
  readonly runner: Runner
  readonly folder: Folder
  readonly socketFolder: string
  readonly password: string
  readonly maxConnections: number
  readonly overrides?: Settings | undefined
  /** Whether the start is one of a service, and not one by its supervision while the database is moved. */
  readonly reopens: boolean
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
}

const POLL_MS = 10
/** A start may be silent for this long; a recovery logs its progress every two seconds. */
const SILENCE_MS = 60_000
const STOP: readonly { readonly signal: NodeJS.Signals; readonly waitMs: number }[] = [
  { signal: 'SIGINT', waitMs: 5_000 },
  { signal: 'SIGQUIT', waitMs: 6_000 },
  { signal: 'SIGKILL', waitMs: 3_000 },
]
/** How long stopping a server may take. */
export const MAX_STOP_MS = STOP.reduce((sum, { waitMs }) => sum + waitMs, 0)
const LEFTOVERS: readonly Step[] = [
  { signal: 'SIGQUIT', waitMs: 500 },
  { signal: 'SIGKILL', waitMs: 2_000 },
]

/** What a client gets that connects too early or too late: no reason for anything. */
const TURNED_AWAY = /FATAL: {1,2}the database system is (starting|shutting|not yet|in recovery)/

/** Starts a postmaster on a cluster without other servers; resolves when it has answered a query. */
export async function startPostmaster(cluster: Cluster, signal: AbortSignal): Promise<Launched> {
  const { runner, folder, log } = cluster
  await clearOrphans(folder, log)
  giveUpBallast(folder)
  const logStart = readSize(folder.log)
  const output = openLog(folder.log)
  let postmaster: Launched
  try {
    handOver(folder.log, runner.account)
    postmaster = launch(runner, {
      program: 'postgres',
      args: [
        '-D',
        folder.cluster,
        ...settings(cluster.socketFolder, cluster.maxConnections, {
          overrides: cluster.overrides,
          major: runner.major,
        }),
      ],
      cwd: folder.cluster,
      deathSignal: 'INT',
      stdio: ['ignore', output, output],
    })
  } finally {
    closeSync(output)
  }
  try {
    await untilReady(cluster, postmaster, logStart, signal)
    keepAlive(postmaster, false)
    return postmaster
  } catch (error) {
    await stopPostmaster(cluster, postmaster)
    throw error
  }
}

/** Stops a postmaster and all of its processes: fast, then immediate, then by SIGKILL. Always ends. */
export async function stopPostmaster(cluster: Cluster, postmaster: Launched): Promise<void> {
  const { folder, log } = cluster
  keepAlive(postmaster, true)
  for (const { signal, waitMs } of STOP) {
    if (postmaster.pid === undefined || postmaster.ending() !== undefined) break
    if (signal !== 'SIGINT') log.warn({ signal }, 'PostgreSQL does not stop: escalating')
    send(postmaster.pid, signal)
    await endsWithin(postmaster, waitMs)
  }
  const leftProcesses = await endAll(() => processesIn(folder.cluster), LEFTOVERS)
  if (leftProcesses.length > 0) log.error({ pids: leftProcesses }, 'PostgreSQL processes cannot be ended')
}

/** Why a postmaster ended, for people: how, and its last error in the log since `start`. */
export function whyEnded({ folder }: Cluster, postmaster: Launched, start: number): string {
  const how = postmaster.ending()?.words ?? 'still running'
  const lines = readTail(folder.log, start)
    .split('\n')
    .filter((line) => !TURNED_AWAY.test(line))
  const fatal = lines.findLast((line) => /\b(PANIC|FATAL): /.test(line))?.replace(/^.*?\b(?=PANIC|FATAL)/, '')
  // Errors before it reads its settings have no severity.
  const lastError = fatal ?? lines.filter((line) => !/\b[A-Z]+: /.test(line)).join(' ')
  return lastError === '' ? how : `${how}, ${lastError}`
}

async function untilReady(
  cluster: Cluster,
  postmaster: Launched,
  logStart: number,
  signal: AbortSignal,
): Promise<void> {
  const { folder, socketFolder, password } = cluster
  let writtenBytes = readSize(folder.log)
  let deadline = Date.now() + SILENCE_MS
  let last = 'no answer'
  for (;;) {
    signal.throwIfAborted()
    if (postmaster.ending() !== undefined) {
      const why = whyEnded(cluster, postmaster, logStart)
      throw new StartError(`PostgreSQL ended while starting (${why}). Its log is ${folder.log}.`)
    }
    if (saysReady(folder, postmaster.pid)) {
      const answer = await askServer(socketFolder, password, cluster.reopens)
      if (answer.ready) return
      if (answer.code === '28P01') throw wrongPassword(folder)
      last = answer.message
    }
    const size = readSize(folder.log)
    if (size !== writtenBytes) deadline = Date.now() + SILENCE_MS
    writtenBytes = size
    if (Date.now() > deadline) {
      throw new StartError(`PostgreSQL is not ready and silent for a minute (${last}). Its log is ${folder.log}.`)
    }
    await delay(POLL_MS)
  }
}

function wrongPassword(folder: Folder): StartError {
  return new StartError(
    `The password in ${folder.password} is not that of the database in ${folder.cluster}. ` +
      'Put the right one back, or remove the file: the next start then sets a new one.',
  )
}

async function endsWithin(postmaster: Launched, waitMs: number): Promise<void> {
  const timer = new AbortController()
  await Promise.race([postmaster.ended, delay(waitMs, undefined, { signal: timer.signal }).catch(() => {})])
  timer.abort()
}
