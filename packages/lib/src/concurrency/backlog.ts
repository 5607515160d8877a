/** Counts work that was requested and may not be done yet. A caller that needs it wakes the worker and waits. */
export class Backlog {
  #requested = 0
  #done = 0
  #wake: () => void = () => {}
  readonly #waiting = new Set<() => void>()

  /** The number of requests so far: the worker reads it before it looks for work. */
  get requested(): number {
    return this.#requested
  }

  add(): void {
    this.#requested++
  }

  /** Calls `wake` when a caller waits. */
  onWait(wake: () => void): void {
    this.#wake = wake
  }

  /** Reports that all work up to this number of requests is done. */
  finish(requestedCount: number): void {
    this.#done = Math.max(this.#done, requestedCount)
    for (const check of this.#waiting) check()
  }

  /** Resolves once all present work is done, or after a timeout. */
  async wait(limitMs: number): Promise<void> {
    const target = this.#requested
    if (this.#done >= target) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const check = () => {
      if (this.#done >= target) resolve()
    }
    const timer = setTimeout(() => this.finish(target), limitMs)
    this.#waiting.add(check)
    this.#wake()
    await promise
    clearTimeout(timer)
    this.#waiting.delete(check)
  }
}
