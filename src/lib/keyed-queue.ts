export interface KeyedQueueOptions {
  /** How many jobs may wait for one key, not counting the one that runs. */
  readonly maxWaiting: number
}

/** Thrown instead of queueing when too many already wait for the key. */
export class QueueFull extends Error {
  readonly key: string

  constructor(key: string) {
    super('Too many wait in the queue')
    this.name = 'QueueFull'
    this.key = key
  }
}

/** Runs one job at a time for each key, first come, first served; jobs of different keys run side by side. */
export class KeyedQueue {
  readonly #maxWaiting: number
  /** A key is here while a job of it runs; the array holds the wake-up calls of those that wait. */
  readonly #lanes = new Map<string, (() => void)[]>()

  constructor(options: KeyedQueueOptions) {
    this.#maxWaiting = options.maxWaiting
  }

  /** How many keys have a job that runs. */
  get size(): number {
    return this.#lanes.size
  }

  /** How many jobs wait for the key, not counting the one that runs. */
  waiting(key: string): number {
    return this.#lanes.get(key)?.length ?? 0
  }

  /** How many jobs wait, whatever their keys. */
  get waitingTotal(): number {
    return [...this.#lanes.values()].reduce((sum, lane) => sum + lane.length, 0)
  }

  /** The outcome of the work, once its turn came. Rejects with QueueFull, without running it, when too many wait. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(key)
    if (lane === undefined) {
      this.#lanes.set(key, [])
    } else {
      if (lane.length >= this.#maxWaiting) throw new QueueFull(key)
      await new Promise<void>((wake) => lane.push(wake))
    }
    try {
      return await work()
    } finally {
      this.#next(key)
    }
  }

  /** The lane stays in the map while it is handed over, so that nobody slips in before the one that was woken. */
  #next(key: string): void {
    const wake = this.#lanes.get(key)?.shift()
    if (wake === undefined) this.#lanes.delete(key)
    else wake()
  }
}
