import { AsyncLocalStorage } from 'node:async_hooks'
import { AWAY_BUDGET_MS, isLong } from './limits.ts'

/** What all statements of one request share (AsyncLocalStorage). */
export class RequestScope {
  /** When the database last answered the request, less what it had waited by then; before that, when it began. */
  #alive = performance.now()
  #waitedMs = 0
  /** Until when the waits are counted that are known. */
  #waitedUntil = 0
  #left = false
  readonly #onLeave = new Set<() => void>()
  /** Whether the request only reads, so that nothing is lost when it is cut short. */
  readonly #readsOnly: boolean

  constructor(options: { readonly readsOnly: boolean }) {
    this.#readsOnly = options.readsOnly
  }

  get alive(): number {
    return this.#alive
  }

  /** How long the request has waited for connections, and for its turn to write: all that shares one budget. */
  get waitedMs(): number {
    // Of a request that lasts, such as a stream, older waits are over.
    return performance.now() - this.#waitedUntil < AWAY_BUDGET_MS ? this.#waitedMs : 0
  }

  answered(): void {
    this.#alive = performance.now() - this.waitedMs
  }

  /** It waited for one of these from `since` until now. What several of its statements wait at the same time counts once. */
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

/** Runs `work`, and all that it starts, as part of the request. */
export function inRequest<T>(scope: RequestScope, work: () => T): T {
  return scopes.run(scope, work)
}

/** Runs work that several requests share: it continues when the client of this one disconnects. */
export function outsideRequests<T>(work: () => T): T {
  return scopes.exit(work)
}

/** The request that the present call is part of; undefined in background work. */
export function currentRequest(): RequestScope | undefined {
  return scopes.getStore()
}

/** Until when (`performance.now()`) the present call waits for a database that is away. */
export function awayDeadline(): number {
  const since = isLong() ? undefined : currentRequest()?.alive
  return (since ?? performance.now()) + AWAY_BUDGET_MS
}
