/** A weighted semaphore over bytes, in FIFO order. */
export class ByteSemaphore {
  readonly #total: number
  readonly #waiting = new Set<{ readonly bytes: number; readonly enter: () => void }>()
  #free: number

  constructor(total: number) {
    this.#total = total
    this.#free = total
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Resolves to the release function (idempotent); rejects when `signal` aborts before. */
  acquire(bytes: number, signal: AbortSignal): Promise<() => void> {
    // A request for more than the total is admitted alone.
    const taken = Math.min(bytes, this.#total)
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiter)
        reject(signal.reason)
        this.#admit()
      }
      const waiter = {
        bytes: taken,
        enter: () => {
          signal.removeEventListener('abort', leave)
          resolve(this.#release(taken))
        },
      }
      if (signal.aborted) return reject(signal.reason)
      signal.addEventListener('abort', leave)
      this.#waiting.add(waiter)
      this.#admit()
    })
  }

  #admit(): void {
    for (const waiter of this.#waiting) {
      if (waiter.bytes > this.#free) return
      this.#free -= waiter.bytes
      this.#waiting.delete(waiter)
      waiter.enter()
    }
  }

  #release(bytes: number): () => void {
    let released = false
    return () => {
      if (released) return
      released = true
      this.#free += bytes
      this.#admit()
    }
  }
}
