export interface LruOptions<K, V> {
  /** The maximum sum of weights. */
  readonly maxWeight: number
  readonly weigh: (value: V, key: K) => number
}

/** The metrics of a cache. */
export interface CacheState {
  readonly size: number
  readonly weight: number
  readonly hits: number
  readonly misses: number
}

interface CacheEntry<V> {
  readonly value: V
  readonly weight: number
  /** How many had become the newest when this one did. */
  position: number
}

/** Entries in this newest part of all stay where they are: to move one takes longer than to find it. */
const NEWEST = 1 / 8

/** An LRU cache, bounded by the sum of weights, in constant time. The order among its newest eighth is any. */
export class Lru<K, V> implements CacheState {
  readonly #options: LruOptions<K, V>
  /** A Map keeps the order of insertion: the first key is the next to be evicted. */
  readonly #entries = new Map<K, CacheEntry<V>>()
  #weight = 0
  /** The position of the newest entry. */
  #newest = 0
  /** Hits and misses of `get`. */
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

  /** The value, which becomes one of the most recently used. */
  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) {
      this.misses++
      return undefined
    }
    this.hits++
    if (this.#newest - entry.position >= this.#entries.size * NEWEST) {
      entry.position = ++this.#newest
      this.#entries.delete(key)
      this.#entries.set(key, entry)
    }
    return entry.value
  }

  /** Inserts or replaces the value; one that exceeds the cache is not stored. */
  set(key: K, value: V): void {
    this.delete(key)
    const weight = this.#options.weigh(value, key)
    if (!(weight >= 0)) throw new RangeError(`A weight must be a number from 0 on, not ${weight}`)
    if (weight > this.#options.maxWeight) return
    this.#entries.set(key, { value, weight, position: ++this.#newest })
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
