import { AsyncLocalStorage } from 'node:async_hooks'

export interface GroupCommitOptions<T, R> {
  /** Commits a group of items together; its result is that of each of them. */
  readonly commit: (items: readonly T[]) => Promise<R>
  /** The maximum of items in a group. */
  readonly maxItems: number
  /** After this time the next group no longer waits for those that are being committed. */
  readonly maxWaitMs: number
}

interface Waiting<T, R> {
  readonly item: T
  readonly settled: PromiseWithResolvers<R>
  /** Runs a group in the asynchronous context of the item. */
  readonly inContext: <V>(work: () => V) => V
}

/**
 * Group commit: items that arrive at once, or while a group is being committed, are committed together. One that
 * arrives alone does not wait. A group runs in the asynchronous context (AsyncLocalStorage) of its first item.
 */
export class GroupCommit<T, R> {
  readonly #options: GroupCommitOptions<T, R>
  #waiting: Waiting<T, R>[] = []
  #running = 0
  #isScheduled = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: GroupCommitOptions<T, R>) {
    this.#options = options
  }

  /** The result of the group in which the item was committed; rejects with its error. */
  add(item: T): Promise<R> {
    const resolvers = Promise.withResolvers<R>()
    this.#waiting.push({ item, settled: resolvers, inContext: AsyncLocalStorage.snapshot() })
    this.#schedule()
    return resolvers.promise
  }

  #schedule(): void {
    if (this.#running > 0) {
      this.#timer ??= setTimeout(() => this.#startNext(), this.#options.maxWaitMs)
    } else if (!this.#isScheduled) {
      this.#isScheduled = true
      queueMicrotask(() => this.#startNext())
    }
  }

  #startNext(): void {
    this.#isScheduled = false
    clearTimeout(this.#timer)
    this.#timer = undefined
    const group = this.#waiting.splice(0, this.#options.maxItems)
    const [first] = group
    if (!first) return
    this.#running++
    void first.inContext(() => this.#run(group))
    if (this.#waiting.length > 0) this.#schedule()
  }

  async #run(group: readonly Waiting<T, R>[]): Promise<void> {
    try {
      const result = await this.#options.commit(group.map(({ item }) => item))
      for (const { settled } of group) settled.resolve(result)
    } catch (error) {
      for (const { settled } of group) settled.reject(error)
    }
    this.#running--
    this.#startNext()
  }
}
