export interface FairQueueOptions {
  /** How many run at once, in all. */
  readonly total?: number
  /** How many of one key run at once. */
  readonly perKey: number
}

/** Bulkheads (Nygard, Release It!): a queue and a concurrency limit for each key, served round-robin. */
export class FairQueue<T> {
  readonly #total: number
  readonly #perKey: number
  /** Keys with waiting items, in the order in which they are served (a Map keeps the order of insertion). */
  readonly #queues = new Map<string, T[]>()
  readonly #runningByKey = new Map<string, number>()
  #running = 0
  #queued = 0

  constructor({ total = Number.POSITIVE_INFINITY, perKey }: FairQueueOptions) {
    this.#total = total
    this.#perKey = perKey
  }

  get running(): number {
    return this.#running
  }

  get queued(): number {
    return this.#queued
  }

  countRunning(key: string): number {
    return this.#runningByKey.get(key) ?? 0
  }

  countQueued(key: string): number {
    return this.#queues.get(key)?.length ?? 0
  }

  add(key: string, item: T): void {
    const queue = this.#queues.get(key)
    if (queue) queue.push(item)
    else this.#queues.set(key, [item])
    this.#queued += 1
  }

  /** Counts one of the key as running without waiting; or which limit is reached. */
  tryStart(key: string): 'started' | 'key' | 'total' {
    if (this.countRunning(key) >= this.#perKey || this.#queues.has(key)) return 'key'
    if (this.#running >= this.#total) return 'total'
    this.#start(key)
    return 'started'
  }

  /** Takes the next item that may run now, and counts it as running. */
  startNext(): T | undefined {
    if (this.#running >= this.#total || this.#queued === 0) return undefined
    for (const [key, queue] of this.#queues) {
      if (this.countRunning(key) >= this.#perKey) continue
      const item = queue.shift()
      this.#queued -= 1
      this.#queues.delete(key)
      if (queue.length > 0) this.#queues.set(key, queue)
      this.#start(key)
      return item
    }
    return undefined
  }

  /** One of the key has ended. */
  finish(key: string): void {
    const running = this.countRunning(key) - 1
    if (running > 0) this.#runningByKey.set(key, running)
    else this.#runningByKey.delete(key)
    this.#running -= 1
  }

  remove(key: string, item: T): void {
    const queue = this.#queues.get(key)
    const index = queue?.indexOf(item) ?? -1
    if (!queue || index === -1) return
    queue.splice(index, 1)
    this.#queued -= 1
    if (queue.length === 0) this.#queues.delete(key)
  }

  /** Removes and returns what waits for a key, or without one for all. */
  drain(key?: string): T[] {
    const keys = key === undefined ? [...this.#queues.keys()] : [key]
    const drainedItems = keys.flatMap((each) => this.#queues.get(each) ?? [])
    for (const each of keys) this.#queues.delete(each)
    this.#queued -= drainedItems.length
    return drainedItems
  }

  #start(key: string): void {
    this.#runningByKey.set(key, this.countRunning(key) + 1)
    this.#running += 1
  }
}

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
