import { AsyncLocalStorage } from 'node:async_hooks'

/** How long a request waits for a database that is away: it is answered within ten seconds. */
export const AWAY_BUDGET_MS = 8_500
/** How long opening a connection may take. */
export const CONNECT_MS = 5_000
/** How long a statement waits for a lock of somebody else. */
const LOCK_MS = 7_500
/** How long a transaction may rest between its statements, with all that it has locked. */
const IDLE_MS = 15_000
/** The server keeps the limits by itself; the client gives up so much later, on a server that does not. */
const GRACE_MS = 5_000
/** A read that waited so long for its connection has less time left for itself. */
const SHORT_WAIT_MS = 1_000
/** What is left for it, and for a wait for a lock, at least: a statement that finds its rows by an index takes far less. */
const LEAST_MS = 500

/** How long one statement may take. */
interface TimeLimits {
  readonly readMs: number
  readonly writeMs: number
}

const USUAL: TimeLimits = { readMs: 15_000, writeMs: 30_000 }
const LONG: TimeLimits = { readMs: 600_000, writeMs: 600_000 }

const limits = new AsyncLocalStorage<TimeLimits>()

/** Runs work on many pages at once, as an export or a rebuild: its statements may take ten minutes. */
export function withLongStatements<T>(work: () => T): T {
  return limits.run(LONG, work)
}

/** Whether the present work may take long, and so begins its wait for the database anew each time. */
export function isLong(): boolean {
  return limits.getStore() !== undefined
}

/** What a session is opened with: the limits of writes, since reads have their own from the client. */
export const SESSION_OPTIONS = [
  `statement_timeout=${USUAL.writeMs}`,
  `lock_timeout=${LOCK_MS}`,
  `idle_in_transaction_session_timeout=${IDLE_MS}`,
  // A node that vanished holds no locks, and its statements end.
  'tcp_user_timeout=10000',
  'client_connection_check_interval=2000',
]

/** What a session for reads alone is opened with, after the others. */
export const READ_OPTIONS = [`statement_timeout=${USUAL.readMs}`]

/** The time that is left for a read whose request waited so long for connections. */
export function readLimit(waitedMs: number): number {
  const own = limits.getStore()
  if (own) return own.readMs
  return waitedMs > SHORT_WAIT_MS ? Math.max(LEAST_MS, AWAY_BUDGET_MS - waitedMs) : USUAL.readMs
}

/** How long the client waits for the answer to a statement that may write. */
export function writeLimit(): number {
  return (limits.getStore() ?? USUAL).writeMs + GRACE_MS
}

/** What a transaction sets for itself where the session's limits do not fit, when so much is left of its budget. */
export function transactionSettings(leftMs: number): string[] {
  const settings = []
  const own = limits.getStore()
  if (own) {
    settings.push(`set local statement_timeout = ${own.writeMs}`)
    settings.push(`set local idle_in_transaction_session_timeout = ${own.writeMs}`)
  } else if (leftMs < LOCK_MS) {
    settings.push(`set local lock_timeout = ${Math.max(Math.ceil(leftMs), LEAST_MS)}`)
  }
  return settings
}
