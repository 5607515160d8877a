import type { Caller } from '../access/caller.ts'
import { isOrgAdmin } from '../access/caller.ts'
import type { Rights } from '../access/store-rights.ts'
import type { RightsWatch, Watched } from '../access/watch.ts'
import { type PlacedChange, type PlacingRuntime, placeChanges } from './changes.ts'
import type { EventKind } from './event.ts'
import { type FeedPosition, type FeedRow, isBehind } from './store-changes.ts'

/** The filter of a follower. */
export interface FollowOptions {
  readonly actor: Caller
  readonly space: number | undefined
  /** The slug of the space from which moves to others are followed as well. */
  readonly movedFrom?: string | undefined
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

/** What a follower needs of the service and of its feed. */
interface FollowerDeps {
  readonly runtime: PlacingRuntime
  readonly watch: RightsWatch
  readonly onDispose: (follower: BufferedFollower) => void
}

/** The size of a follower's buffer. */
const MAX_KEPT = 1_000
const NONE: readonly FeedRow[] = []

/** A follower whose events are buffered in memory: first those whose rights are not checked yet, then those that its caller can see. */
export class BufferedFollower implements Follower, Watched {
  readonly #options: FollowOptions
  readonly #deps: FollowerDeps
  readonly #stopWatching: () => void
  /** Events that were read for all followers and pass its filter. */
  #offered: readonly FeedRow[] = NONE
  /** Those of them that its caller can see. */
  #ready: readonly FeedRow[] = NONE
  #rights: Rights | undefined
  #wake = () => {}
  #actor: Caller
  #lost: Follower['lost']
  #overrun = false
  #disposed = false

  constructor(options: FollowOptions, deps: FollowerDeps) {
    this.#options = options
    this.#deps = deps
    this.#actor = options.actor
    this.#stopWatching = deps.watch.add(this)
  }

  get actor(): Caller {
    return this.#actor
  }

  get lost(): Follower['lost'] {
    return this.#lost
  }

  get overrun(): boolean {
    return this.#overrun
  }

  get disposed(): boolean {
    return this.#disposed
  }

  /** Whether its buffer has events for which its rights are not known yet. */
  get unchecked(): boolean {
    return this.#offered.length > 0
  }

  get readable(): boolean {
    return this.#ready.length > 0 || this.#overrun
  }

  addSpaces(spaces: Set<number>): void {
    for (const row of this.#offered) spaces.add(row.space_id)
    for (const row of this.#ready) spaces.add(row.space_id)
    if (this.#options.space !== undefined) spaces.add(this.#options.space)
  }

  /** Adds those of the rows that pass its filter. */
  offer(rows: readonly FeedRow[]): void {
    if (this.#lost || this.#overrun) return
    this.#offered = joined(
      this.#offered,
      matching(rows, (row) => this.#isWanted(row)),
    )
    if (this.#offered.length + this.#ready.length > MAX_KEPT) this.#overrun = true
  }

  seen(found: Rights | undefined): void {
    this.#rights = found
    if (found) this.#actor = found.actor
    this.#lost = this.#lostBy(found) ?? this.#lost
    if (this.#lost) {
      this.#ready = this.#offered = NONE
      this.wake()
    } else if (found && (this.#offered.length > 0 || this.#ready.length > 0)) {
      this.#check(found)
    }
  }

  reset(): void {
    this.#overrun = false
    this.#offered = NONE
    this.#ready = NONE
  }

  wait(ms?: number): Promise<void> {
    if (this.readable || this.#lost || this.#disposed || (ms !== undefined && ms <= 0))
      return Promise.resolve()
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(() => this.wake(), ms)
      this.#wake = () => {
        clearTimeout(timer)
        this.#wake = () => {}
        resolve()
      }
    })
  }

  take(after: FeedPosition, limit: number): readonly PlacedChange[] {
    const fresh = matching(this.#ready, (row) => isBehind(row, after))
    const taken = fresh.length > limit ? fresh.slice(0, limit) : fresh
    this.#ready = fresh.length > limit ? fresh.slice(limit) : NONE
    return placeChanges(taken, this.#deps.runtime)
  }

  look(): Promise<void> {
    return this.#deps.watch.look([this])
  }

  /** Ends its wait. */
  wake(): void {
    this.#wake()
  }

  [Symbol.dispose](): void {
    this.#disposed = true
    this.#stopWatching()
    this.#deps.onDispose(this)
    this.wake()
  }

  #isWanted(row: FeedRow): boolean {
    const { space, movedFrom, kinds } = this.#options
    const isOfSpace =
      space === undefined ||
      row.space_id === space ||
      (movedFrom !== undefined && originOf(row)?.space === movedFrom)
    return isOfSpace && (kinds === undefined || kinds.includes(row.kind))
  }

  #lostBy(rights: Rights | undefined): Follower['lost'] {
    if (!rights) return 'credential'
    const { space } = this.#options
    return space === undefined || rights.visible.has(space) ? undefined : 'space'
  }

  /** Events that were offered after the lookup began wait for the next one, and so do all that follow. */
  #check({ requested }: Rights): void {
    const maySee = (row: FeedRow) => this.#maySee(row)
    const unknown = this.#offered.findIndex((row) => !requested.has(row.space_id))
    const known = unknown === -1 ? this.#offered : this.#offered.slice(0, unknown)
    const still = matching(this.#ready, (row) => !requested.has(row.space_id) || maySee(row))
    this.#ready = joined(still, matching(known, maySee))
    this.#offered = unknown === -1 ? NONE : this.#offered.slice(unknown)
  }

  #maySee(row: FeedRow): boolean {
    if (row.ended) {
      return this.#options.space === undefined && row.kind === 'space.deleted' && isOrgAdmin(this.#actor)
    }
    return this.#rights?.visible.has(row.space_id) ?? false
  }
}

/** Where a page or file was before its move. */
function originOf({ data }: FeedRow): { readonly space?: string } | undefined {
  return data.from as { readonly space?: string } | undefined // as move-apply.ts writes it
}

/** The rows that pass; if all of them do, the list itself, so that followers with the same rights share it. */
function matching(rows: readonly FeedRow[], passes: (row: FeedRow) => boolean): readonly FeedRow[] {
  return rows.every(passes) ? rows : rows.filter(passes)
}

function joined(some: readonly FeedRow[], more: readonly FeedRow[]): readonly FeedRow[] {
  if (some.length === 0) return more
  return more.length === 0 ? some : some.concat(more)
}
