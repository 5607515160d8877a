import { AsyncLocalStorage } from 'node:async_hooks'
import { AWAY_BUDGET_MS, isLong } from '../limits.ts'

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
