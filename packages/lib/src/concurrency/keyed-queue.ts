import { FairQueue } from './fair-queue.ts'

export interface KeyedQueueOptions {
  /** The maximum of jobs that wait for one key, without the running one. */
  readonly maxWaiting: number
}

/** Thrown when the queue of the key is full. */
export class QueueFull extends Error {
  readonly key: string

  constructor(key: string) {
    super('The queue is full')
    this.name = 'QueueFull'
    this.key = key
  }
}

/** A mutex for each key, in FIFO order; jobs of different keys run concurrently. */
export class KeyedQueue {
  readonly #maxWaiting: number
  /** The items wake waiting jobs. */
  readonly #queue = new FairQueue<() => void>({ perKey: 1 })

  constructor(options: KeyedQueueOptions) {
    this.#maxWaiting = options.maxWaiting
  }

  /** The number of keys with a running job. */
  get size(): number {
    return this.#queue.running
  }

  /** Whether a job of the key would run at once. */
  isFree(key: string): boolean {
    return this.#queue.countRunning(key) === 0
  }

  /** The number of jobs that wait for the key, without the running one. */
  waiting(key: string): number {
    return this.#queue.countQueued(key)
  }

  /** The number of waiting jobs of all keys. */
  get waitingTotal(): number {
    return this.#queue.queued
  }

  /** Runs the work in its turn; rejects with QueueFull, without running it, if too many wait. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.#queue.tryStart(key) !== 'started') {
      if (this.waiting(key) >= this.#maxWaiting) throw new QueueFull(key)
      await new Promise<void>((wake) => this.#queue.add(key, wake))
    }
    try {
      return await work()
    } finally {
      this.#queue.finish(key)
      // The next one of the key counts as running from here on, so that no new job runs before it.
      this.#queue.startNext()?.()
    }
  }
}
