import { type Caller, isOrgAdmin } from '../../access/caller.ts'
import type { Rights } from '../../identity/rights/store-rights.ts'
import type { RightsWatch, Watched } from '../../identity/rights/watch.ts'
import { type PlacedChange, type PlacingRuntime, placeChanges } from './changes.ts'
import type { EventKind } from './event.ts'
import { type FeedPosition, type FeedRow, isAfterPosition } from './store-changes.ts'
import { toEventView, toVisibleKind } from './views.ts'

/** The filter of a follower. */
export interface FollowOptions {
  readonly actor: Caller
  readonly space: number | undefined
  readonly kinds: readonly EventKind[] | undefined
  /** Whether nothing is looked up for it while nothing happens: what a dead node did not tell comes late. */
  readonly isOnDemand?: boolean
}

/** One reader that waits for new events. */
export interface Follower extends Disposable {
  readonly actor: Caller
  /** Why it gets no more events: its credential has ended, or it cannot read its space. */
  readonly lost: 'credential' | 'space' | undefined
  /** Whether its buffer overflowed: it has to read from its position itself, and then follows again. */
  readonly overrun: boolean
  readonly disposed: boolean
  /** Follows again with an empty buffer. */
  reset(): void
  /** Resolves when there are events, when it is lost or overrun, or after `ms` if present. */
  wait(ms?: number): Promise<void>
  /** Takes at most `limit` visible events after `after`. */
  take(after: FeedPosition, limit: number): readonly PlacedChange[]
  /** Looks up its rights now. */
  look(): Promise<void>
  /** Ends its wait. */
  wake(): void
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

/** A follower that buffers events in memory: those whose rights are not checked yet, then those its caller can see. */
export class BufferedFollower implements Follower, Watched {
  readonly #options: FollowOptions
  readonly #deps: FollowerDeps
  readonly #stopWatching: () => void
  /** Events that were read for all followers and pass its filter. */
  #offered: readonly FeedRow[] = NONE
  /** Those of them that its caller can see, as they see them. */
  #ready: readonly FeedRow[] = NONE
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

  get isOnDemand(): boolean | undefined {
    return this.#options.isOnDemand
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
    for (const rows of [this.#offered, this.#ready]) {
      for (const { space_id, other_space_id } of rows) {
        spaces.add(space_id)
        if (other_space_id !== null) spaces.add(other_space_id)
      }
    }
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

  seen(rights: Rights | undefined): void {
    if (rights) this.#actor = rights.actor
    this.#lost = this.#lostBy(rights) ?? this.#lost
    if (this.#lost) {
      this.#ready = this.#offered = NONE
      this.wake()
    } else if (rights && (this.#offered.length > 0 || this.#ready.length > 0)) {
      this.#check(rights)
    }
  }

  reset(): void {
    this.#overrun = false
    this.#offered = NONE
    this.#ready = NONE
  }

  wait(ms?: number): Promise<void> {
    if (this.readable || this.#lost || this.#disposed || (ms !== undefined && ms <= 0)) return Promise.resolve()
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
    const fresh = matching(this.#ready, (row) => isAfterPosition(row, after))
    const takenRows = fresh.length > limit ? fresh.slice(0, limit) : fresh
    this.#ready = fresh.length > limit ? fresh.slice(limit) : NONE
    return placeChanges(takenRows, this.#deps.runtime)
  }

  look(): Promise<void> {
    return this.#deps.watch.look([this])
  }

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
    const { space, kinds } = this.#options
    if (space !== undefined && row.space_id !== space) return false
    return kinds === undefined || kinds.includes(row.kind) || kinds.includes(toVisibleKind(row))
  }

  #lostBy(rights: Rights | undefined): Follower['lost'] {
    if (!rights) return 'credential'
    const { space } = this.#options
    return space === undefined || rights.visible.has(space) ? undefined : 'space'
  }

  /** Events that were offered after the lookup began wait for the next one, and so do all that follow. */
  #check(rights: Rights): void {
    const { requested } = rights
    const isKnown = (row: FeedRow) =>
      requested.has(row.space_id) && (row.other_space_id === null || requested.has(row.other_space_id))
    const view = (row: FeedRow) => this.#toView(row, rights)
    const unknownIndex = this.#offered.findIndex((row) => !isKnown(row))
    const knownRows = unknownIndex === -1 ? this.#offered : this.#offered.slice(0, unknownIndex)
    const still = viewed(this.#ready, (row) => (isKnown(row) ? view(row) : row))
    this.#ready = joined(still, viewed(knownRows, view))
    this.#offered = unknownIndex === -1 ? NONE : this.#offered.slice(unknownIndex)
  }

  /** The event as its caller sees it; undefined: they do not, or have not asked for it. */
  #toView(row: FeedRow, rights: Rights): FeedRow | undefined {
    const { space, kinds } = this.#options
    if (row.ended) {
      return space === undefined && row.kind === 'space.deleted' && isOrgAdmin(this.#actor) ? row : undefined
    }
    const view = toEventView(row, rights, space !== undefined)
    return view && (kinds === undefined || kinds.includes(toVisibleKind(view))) ? view : undefined
  }
}

/** The rows that pass; if all of them do, the list itself, so that followers with the same rights share it. */
function matching(rows: readonly FeedRow[], passes: (row: FeedRow) => boolean): readonly FeedRow[] {
  return rows.every(passes) ? rows : rows.filter(passes)
}

/** The rows as they are seen, without those that are not; the list itself if they are all seen as they are. */
function viewed(rows: readonly FeedRow[], view: (row: FeedRow) => FeedRow | undefined): readonly FeedRow[] {
  const views = rows.map(view)
  if (views.every((seenRow, index) => seenRow === rows[index])) return rows
  return views.filter((knownRow) => knownRow !== undefined)
}

function joined(some: readonly FeedRow[], more: readonly FeedRow[]): readonly FeedRow[] {
  if (some.length === 0) return more
  return more.length === 0 ? some : some.concat(more)
}
