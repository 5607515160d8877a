/** Work that was noted in this process and may not be done yet. Who needs its result wakes the worker and waits for it. */
export class Backlog {
  #noted = 0
  #done = 0
  #wake: () => void = () => {}
  readonly #waiting = new Set<() => void>()

  /** The number of notes so far: to be read before the worker looks for work. */
  get noted(): number {
    return this.#noted
  }

  note(): void {
    this.#noted++
  }

  /** Calls `wake` when somebody waits. */
  onWait(wake: () => void): void {
    this.#wake = wake
  }

  /** All work up to a number of notes is done. */
  finish(noted: number): void {
    this.#done = Math.max(this.#done, noted)
    for (const check of this.#waiting) check()
  }

  /** Resolves once all that is noted now is done, or after a time: then nobody waits for it any more. */
  async wait(limitMs: number): Promise<void> {
    const target = this.#noted
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
