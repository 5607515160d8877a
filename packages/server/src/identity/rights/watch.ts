import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Caller } from '../../access/caller.ts'
import type { Log } from '../../access/ctx.ts'
import { outsideRequests } from '../../platform/database/connections/request-scope.ts'
import type { Db } from '../../platform/database/database.ts'
import { findRights, type Rights } from './store-rights.ts'

/** A long response whose rights are checked, such as a stream. */
export interface Watched {
  /** The caller with the rights of the last check. */
  readonly actor: Caller
  /** Whether it is checked before it gets data and when credentials change, and not all the time. */
  readonly isOnDemand?: boolean | undefined
  /** Adds the spaces of the response; without one that it needs, the response ends. */
  addSpaces(spaces: Set<number>): void
  /** The result of the last check; undefined: the key or the session has ended, or the principal was disabled. */
  seen(rights: Rights | undefined): void
}

/** Including the time of the statements, lost access is noticed within a second. */
const LOOK_EVERY_MS = 800
/** Credentials per statement. */
const LOOK_AT_ONCE = 100
/** Responses that get their result before the event loop runs others. */
const PASS_AT_ONCE = 100

/** The responses with one key or session. */
type Group = Set<Watched>

/** Rechecks the rights of all long responses: with one statement for many of them, about once a second. */
export class RightsWatch implements Disposable {
  readonly #db: Db
  readonly #log: Log
  readonly #groups = new Map<string, Group>()
  readonly #groupWatched = new Map<Watched, Group>()
  #timer: NodeJS.Timeout | undefined
  /** The responses that are checked all the time. */
  #timedCount = 0
  #looking = false

  constructor(db: Db, log: Log) {
    this.#db = db
    this.#log = log
  }

  /** How many responses are checked. */
  get size(): number {
    return this.#groupWatched.size
  }

  /** Registers a response until the returned function is called. */
  add(watchedActor: Watched): () => void {
    const { id, keyId, sessionId, app } = watchedActor.actor
    const name = `${id} ${keyId} ${sessionId} ${app?.tokenHash}`
    const group = this.#groups.get(name) ?? new Set()
    group.add(watchedActor)
    this.#groups.set(name, group)
    this.#groupWatched.set(watchedActor, group)
    if (!watchedActor.isOnDemand) {
      this.#timedCount++
      // A timer keeps the context of the request that set it, which may end before the others.
      this.#timer ??= setInterval(() => outsideRequests(() => this.#lookAtAll(isTimed)), LOOK_EVERY_MS)
    }
    return () => this.#remove(watchedActor, name, group)
  }

  /** Checks all responses now: credentials have changed. */
  lookSoon(): void {
    if (this.#groups.size > 0) void outsideRequests(() => this.#lookAtAll(() => true))
  }

  /** Checks some responses immediately, before they get data. */
  async look(some: Iterable<Watched>): Promise<void> {
    const pending = new Map<Group, Watched[]>()
    for (const watchedActor of some) {
      const group = this.#groupWatched.get(watchedActor)
      if (!group) continue
      const pendingGroup = pending.get(group)
      if (pendingGroup) pendingGroup.push(watchedActor)
      else pending.set(group, [watchedActor])
    }
    await this.#lookUp([...pending.values()])
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #remove(watchedActor: Watched, name: string, group: Group): void {
    if (!group.delete(watchedActor)) return
    this.#groupWatched.delete(watchedActor)
    if (group.size === 0 && this.#groups.get(name) === group) this.#groups.delete(name)
    if (watchedActor.isOnDemand || --this.#timedCount > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #lookAtAll(isWanted: (watched: Watched) => boolean): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    try {
      const groups = [...this.#groups.values()].map((group) => [...group])
      await this.#lookUp(groups.filter((group) => group.some(isWanted)))
    } catch (error) {
      this.#log.warn({ err: error }, 'the rights of open responses could not be checked')
    } finally {
      this.#looking = false
    }
  }

  async #lookUp(all: readonly (readonly Watched[])[]): Promise<void> {
    for (let from = 0; from < all.length; from += LOOK_AT_ONCE) {
      const some = all.slice(from, from + LOOK_AT_ONCE)
      const foundRights = await findRights(
        this.#db,
        some.map((watchedActors) => ({
          actor: (watchedActors[0] as Watched).actor, // has one
          spaceIds: listWatchedSpaces(watchedActors),
        })),
      )
      await this.#pass(some, foundRights)
    }
  }

  async #pass(all: readonly (readonly Watched[])[], foundRights: readonly (Rights | undefined)[]): Promise<void> {
    let passedCount = 0
    for (const [index, watched] of all.entries()) {
      for (const one of watched) {
        // It may have ended meanwhile.
        if (this.#groupWatched.has(one)) one.seen(foundRights[index])
        if (++passedCount % PASS_AT_ONCE === 0) await yieldToOthers()
      }
    }
  }
}

function isTimed({ isOnDemand }: Watched): boolean {
  return !isOnDemand
}

function listWatchedSpaces(watchedActors: readonly Watched[]): number[] {
  const spaces = new Set<number>()
  for (const one of watchedActors) one.addSpaces(spaces)
  return [...spaces]
}
