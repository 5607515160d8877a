import { setTimeout as delay } from 'node:timers/promises'
import type { Log, Runtime } from '../../access/ctx.ts'
import type { RightsWatch } from '../../identity/rights/watch.ts'
import { outsideRequests } from '../../platform/database/connections/request-scope.ts'
import type { DatabaseServer } from '../../platform/database/connections/server.ts'
import { Notices } from '../../platform/database/notices.ts'
import type { Topics } from '../../platform/database/topics.ts'
import type { PlacingRuntime } from './changes.ts'
import { BufferedFollower, type Follower, type FollowOptions } from './follower.ts'
import { currentPosition, type FeedPosition, type FeedRow, listFeed } from './store-changes.ts'

const POLL_MS = 500
/** The same while nobody follows but readers on demand. */
const SLOW_POLL_MS = 10_000
/** Commits within this time are read together. */
const BATCH_WINDOW_MS = 20
const BATCH = 500
/** So many followers are woken together, each of which writes to its connection; others get the pause. */
const WAKE_AT_ONCE = 16
const WAKE_PAUSE_MS = 1

type FeedRuntime = Pick<Runtime, 'db' | 'log'> & PlacingRuntime

/**
 * Publishes the end of the change feed to all followers (fan-out). One statement reads it for all of them, after a
 * commit here or a notice of another node, and every half second (or 10 s) in case a notice was lost; one more looks up
 * their rights. A follower that only waits costs nothing.
 */
export class Feed implements Disposable {
  readonly #runtime: FeedRuntime
  readonly #watch: RightsWatch
  readonly #followers = new Set<BufferedFollower>()
  /** Everything before it was offered to the followers; undefined while there are none. */
  #position: Promise<FeedPosition> | undefined
  #gathering: NodeJS.Timeout | undefined
  #polling: { readonly timer: NodeJS.Timeout; readonly everyMs: number } | undefined
  #reading = false
  #again = false
  #closed = false

  constructor(runtime: FeedRuntime, watch: RightsWatch) {
    this.#runtime = runtime
    this.#watch = watch
  }

  get closed(): boolean {
    return this.#closed
  }

  get followers(): number {
    return this.#followers.size
  }

  /** Events that are committed from now on are buffered for the follower. */
  async follow(options: FollowOptions): Promise<Follower> {
    const follower = new BufferedFollower(options, {
      runtime: this.#runtime,
      watch: this.#watch,
      onDispose: (oldFollower) => this.#leave(oldFollower),
    })
    this.#followers.add(follower)
    this.#poll()
    this.#position ??= outsideRequests(() => currentPosition(this.#runtime.db))
    try {
      await this.#position
    } catch (error) {
      this.#position = undefined
      follower[Symbol.dispose]()
      throw error
    }
    if (this.#closed) follower.wake()
    return follower
  }

  /** Something was committed, on this or on another node. */
  wake(): void {
    if (this.#followers.size === 0) return
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined
      this.#readForAll()
    }, BATCH_WINDOW_MS)
  }

  /** Releases all followers, now and from now on. */
  close(): void {
    this.#closed = true
    for (const follower of this.#followers) follower.wake()
  }

  [Symbol.dispose](): void {
    for (const follower of [...this.#followers]) follower[Symbol.dispose]()
  }

  /** Its timers were set in the request of the first follower, which may have ended. */
  #readForAll(): void {
    void outsideRequests(() => this.#readAll())
  }

  async #readAll(): Promise<void> {
    this.#again = true
    if (this.#reading) return
    this.#reading = true
    try {
      while (this.#again && this.#followers.size > 0 && this.#position) await this.#readBatch(this.#position)
      await this.#wakeReaders()
    } catch (error) {
      this.#runtime.log.warn({ err: error }, 'the end of the feed could not be read: the next poll tries again')
    } finally {
      this.#reading = false
    }
  }

  async #readBatch(from: Promise<FeedPosition>): Promise<void> {
    this.#again = false
    const { rows, end } = await listFeed(this.#runtime.db, await from, BATCH)
    // All followers left meanwhile, and a new one came.
    if (this.#position !== from) return
    this.#position = Promise.resolve(end)
    if (rows.length === BATCH) this.#again = true
    if (rows.length > 0) await this.#publish(rows)
  }

  async #publish(rows: readonly FeedRow[]): Promise<void> {
    for (const follower of this.#followers) follower.offer(rows)
    await this.#watch.look([...this.#followers].filter((follower) => follower.unchecked))
  }

  async #wakeReaders(): Promise<void> {
    let woken = 0
    for (const follower of [...this.#followers]) {
      if (!follower.readable) continue
      follower.wake()
      if (++woken % WAKE_AT_ONCE === 0) await delay(WAKE_PAUSE_MS)
    }
  }

  #leave(follower: BufferedFollower): void {
    if (!this.#followers.delete(follower)) return
    this.#poll()
    if (this.#followers.size > 0) return
    clearTimeout(this.#gathering)
    this.#gathering = undefined
    this.#position = undefined
  }

  /** Polls as often as the followers need. */
  #poll(): void {
    const followers = [...this.#followers]
    const everyMs = followers.every(({ isOnDemand }) => isOnDemand) ? SLOW_POLL_MS : POLL_MS
    if (followers.length > 0 && this.#polling?.everyMs === everyMs) return
    clearInterval(this.#polling?.timer)
    const start = () => ({ timer: setInterval(() => this.#readForAll(), everyMs), everyMs })
    this.#polling = followers.length > 0 ? start() : undefined
  }
}

/** Wakes the readers of the feed when another node has committed something, and exchanges topics with other nodes. */
export function listenToOtherNodes(
  server: DatabaseServer,
  feed: Pick<Feed, 'wake'>,
  topics: Topics,
  log: Log,
): Notices {
  const notices = new Notices({
    server,
    channel: 'recto_changes',
    onNotice(topicNotices) {
      feed.wake()
      topics.receive(topicNotices)
    },
    onLost: (error) => log.warn({ err: error }, 'no notices of other nodes: readers of the feed wait for the poll'),
  })
  topics.notifyOthersBy((notice) => notices.send(notice))
  return notices
}
