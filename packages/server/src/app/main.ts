#!/usr/bin/env node
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { CommandCall, Terminal } from '@recto/cli/command.ts'
import { endAtClosedPipe, processTerminal, reportInternalError } from '@recto/cli/process.ts'
import { collectGarbage } from '@recto/lib/garbage.ts'
import { writeSecretFile } from '@recto/lib/secret-file.ts'
import type { Logger } from 'pino'
import { type Config, ConfigError, describeUnknownVariables, loadConfig } from '../platform/config.ts'
import { StartError } from '../platform/database/embedded/start-error.ts'
import { checkPort } from '../platform/http/listen.ts'
import type { App } from './app.ts'
import { HIDDEN_IN_LOGS } from './log.ts'

/** sysexits.h; the others are those of the command line. */
const EXIT = { unavailable: 69, config: 78 } as const

const MAX_UNWRITTEN_BYTES = 1024 * 1024

/** The service continues without its log, such as on a full disk or a closed pipe. */
let serving = false

/** The delay after a start, when no request is expected. */
const SETTLED_MS = 1_000
/** The process is idle if it uses less than this share of a second. */
const IDLE_SHARE = 0.02

/** The service does not load the modules of the command line. */
async function run(words: readonly string[]): Promise<number> {
  if (words.length === 1 && words[0] === 'serve') return serve()
  const { runLine } = await import('@recto/cli/recto.ts')
  return runLine(words, processTerminal(), {
    serve,
    backup: async (call) => (await importCommands(call)).backupCommand(call),
    'check-database': async (call) => {
      warnOfUnknownVariables(call.terminal)
      return (await import('./check/check-command.ts')).checkCommand(call)
    },
    'backup restore': async (call) => (await importCommands(call)).restoreCommand(call),
    'migrate-database': async (call) => (await importCommands(call)).migrateDatabaseCommand(call),
  })
}

async function importCommands({ terminal }: CommandCall) {
  warnOfUnknownVariables(terminal)
  return import('./backup-command.ts')
}

/** A setting of a newer release may name another database than the one that is meant. */
function warnOfUnknownVariables({ env, err }: Terminal): void {
  for (const sentence of describeUnknownVariables(env)) err(`recto: ${sentence}\n`)
}

async function serve(): Promise<number> {
  const config = loadConfig(process.env)
  await checkPort(config, 'SVC_HOST or SVC_PORT')
  if (config.metricsAt) await checkPort(config.metricsAt, 'SVC_METRICS_HOST or SVC_METRICS_PORT')
  const [{ default: pino }, { startOwnServer }] = await Promise.all([import('pino'), import('./app-embedded.ts')])
  serving = true
  // Lines that cannot be written are kept for the next attempt, up to this much; then the newest are dropped.
  const destination = pino.destination({ dest: process.stdout.fd, sync: true, maxLength: MAX_UNWRITTEN_BYTES })
  destination.on('error', () => {})
  const log = pino({ level: config.logLevel, ...HIDDEN_IN_LOGS }, destination)
  for (const sentence of describeUnknownVariables(process.env)) log.warn(sentence)
  let droppedCount = 0
  destination.on('drop', () => droppedCount++)
  destination.on('drain', () => {
    if (droppedCount === 0) return
    const lines = droppedCount
    droppedCount = 0
    log.warn({ lines }, 'log lines were dropped: standard output could not be written')
  })
  // PostgreSQL starts while the modules of the service are loaded.
  const [ownServer, { createApp }] = await Promise.all([startOwnServer(config, log), import('./app.ts')])
  const app = await createApp(config, log, {}, ownServer)
  announce(app, config, log)
  setTimeout(settle, SETTLED_MS).unref()
  const signal = await stopSignal()
  log.info({ signal, drainMs: config.drainMs }, 'stopping')
  app.drain()
  if (config.drainMs > 0) await Promise.race([delay(config.drainMs, undefined, { ref: false }), stopSignal()])
  await app[Symbol.asyncDispose]()
  return 0
}

/**
 * Writes the compile cache for the next start, because a process may end without notice. Loading takes several times
 * the memory that remains in use, and V8 keeps it unless it is asked.
 */
async function settle(): Promise<void> {
  flushCompileCache()
  await idleSecond()
  collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** Resolves after a second without work: the collection would hold a request for a tenth of a second. */
async function idleSecond(): Promise<void> {
  for (;;) {
    const before = performance.eventLoopUtilization()
    await delay(1_000, undefined, { ref: false })
    if (performance.eventLoopUtilization(before).utilization < IDLE_SHARE) return
  }
}

/** Says where it serves, whatever the log level; what the first start made goes to a terminal or to files. */
function announce({ address, adminKey, setupUrl }: App, config: Config, log: Logger): void {
  const serves = `Recto serves on ${config.publicUrl ?? address}`
  const keyFile = join(config.data, 'admin-api-key')
  if (!process.stdout.isTTY) {
    const always = log.child({}, { level: 'info' })
    // The files come first: whoever waits for the line about the address finds them.
    if (setupUrl !== undefined) announceFiles(always, { setupUrl, keyFile, data: config.data })
    always.info(serves)
    return
  }
  const lines = [serves]
  if (setupUrl !== undefined) lines.push(`Set up your account, within 7 days and before the key is used: ${setupUrl}`)
  if (adminKey !== undefined) lines.push(`First admin key: ${adminKey}`, `(also in ${keyFile}; it is not shown again)`)
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** Logs are read by others than the first admin. */
function announceFiles(
  log: Logger,
  { setupUrl, keyFile, data }: { readonly setupUrl: string; readonly keyFile: string; readonly data: string },
): void {
  const linkFile = join(data, 'setup-link')
  try {
    writeSecretFile(linkFile, setupUrl)
  } catch (error) {
    log.error({ err: error, keyFile }, 'the link of the first start could not be written: use the first admin key')
    return
  }
  log.info(
    { linkFile, keyFile },
    'first start: the files hold a link that sets up your account, and the first admin key',
  )
}

/** The next signal to stop. Once more while the service drains: it stops at once. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve)
  })
}

endAtClosedPipe(() => serving)

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  if (error instanceof ConfigError || error instanceof StartError) {
    process.stderr.write(`recto: ${error.message}\n`)
    process.exitCode = error instanceof ConfigError ? EXIT.config : EXIT.unavailable
  } else reportInternalError(error)
}
