import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Coalesces wake-ups (debouncing): however often `wake` is called, one `run` is in progress at a time, one follows if
 * there was a call meanwhile, and two begin at least `intervalMs` apart.
 */
export class WakeLoop {
  readonly #run: () => Promise<void>
  readonly #intervalMs: number
  #requested = false
  #stopped = false
  #loop: Promise<void> | undefined
  #lastRun = Number.NEGATIVE_INFINITY

  constructor(run: () => Promise<void>, intervalMs: number) {
    this.#run = run
    this.#intervalMs = intervalMs
  }

  wake(): void {
    this.#requested = true
    if (!this.#stopped) this.#loop ??= this.#runWhileRequested()
  }

  /** Starts no further run, and waits for the one in progress. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#loop
  }

  async #runWhileRequested(): Promise<void> {
    while (this.#requested && !this.#stopped) {
      const rest = this.#lastRun + this.#intervalMs - performance.now()
      if (rest > 0) {
        // A timer may end a little early: it is read again.
        await sleep(Math.ceil(rest))
        continue
      }
      this.#lastRun = performance.now()
      this.#requested = false
      await this.#run()
    }
    // In the same turn as the check above: no wake-up is lost.
    this.#loop = undefined
  }
}
