export interface LruOptions<K, V> {
  /** The sum of weights that is kept at most. */
  readonly maxWeight: number
  readonly weigh: (value: V, key: K) => number
}

/** What an operator may ask of a cache. */
export interface CacheState {
  readonly size: number
  readonly weight: number
  readonly hits: number
  readonly misses: number
}

interface Entry<V> {
  readonly value: V
  readonly weight: number
}

/** A cache that forgets what was used longest ago once all together weighs too much. Every call takes constant time. */
export class Lru<K, V> implements CacheState {
  readonly #options: LruOptions<K, V>
  /** A Map keeps the order of insertion: the first key is the one to forget first. */
  readonly #entries = new Map<K, Entry<V>>()
  #weight = 0
  /** How often `get` found a value, and how often not. */
  hits = 0
  misses = 0

  constructor(options: LruOptions<K, V>) {
    this.#options = options
  }

  get size(): number {
    return this.#entries.size
  }

  get weight(): number {
    return this.#weight
  }

  /** The value, which thereby becomes the one to be forgotten last. */
  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) {
      this.misses++
      return undefined
    }
    this.hits++
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** Keeps the value in place of any earlier one; a value too heavy for the whole cache is not kept. */
  set(key: K, value: V): void {
    this.delete(key)
    const weight = this.#options.weigh(value, key)
    if (!(weight >= 0)) throw new RangeError(`A weight must be a number from 0 on, not ${weight}`)
    if (weight > this.#options.maxWeight) return
    this.#entries.set(key, { value, weight })
    this.#weight += weight
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#options.maxWeight) break
      this.delete(oldest)
    }
  }

  delete(key: K): boolean {
    const entry = this.#entries.get(key)
    if (entry === undefined) return false
    this.#weight -= entry.weight
    return this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
    this.#weight = 0
  }
}
