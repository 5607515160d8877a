import { AsyncLocalStorage } from 'node:async_hooks'

/** How long a request waits for an unavailable database: its response comes within ten seconds. */
export const AWAY_BUDGET_MS = 8_500
/** How long opening a connection may take. */
export const CONNECT_MS = 5_000
/** How long a statement waits for a lock. */
const LOCK_MS = 7_500
/** How long a transaction may idle between its statements, with all of its locks. */
const IDLE_MS = 15_000
/** The server enforces the limits; the client gives up so much later, for a server that does not. */
const GRACE_MS = 5_000
/** A read that waited so long for its connection has a shorter timeout. */
const SHORT_WAIT_MS = 1_000
/** The minimum of it, and of a wait for a lock: a statement that finds its rows by an index takes far less. */
const LEAST_MS = 500

/** How long one statement may take. */
interface TimeLimits {
  readonly readMs: number
  readonly writeMs: number
}

const USUAL: TimeLimits = { readMs: 15_000, writeMs: 30_000 }
const LONG: TimeLimits = { readMs: 600_000, writeMs: 600_000 }

const limits = new AsyncLocalStorage<TimeLimits>()

/** Runs work on many pages, such as an export or a rebuild: its statements may take ten minutes. */
export function withLongStatements<T>(work: () => T): T {
  return limits.run(LONG, work)
}

/** Whether the current work may take long, so that each statement has the full wait for the database. */
export function isLong(): boolean {
  return limits.getStore() !== undefined
}

/** The session settings: the limits of writes, since the client enforces those of reads. */
export const SESSION_OPTIONS = [
  `statement_timeout=${USUAL.writeMs}`,
  `lock_timeout=${LOCK_MS}`,
  `idle_in_transaction_session_timeout=${IDLE_MS}`,
  // A node that vanished must not hold locks, and its statements end.
  'tcp_user_timeout=10000',
  'client_connection_check_interval=2000',
]

/** Further settings of a session for reads only. */
export const READ_OPTIONS = [`statement_timeout=${USUAL.readMs}`]

/** The rest of the timeout of a read whose request waited so long for connections. */
export function readLimit(waitedMs: number): number {
  const own = limits.getStore()
  if (own) return own.readMs
  return waitedMs > SHORT_WAIT_MS ? Math.max(LEAST_MS, AWAY_BUDGET_MS - waitedMs) : USUAL.readMs
}

/** How long the client waits for the result of a statement that may write. */
export function writeLimit(): number {
  return (limits.getStore() ?? USUAL).writeMs + GRACE_MS
}

/** The settings of one transaction if the session's limits do not fit the rest of its budget. */
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

/** The state that all statements of one request share (AsyncLocalStorage). */
export class RequestScope {
  /** The time of the last response of the database, less the waits before it; at first, the start of the request. */
  #alive = performance.now()
  #waitedMs = 0
  /** The end of the last wait that is counted. */
  #waitedUntil = 0
  #streams = false
  /** Whose request it is, once that is known: work that is shared out takes turns between them. */
  principalId: string | undefined
  #left = false
  readonly #onLeave = new Set<() => void>()
  /** Whether the request only reads, so that it can be cancelled without loss. */
  readonly #readsOnly: boolean

  constructor(options: { readonly readsOnly: boolean }) {
    this.#readsOnly = options.readsOnly
  }

  get alive(): number {
    return this.#alive
  }

  /** How long the request has waited for connections, and for its turn to write: all of it shares one budget. */
  get waitedMs(): number {
    // In a long request, such as a stream, older waits do not count.
    return performance.now() - this.#waitedUntil < AWAY_BUDGET_MS ? this.#waitedMs : 0
  }

  answered(): void {
    if (this.#streams) this.#waitedMs = 0
    this.#alive = performance.now() - this.waitedMs
  }

  /** The request takes or sends a stream, which may last for hours: each of its statements has the whole budget. */
  streams(): void {
    this.#streams = true
  }

  /** Counts a wait from `since` until now. Concurrent waits of several statements count once. */
  waited(since: number): void {
    const now = performance.now()
    this.#waitedMs = this.waitedMs + now - Math.max(since, this.#waitedUntil)
    this.#waitedUntil = now
  }

  /** Whether the client of a request that only reads has disconnected; always false for writes. */
  get abandoned(): boolean {
    return this.#left && this.#readsOnly
  }

  /** The client has disconnected. */
  leave(): void {
    this.#left = true
    if (!this.#readsOnly) return
    for (const task of this.#onLeave) task()
  }

  /** Runs `task` when the client of a request that only reads disconnects; the result removes it. */
  onLeave(task: () => void): () => void {
    this.#onLeave.add(task)
    return () => this.#onLeave.delete(task)
  }
}

const scopes = new AsyncLocalStorage<RequestScope>()

/** Runs `work`, and everything that it starts, in the scope of the request. */
export function inRequest<T>(scope: RequestScope, work: () => T): T {
  return scopes.run(scope, work)
}

/** Runs work that several requests share: it continues when the client of this one disconnects. */
export function outsideRequests<T>(work: () => T): T {
  return scopes.exit(work)
}

/** The request of the current call; undefined in background work. */
export function currentRequest(): RequestScope | undefined {
  return scopes.getStore()
}

/** Whose work the current call is; empty for background work. */
export function currentOwner(): string {
  return currentRequest()?.principalId ?? ''
}

/** The deadline (`performance.now()`) of the current call for an unavailable database. */
export function awayDeadline(): number {
  const since = isLong() ? undefined : currentRequest()?.alive
  return (since ?? performance.now()) + AWAY_BUDGET_MS
}
