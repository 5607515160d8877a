import { setTimeout as delay } from 'node:timers/promises'
import { type Caller, isOrgAdmin } from '../access/caller.ts'
import type { Runtime } from '../access/ctx.ts'
import type { Rights } from '../access/store-rights.ts'
import type { RightsWatch, Watched } from '../access/watch.ts'
import { outsideRequests } from '../database/request-scope.ts'
import { type PlacedChange, type PlacingRuntime, placeChanges } from './changes.ts'
import type { EventKind } from './event.ts'
import { currentPosition, type FeedPosition, type FeedRow, isBehind, listFeed } from './store-changes.ts'

/** The filter of a follower. */
interface FollowOptions {
  readonly actor: Caller
  readonly space: number | undefined
  readonly kinds: readonly EventKind[] | undefined
}

/** One reader that waits for new events. */
export interface Follower extends Disposable {
  readonly actor: Caller
  /** Why it gets no more events: its credential has ended, or it cannot read its space. */
  readonly lost: 'credential' | 'space' | undefined
  /**
   * Whether it fell behind (its buffer overflowed): it has to read from its position itself, and then follows again.
   */
  readonly overrun: boolean
  /** Whether it was disposed. */
  readonly disposed: boolean
  /** Follows again with an empty buffer. */
  reset(): void
  /** Resolves when there are events, when it is lost or overrun, or after `ms` if present. */
  wait(ms?: number): Promise<void>
  /** Takes at most `limit` visible events after `after`. */
  take(after: FeedPosition, limit: number): readonly PlacedChange[]
  /** Looks up its rights now. */
  look(): Promise<void>
}

/**
 * Publishes the end of the change feed to all followers (fan-out). One statement reads it for all of them, after a
 * commit here or a notice of another node, and every half second in case a notice was lost; one more looks up their
 * rights. A follower that only waits costs nothing.
 */
export interface Feed extends Disposable {
  /** Events that are committed from now on are buffered for the follower. */
  follow(options: FollowOptions): Promise<Follower>
  /** Something was committed, on this or on another node. */
  wake(): void
  readonly closed: boolean
  /** Releases all followers, now and from now on. */
  close(): void
}

const POLL_MS = 500
/** Commits within this time are read together. */
const BATCH_WINDOW_MS = 20
const BATCH = 500
/** The size of a follower's buffer. */
const MAX_KEPT = 1_000
/** So many followers are woken together, since each writes to its connection; requests and the database get the pause. */
const WAKE_AT_ONCE = 16
const WAKE_PAUSE_MS = 1

const NONE: readonly FeedRow[] = []

interface Member extends Watched, Follower {
  offer(rows: readonly FeedRow[]): void
  wake(): void
  /** Whether its buffer has events for which its rights are not known yet. */
  readonly unchecked: boolean
  readonly readable: boolean
}

export function createFeed(runtime: Pick<Runtime, 'db' | 'log'> & PlacingRuntime, watch: RightsWatch): Feed {
  const members = new Set<Member>()
  /** Everything before it was offered to the followers; undefined while there are none. */
  let position: Promise<FeedPosition> | undefined
  let gathering: NodeJS.Timeout | undefined
  let polling: NodeJS.Timeout | undefined
  let reading = false
  let again = false
  let closed = false

  /** Its timers were set in the request of the first follower, which may have ended. */
  function readForAll(): void {
    void outsideRequests(readAll)
  }

  async function readAll(): Promise<void> {
    again = true
    if (reading) return
    reading = true
    try {
      while (again && members.size > 0 && position) await readBatch(position)
      await wakeReaders()
    } catch (error) {
      runtime.log.warn({ err: error }, 'the end of the feed could not be read: the next poll tries again')
    } finally {
      reading = false
    }
  }

  async function readBatch(from: Promise<FeedPosition>): Promise<void> {
    again = false
    const { rows, end } = await listFeed(runtime.db, await from, BATCH)
    // All followers left meanwhile, and a new one came.
    if (position !== from) return
    position = Promise.resolve(end)
    if (rows.length === BATCH) again = true
    if (rows.length > 0) await publish(rows)
  }

  async function publish(rows: readonly FeedRow[]): Promise<void> {
    for (const member of members) member.offer(rows)
    await watch.look([...members].filter((member) => member.unchecked))
  }

  async function wakeReaders(): Promise<void> {
    let woken = 0
    for (const member of [...members]) {
      if (!member.readable) continue
      member.wake()
      if (++woken % WAKE_AT_ONCE === 0) await delay(WAKE_PAUSE_MS)
    }
  }

  function leave(member: Member): void {
    members.delete(member)
    if (members.size > 0) return
    clearInterval(polling)
    clearTimeout(gathering)
    polling = gathering = undefined
    position = undefined
  }

  return {
    get closed() {
      return closed
    },
    async follow(options) {
      const member = createMember(options, runtime, watch, leave)
      members.add(member)
      polling ??= setInterval(readForAll, POLL_MS)
      position ??= outsideRequests(() => currentPosition(runtime.db))
      try {
        await position
      } catch (error) {
        position = undefined
        member[Symbol.dispose]()
        throw error
      }
      if (closed) member.wake()
      return member
    },
    wake() {
      if (members.size === 0) return
      gathering ??= setTimeout(() => {
        gathering = undefined
        readForAll()
      }, BATCH_WINDOW_MS)
    },
    close() {
      closed = true
      for (const member of members) member.wake()
    },
    [Symbol.dispose]() {
      for (const member of [...members]) member[Symbol.dispose]()
    },
  }
}

function createMember(
  { actor, space, kinds }: FollowOptions,
  runtime: PlacingRuntime,
  watch: RightsWatch,
  leave: (member: Member) => void,
): Member {
  /** The events that were read for all followers, and those of them that this caller can see. */
  let offered: readonly FeedRow[] = NONE
  let ready: readonly FeedRow[] = NONE
  let rights: Rights | undefined
  let lost: Follower['lost']
  let overrun = false
  let disposed = false
  let wake = () => {}
  let current = actor

  const readable = () => ready.length > 0 || overrun

  function wanted(row: FeedRow): boolean {
    return (
      (space === undefined || row.space_id === space) && (kinds === undefined || kinds.includes(row.kind))
    )
  }

  function maySee(row: FeedRow): boolean {
    if (row.ended) return space === undefined && row.kind === 'space.deleted' && isOrgAdmin(current)
    return rights?.visible.has(row.space_id) ?? false
  }

  const member: Member = {
    get actor() {
      return current
    },
    get lost() {
      return lost
    },
    get disposed() {
      return disposed
    },
    get overrun() {
      return overrun
    },
    get unchecked() {
      return offered.length > 0
    },
    get readable() {
      return readable()
    },
    addSpaces(spaces) {
      for (const row of offered) spaces.add(row.space_id)
      for (const row of ready) spaces.add(row.space_id)
      if (space !== undefined) spaces.add(space)
    },
    offer(rows) {
      if (lost || overrun) return
      offered = joined(offered, matching(rows, wanted))
      if (offered.length + ready.length > MAX_KEPT) overrun = true
    },
    seen(found) {
      rights = found
      if (!found) lost = 'credential'
      else {
        current = found.actor
        if (space !== undefined && !found.visible.has(space)) lost = 'space'
      }
      if (!lost && offered.length === 0 && ready.length === 0) return
      // Events that were offered after the lookup began wait for the next one, and so do all that follow.
      const unknown = offered.findIndex((row) => found && !found.requested.has(row.space_id))
      const known = unknown === -1 ? offered : offered.slice(0, unknown)
      const still = matching(ready, (row) => !found?.requested.has(row.space_id) || maySee(row))
      ready = lost ? NONE : joined(still, matching(known, maySee))
      offered = lost || unknown === -1 ? NONE : offered.slice(unknown)
      if (lost) wake()
    },
    reset() {
      overrun = false
      offered = NONE
      ready = NONE
    },
    wait(ms) {
      if (readable() || lost || disposed || (ms !== undefined && ms <= 0)) return Promise.resolve()
      return new Promise((resolve) => {
        const timer = ms === undefined ? undefined : setTimeout(() => wake(), ms)
        wake = () => {
          clearTimeout(timer)
          wake = () => {}
          resolve()
        }
      })
    },
    take(after, limit) {
      const fresh = matching(ready, (row) => isBehind(row, after))
      const taken = fresh.length > limit ? fresh.slice(0, limit) : fresh
      ready = fresh.length > limit ? fresh.slice(limit) : NONE
      return placeChanges(taken, runtime)
    },
    look: () => watch.look([member]),
    wake: () => wake(),
    [Symbol.dispose]() {
      disposed = true
      stop()
      leave(member)
      wake()
    },
  }
  const stop = watch.add(member)
  return member
}

/** The rows that pass; if all of them do, the list itself, so that followers with the same rights share it. */
function matching(rows: readonly FeedRow[], passes: (row: FeedRow) => boolean): readonly FeedRow[] {
  return rows.every(passes) ? rows : rows.filter(passes)
}

function joined(some: readonly FeedRow[], more: readonly FeedRow[]): readonly FeedRow[] {
  if (some.length === 0) return more
  return more.length === 0 ? some : some.concat(more)
}
