import { FairQueue, type FairQueueOptions } from './fair-queue.ts'

/** A counting semaphore for each key, and one for all of them. Who waits is admitted in turn with other keys. */
export class KeyedSemaphore {
  readonly #queue: FairQueue<() => void>

  constructor(options: FairQueueOptions) {
    this.#queue = new FairQueue(options)
  }

  /** The number of permits in use. */
  get held(): number {
    return this.#queue.running
  }

  /** How many wait, of all keys. */
  get waiting(): number {
    return this.#queue.queued
  }

  countWaiting(key: string): number {
    return this.#queue.countQueued(key)
  }

  /** Acquires one and returns its release function (idempotent), or which limit is reached. */
  tryAcquire(key: string): (() => void) | 'key' | 'total' {
    const result = this.#queue.tryStart(key)
    return result === 'started' ? this.#release(key) : result
  }

  /** Waits for one; rejects when `signal` aborts before. */
  acquire(key: string, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve(this.#release(key))
      }
      const leave = () => {
        this.#queue.remove(key, enter)
        reject(signal.reason)
      }
      signal.addEventListener('abort', leave)
      this.#queue.add(key, enter)
      this.#admit()
    })
  }

  #admit(): void {
    for (let enter = this.#queue.startNext(); enter; enter = this.#queue.startNext()) enter()
  }

  #release(key: string): () => void {
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#queue.finish(key)
      this.#admit()
    }
  }
}
