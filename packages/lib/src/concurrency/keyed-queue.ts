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
  /** Has a key while a job of it runs; the array holds the resolvers of waiting jobs. */
  readonly #queues = new Map<string, (() => void)[]>()

  constructor(options: KeyedQueueOptions) {
    this.#maxWaiting = options.maxWaiting
  }

  /** The number of keys with a running job. */
  get size(): number {
    return this.#queues.size
  }

  /** Whether a job of the key would run at once. */
  isFree(key: string): boolean {
    return !this.#queues.has(key)
  }

  /** The number of jobs that wait for the key, without the running one. */
  waiting(key: string): number {
    return this.#queues.get(key)?.length ?? 0
  }

  /** The number of waiting jobs of all keys. */
  get waitingTotal(): number {
    return [...this.#queues.values()].reduce((sum, queue) => sum + queue.length, 0)
  }

  /** Runs the work in its turn; rejects with QueueFull, without running it, if too many wait. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(key)
    if (queue === undefined) {
      this.#queues.set(key, [])
    } else {
      if (queue.length >= this.#maxWaiting) throw new QueueFull(key)
      await new Promise<void>((wake) => queue.push(wake))
    }
    try {
      return await work()
    } finally {
      this.#next(key)
    }
  }

  /** The queue stays in the map during the handover, so that no new job runs before the one that was woken. */
  #next(key: string): void {
    const wake = this.#queues.get(key)?.shift()
    if (wake === undefined) this.#queues.delete(key)
    else wake()
  }
}
