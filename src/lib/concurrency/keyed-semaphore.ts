export interface KeyedSemaphoreOptions {
  /** The limit of one key. */
  readonly perKey: number
  /** The limit of all keys together. */
  readonly total?: number
}

/** A counting semaphore for each key, and one for all of them, without waiting. */
export class KeyedSemaphore {
  readonly #perKey: number
  readonly #total: number
  readonly #held = new Map<string, number>()
  #all = 0

  constructor({ perKey, total = Number.POSITIVE_INFINITY }: KeyedSemaphoreOptions) {
    this.#perKey = perKey
    this.#total = total
  }

  /** The number of permits in use. */
  get held(): number {
    return this.#all
  }

  /** Acquires one and returns its release function (idempotent), or which limit is reached. */
  tryAcquire(key: string): (() => void) | 'key' | 'total' {
    const held = this.#held.get(key) ?? 0
    if (held >= this.#perKey) return 'key'
    if (this.#all >= this.#total) return 'total'
    this.#held.set(key, held + 1)
    this.#all += 1
    let released = false
    return () => {
      if (released) return
      released = true
      this.#release(key)
    }
  }

  #release(key: string): void {
    const held = (this.#held.get(key) ?? 1) - 1
    if (held === 0) this.#held.delete(key)
    else this.#held.set(key, held)
    this.#all -= 1
  }
}
