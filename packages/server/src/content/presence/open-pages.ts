import type { PageAddress } from '@recto/contract/page-address.ts'
import type { Caller } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import type { PlacedChange } from '../../events/feed/changes.ts'
import type { Feed } from '../../events/feed/feed.ts'
import type { Heartbeats } from '../../events/feed/heartbeats.ts'
import { joinFeed } from '../../events/feed/poll.ts'
import type { FeedReaders } from '../../events/feed/readers.ts'
import type { FeedEntry } from '../../events/feed/schema.ts'
import { type EventStream, HEARTBEAT, RETRY } from '../../events/feed/stream.ts'
import type { Rights } from '../../identity/rights/store-rights.ts'
import type { RightsWatch, Watched } from '../../identity/rights/watch.ts'
import type { PresenceHub, PresenceState, PresentPerson } from './hub.ts'
import { findOpenPages, type OpenPageRow } from './store-open-pages.ts'

/** The inbox of a person: how much of it is unread, and when that may have changed. */
interface InboxDeps {
  readonly news: { follow(id: string, onChange: () => void): Disposable }
  readonly count: (ctx: Ctx) => Promise<{ readonly unread: number }>
}

/** What a stream of open pages needs of the service. */
export interface PresenceDeps {
  readonly inbox: InboxDeps
  readonly feed: Feed
  readonly hub: PresenceHub
  readonly watch: RightsWatch
  readonly readers: FeedReaders
  readonly heartbeats: Heartbeats
}

/** What a browser follows. */
export interface Followed {
  readonly pages: readonly OpenPage[]
  /** Whether it shows how much of the inbox is unread. */
  readonly inbox: boolean
}

/** A page that a browser has open. */
export interface OpenPage extends PageAddress {
  /** Absent: its window is not in front. */
  readonly state: PresenceState | undefined
}

const BATCH = 100

/** Who else has some pages open at the moment, of the pages that the caller reads. */
export async function listPresences(ctx: Ctx, openPages: readonly OpenPage[], hub: PresenceHub) {
  const rows = await findOpenPages(ctx.db, toAccessSubject(ctx.actor), openPages)
  return rows.flatMap(({ n, page_id: id, version }) => {
    const page = openPages[n]
    return page ? [{ space: page.space, path: page.path, version, people: listOthers(hub, id, ctx.actor) }] : []
  })
}

function listOthers(hub: PresenceHub, pageId: number, { id }: Caller): PresentPerson[] {
  return hub.list(pageId).filter((person) => person.id !== id)
}

/**
 * Follows some pages: sends who has them open, and what changes of them and of the inbox, until the browser leaves or
 * the process stops. It looks up nothing but the rights of the reader, before it sends.
 */
export async function followOpenPages(ctx: Ctx, { pages: openPages, inbox }: Followed, deps: PresenceDeps) {
  const { feed, readers, heartbeats } = deps
  const rows = await findOpenPages(ctx.db, toAccessSubject(ctx.actor), openPages)
  const { follower, first } = await joinFeed(ctx, { since: 'now' }, feed, { isOnDemand: true })
  return async (stream: EventStream): Promise<void> => {
    // The end does not wait for a reader that has disconnected.
    stream.once('close', () => follower[Symbol.dispose]())
    using _follower = follower
    using _reader = readers.open('stream')
    using _heartbeat = heartbeats.add(() => {
      if (!stream.full) stream.send(HEARTBEAT)
    })
    const onChange = () => follower.wake()
    using visits = new PageVisits(ctx.actor, openPages, rows, { ...deps, onChange })
    using unread = new UnreadCount(ctx, visits, { ...deps, onChange, isWanted: inbox })
    stream.send(RETRY)
    let { end } = first
    while (!stream.destroyed && !feed.closed && follower.lost === undefined) {
      if (follower.overrun) follower.reset()
      const changes = follower.take(end, BATCH)
      end = changes.at(-1)?.position ?? end
      const frames = [
        ...toChangeFrames(changes, openPages),
        ...(await visits.takeFrames()),
        ...(await unread.takeFrames()),
      ]
      for (const frame of frames) await stream.send(frame)
      if (changes.length === 0 && frames.length === 0) await follower.wait()
    }
    stream.push(null)
  }
}

function toChangeFrames(changes: readonly PlacedChange[], openPages: readonly OpenPage[]): Buffer[] {
  return changes
    .filter(({ change }) => openPages.some((page) => isAbout(change, page)))
    .map(({ change }) => formatFrame('change', change))
}

interface Visit {
  readonly page: OpenPage
  readonly spaceId: number
  readonly place: Disposable
  version: number | undefined
}

/** The pages that one browser has open and may read at the moment. */
class PageVisits implements Watched, Disposable {
  readonly isOnDemand = true
  actor: Caller
  /** The session or the key has ended. */
  hasEnded = false
  readonly #hub: PresenceHub
  readonly #watch: RightsWatch
  readonly #stopWatching: () => void
  readonly #visits = new Map<number, Visit>()
  readonly #changed = new Set<number>()

  constructor(
    actor: Caller,
    openPages: readonly OpenPage[],
    rows: readonly OpenPageRow[],
    { hub, watch, onChange }: PresenceDeps & { readonly onChange: () => void },
  ) {
    this.actor = actor
    this.#hub = hub
    this.#watch = watch
    this.#stopWatching = watch.add(this)
    // Agents, apps and keys read at no screen.
    const isShown = actor.kind === 'human' && actor.sessionId !== undefined && rows.every((row) => !row.is_hidden)
    const person = isShown ? { id: actor.id, name: actor.name } : undefined
    for (const { n, page_id: id, space_id: spaceId, version } of rows) {
      const page = openPages[n]
      if (!page || this.#visits.has(id)) continue
      const note = () => {
        this.#changed.add(id)
        onChange()
      }
      const place = hub.join(id, { person, state: page.state, onChange: note })
      this.#visits.set(id, { page, spaceId, place, version })
      this.#changed.add(id)
    }
  }

  addSpaces(spaces: Set<number>): void {
    for (const { spaceId } of this.#visits.values()) spaces.add(spaceId)
  }

  seen(rights: Rights | undefined): void {
    if (rights) this.actor = rights.actor
    else this.hasEnded = true
    for (const [id, { page, spaceId, place }] of this.#visits) {
      if (rights?.visible.has(spaceId) && rights.rankAt(spaceId, page.path) >= 1) continue
      place[Symbol.dispose]()
      this.#visits.delete(id)
    }
  }

  /** Who else is at the pages where somebody came or left. */
  async takeFrames(): Promise<Buffer[]> {
    const changedIds = [...this.#changed]
    this.#changed.clear()
    if (changedIds.length > 0) await this.#watch.look([this])
    return changedIds.flatMap((id) => {
      const visit = this.#visits.get(id)
      if (!visit) return []
      const { space, path } = visit.page
      const people = listOthers(this.#hub, id, this.actor)
      const frame = formatFrame('presence', { space, path, people, version: visit.version })
      // It is the one of when the stream began: changes tell of later ones.
      visit.version = undefined
      return [frame]
    })
  }

  [Symbol.dispose](): void {
    this.#stopWatching()
    for (const { place } of this.#visits.values()) place[Symbol.dispose]()
  }
}

/** How much of the inbox is unread, by the rights of the moment. */
class UnreadCount implements Disposable {
  readonly #ctx: Ctx
  readonly #visits: PageVisits
  readonly #deps: Pick<PresenceDeps, 'inbox' | 'watch'>
  readonly #following: Disposable | undefined
  #hasChanged: boolean

  constructor(
    ctx: Ctx,
    visits: PageVisits,
    {
      onChange,
      isWanted,
      ...deps
    }: Pick<PresenceDeps, 'inbox' | 'watch'> & { readonly onChange: () => void; readonly isWanted: boolean },
  ) {
    this.#ctx = ctx
    this.#visits = visits
    this.#deps = deps
    this.#hasChanged = isWanted
    const note = () => {
      this.#hasChanged = true
      onChange()
    }
    this.#following = isWanted ? deps.inbox.news.follow(ctx.actor.id, note) : undefined
  }

  async takeFrames(): Promise<Buffer[]> {
    if (!this.#hasChanged) return []
    this.#hasChanged = false
    const { inbox, watch } = this.#deps
    await watch.look([this.#visits])
    if (this.#visits.hasEnded) return []
    return [formatFrame('inbox', await inbox.count({ ...this.#ctx, actor: this.#visits.actor }))]
  }

  [Symbol.dispose](): void {
    this.#following?.[Symbol.dispose]()
  }
}

/** Whether a change is about a page, its comments or a proposal; of a move, at the place that it left. */
function isAbout({ page, comment, thread, from, changeRequest }: FeedEntry, { space, path }: OpenPage): boolean {
  const proposal = changeRequest?.resource === 'page' ? changeRequest : undefined
  return [page, comment, thread, from, proposal].some((place) => place?.space === space && place.path === path)
}

function formatFrame(event: string, data: unknown): Buffer {
  return Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
}
