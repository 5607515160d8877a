import { AsyncLocalStorage } from 'node:async_hooks'
import { AWAY_BUDGET_MS, isLong } from './limits.ts'

/** What the statements of one request share, wherever they are sent from. */
export class RequestScope {
  /** When the database last answered the request; before that, when it began. */
  #alive = performance.now()
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

  answered(): void {
    this.#alive = performance.now()
  }

  /** Whether nobody waits for the outcome any more. Never of a request that writes. */
  get abandoned(): boolean {
    return this.#left && this.#readsOnly
  }

  /** The client has gone. */
  leave(): void {
    this.#left = true
    if (!this.#readsOnly) return
    for (const task of this.#onLeave) task()
  }

  /** Has `task` done when the client of a request that only reads leaves; call the result when that no longer matters. */
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

/** Runs work that a request causes and others wait for, too: it does not end when the client of the request leaves. */
export function outsideRequests<T>(work: () => T): T {
  return scopes.exit(work)
}

/** The request that the present call is part of; absent in work of the background. */
export function currentRequest(): RequestScope | undefined {
  return scopes.getStore()
}

/** Until when (`performance.now()`) the present call waits for a database that is away. */
export function awayDeadline(): number {
  const since = isLong() ? undefined : currentRequest()?.alive
  return (since ?? performance.now()) + AWAY_BUDGET_MS
}
