/** What has changed in the space since the last run: the change feed names it, then its state is read. */
import { ApiError } from '@recto/client/transport/errors.ts'
import type { Change } from '@recto/client/types.ts'
import { toEffect } from '@recto/contract/error-effect.ts'
import { inParallel } from '@recto/lib/concurrency/in-parallel.ts'
import { jsonEqual } from '@recto/lib/json/json.ts'
import { atKey, type Kind, type Metadata, pathProblem, type RemoteItem, toKey } from './entry.ts'
import { type Found, LIST_LIMIT, PAGES_AT_ONCE, type Service } from './service.ts'
import type { Position, SyncState } from './state.ts'

export interface RemoteChanges {
  /** What changed or is new, by key. Those that are absent from the space are in `gone`. */
  readonly items: ReadonlyMap<string, RemoteItem>
  readonly gone: ReadonlyMap<string, { readonly inTrash: boolean }>
  /** The new key of each entry that was moved in the space. */
  readonly moved: ReadonlyMap<string, string>
  readonly position: Position
  readonly listedAt: number
  /** Whether the service was restored to an earlier state, so that versions can name other texts. */
  readonly restored: boolean
}

export interface ReadOptions {
  /** Keys to read in any case. */
  readonly dirty: ReadonlySet<string>
  /** List all of the space, as the first run does. */
  readonly full: boolean
}

/** The events since the last run. */
export interface FeedChanges {
  readonly events: readonly Change[]
  readonly position: Position
  /** Whether there are events that no run has seen. */
  readonly isNew: boolean
}

/** Whatever the feed may have missed is found by listing all of the space once a day. */
const LIST_EVERY_MS = 24 * 60 * 60 * 1_000
/** Bodies that are kept between looking and writing. */
const MAX_BODY_BYTES = 64 * 1024 * 1024
/** Up to here metadata is read page by page, also in a small space. */
const MAX_SINGLE_METADATA = 30
const CONCURRENCY = 8

export async function readRemote(
  service: Service,
  state: SyncState,
  feed: FeedChanges | undefined,
  { dirty, full }: ReadOptions,
): Promise<RemoteChanges> {
  const isOld = Date.now() - state.listedAt > LIST_EVERY_MS
  const scan = new RemoteScan(service, state)
  // Earlier releases kept what the service had refused.
  for (const key of dirty) {
    if (state.entries.has(key) || pathProblem(atKey(key)) === undefined) scan.markDirty(key)
  }
  if (feed) scan.addEvents(feed.events)
  const isListed = full || !feed || isOld
  // Before the list, so that a change in between is in the feed.
  const position = feed?.position ?? { cursor: await service.now() }
  const isRestored = (isListed && (await scan.addList())) || (!feed && state.position !== undefined)
  if (isRestored) scan.markAllDirty()
  await scan.read()
  // The export that follows has it.
  if (state.position || state.entries.size > 0) await scan.readMetadata(isListed)
  return {
    items: scan.items,
    gone: scan.gone,
    moved: scan.movedEntries(),
    position,
    listedAt: isListed ? Date.now() : state.listedAt,
    restored: isRestored,
  }
}

/** The events after the last run. Undefined if there was none, or if the feed has not got its last event any more. */
export async function readFeed(service: Service, { position }: SyncState): Promise<FeedChanges | undefined> {
  if (!position) return undefined
  try {
    return await readFeedAfter(service, position)
  } catch (error) {
    if (isLost(error)) return undefined
    throw error
  }
}

async function readFeedAfter(service: Service, before: Position): Promise<FeedChanges | undefined> {
  const { lastEvent } = before
  const events: Change[] = []
  let position = before
  let isKnown = lastEvent === undefined
  for (let since = before.cursor, more = true; more; ) {
    const page = await service.changes(since)
    const at = isKnown ? -1 : page.events.findIndex(({ id }) => id === lastEvent)
    if (!isKnown && at === -1) return undefined
    isKnown = true
    for (const event of page.events.slice(at + 1)) events.push(event)
    const last = page.events.at(-1)
    if (last) position = { cursor: since, lastEvent: last.id }
    more = page.hasMore
    since = page.nextCursor
  }
  return { events, position, isNew: events.length > 0 }
}

/** The space has another slug or is not there, or its service has another key for cursors. */
function isLost(error: unknown): boolean {
  return error instanceof ApiError && (toEffect(error) === 'absent' || error.code === 'invalid_cursor')
}

class RemoteScan {
  readonly items = new Map<string, RemoteItem>()
  readonly gone = new Map<string, { readonly inTrash: boolean }>()
  readonly #service: Service
  readonly #state: SyncState
  readonly #keys = new Set<string>()
  readonly #metadata = new Set<string>()
  /** The key that each moved page or file had before. */
  readonly #origins = new Map<string, string>()
  readonly #redirects = new Map<string, string>()
  #bodyBytes = 0

  constructor(service: Service, state: SyncState) {
    this.#service = service
    this.#state = state
  }

  markDirty(key: string): void {
    this.#keys.add(key)
    this.#metadata.add(key)
  }

  markAllDirty(): void {
    for (const key of [...this.#state.entries.keys(), ...this.items.keys()]) this.markDirty(key)
  }

  addEvents(events: readonly Change[]): void {
    // A verification changes nothing of what a folder has.
    for (const event of events) if (!event.event.endsWith('verified')) this.#addEvent(event)
  }

  #addEvent({ event, page, file, from, to }: Change): void {
    const item = page ?? file
    // After a change of the slug others may come.
    if (item?.space !== this.#service.space) return
    const kind: Kind = page ? 'page' : 'file'
    const key = toKey({ kind, path: item.path })
    if (from && from.space === this.#service.space) {
      const former = toKey({ kind, path: from.path })
      this.markDirty(former)
      this.#origins.set(key, this.#origins.get(former) ?? former)
      this.#origins.delete(former)
    }
    const knownEntry = this.#state.entries.get(key)
    const isGone = to !== undefined || event.endsWith('.deleted')
    if (isGone) this.#origins.delete(key)
    const isOwn = knownEntry?.version === item.version && !isGone
    if (event !== 'page.updated' && !(event === 'page.created' && isOwn)) this.#metadata.add(key)
    if (event !== 'page.metadata.updated' && !isOwn) this.markDirty(key)
  }

  /** Compares a list of the space with the entries. Returns whether a version is lower than before. */
  async addList(): Promise<boolean> {
    const absent = new Set(this.#state.entries.keys())
    let isLower = false
    for await (const item of this.#service.list()) {
      const key = toKey(item)
      absent.delete(key)
      const version = this.#state.entries.get(key)?.version ?? 0
      // Drafts have no order among versions.
      isLower ||= typeof item.version === 'number' && typeof version === 'number' && item.version < version
      if (item.version === version) continue
      this.items.set(key, item)
    }
    for (const key of absent) this.markDirty(key)
    return isLower
  }

  /** Reads what is marked dirty. */
  async read(): Promise<void> {
    const paths: string[] = []
    for (const key of this.#keys) {
      const { kind, path } = atKey(key)
      if (kind === 'page') paths.push(path)
      else this.#add(key, await this.#service.readFile(path))
    }
    for (let at = 0; at < paths.length; at += PAGES_AT_ONCE) {
      const chunk = paths.slice(at, at + PAGES_AT_ONCE)
      const foundPages = await this.#service.readPages(chunk)
      for (const [index, path] of chunk.entries()) {
        const page = foundPages[index]
        if (page) this.#add(path, page)
      }
    }
  }

  #add(key: string, page: Found): void {
    if (!page.item) {
      this.gone.set(key, { inTrash: page.inTrash })
      this.items.delete(key)
      return
    }
    const { item } = page
    const at = toKey(item)
    if (at !== key) {
      this.#redirects.set(key, at)
      this.gone.set(key, { inTrash: false })
      this.items.delete(key)
      this.#metadata.add(at)
    }
    this.#bodyBytes += item.body?.length ?? 0
    const { body: _, ...withoutBody } = item
    this.items.set(at, this.#bodyBytes > MAX_BODY_BYTES ? withoutBody : item)
  }

  /** Reads the metadata of what is dirty or was listed: one by one, or of the whole space if that is cheaper. */
  async readMetadata(listed: boolean): Promise<void> {
    const keys = [...this.#metadata].filter(
      (key) => atKey(key).kind === 'page' && (this.items.has(key) || this.#isCurrent(key)),
    )
    if (listed || keys.length > Math.max(MAX_SINGLE_METADATA, this.#state.entries.size / LIST_LIMIT)) {
      const all = await this.#service.listMetadata()
      for (const [path, metadata] of all) this.#setMetadata(path, metadata)
    } else {
      await inParallel(keys, CONCURRENCY, async (path) => {
        const metadata = await this.#service.metadata(path)
        if (metadata) this.#setMetadata(path, metadata)
      })
    }
  }

  #isCurrent(key: string): boolean {
    return this.#state.entries.has(key) && !this.gone.has(key)
  }

  #setMetadata(path: string, metadata: Metadata): void {
    const item = this.items.get(path) ?? this.#unchanged(path, metadata)
    if (item) this.items.set(path, { ...item, metadata })
  }

  /** The item of an entry whose metadata alone has changed. */
  #unchanged(path: string, metadata: Metadata): RemoteItem | undefined {
    const entry = this.#state.entries.get(path)
    if (!entry || this.gone.has(path) || jsonEqual(entry.metadata ?? {}, metadata)) return undefined
    return { kind: entry.kind, path, version: entry.version, digest: entry.digest }
  }

  /** By the redirect of the old path, which follows the page itself, or by the feed where another page is there now. */
  movedEntries(): ReadonlyMap<string, string> {
    const movedPaths = new Map<string, string>()
    for (const [to, from] of this.#origins) {
      if (to !== from && this.#state.entries.has(from) && this.items.has(to)) movedPaths.set(from, to)
    }
    for (const [from, to] of this.#redirects) if (this.#state.entries.has(from)) movedPaths.set(from, to)
    return movedPaths
  }
}
