import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Db } from '../database/database.ts'
import { outsideRequests } from '../database/request-scope.ts'
import type { Caller } from './caller.ts'
import type { Log } from './ctx.ts'
import { findRights, type Rights } from './store-rights.ts'

/** A long response whose rights are checked, such as a stream. */
export interface Watched {
  /** The caller with the rights of the last check. */
  readonly actor: Caller
  /** Adds the spaces of the response; without one that it needs, the response ends. */
  addSpaces(spaces: Set<number>): void
  /** The result of the last check; undefined: the key or the session has ended, or the principal was disabled. */
  seen(rights: Rights | undefined): void
}

/** Rechecks the rights of all long responses: with one statement for many of them, about once a second. */
export interface RightsWatch extends Disposable {
  /** Registers a response until the returned function is called. */
  add(watched: Watched): () => void
  /** Checks some responses immediately, before they get data. */
  look(some: Iterable<Watched>): Promise<void>
}

/** Including the time of the statements, lost access is noticed within a second. */
const LOOK_EVERY_MS = 800
/** Credentials per statement. */
const LOOK_AT_ONCE = 100
/** Responses that get their result before the event loop runs others. */
const PASS_AT_ONCE = 100

/** The responses with one key or session. */
type Group = Set<Watched>

export function createRightsWatch(db: Db, log: Log): RightsWatch {
  const groups = new Map<string, Group>()
  const groupOf = new Map<Watched, Group>()
  let timer: NodeJS.Timeout | undefined
  let looking = false

  async function look(some: Iterable<Watched>): Promise<void> {
    const pending = new Map<Group, Watched[]>()
    for (const watched of some) {
      const group = groupOf.get(watched)
      if (!group) continue
      const known = pending.get(group)
      if (known) known.push(watched)
      else pending.set(group, [watched])
    }
    await lookUp([...pending.values()])
  }

  async function lookAtAll(): Promise<void> {
    if (looking) return
    looking = true
    try {
      await lookUp([...groups.values()].map((group) => [...group]))
    } catch (error) {
      log.warn({ err: error }, 'the rights of open answers could not be looked up')
    } finally {
      looking = false
    }
  }

  async function lookUp(all: readonly (readonly Watched[])[]): Promise<void> {
    for (let from = 0; from < all.length; from += LOOK_AT_ONCE) {
      const some = all.slice(from, from + LOOK_AT_ONCE)
      const found = await findRights(
        db,
        some.map((watched) => ({
          actor: (watched[0] as Watched).actor, // has one
          spaceIds: spacesOf(watched),
        })),
      )
      await pass(some, found)
    }
  }

  async function pass(
    all: readonly (readonly Watched[])[],
    found: readonly (Rights | undefined)[],
  ): Promise<void> {
    let passed = 0
    for (const [index, watched] of all.entries()) {
      for (const one of watched) {
        // It may have ended meanwhile.
        if (groupOf.has(one)) one.seen(found[index])
        if (++passed % PASS_AT_ONCE === 0) await yieldToOthers()
      }
    }
  }

  return {
    look,
    add(watched) {
      const { id, keyId, sessionId, app } = watched.actor
      const name = `${id} ${keyId} ${sessionId} ${app?.tokenHash}`
      const group = groups.get(name) ?? new Set()
      group.add(watched)
      groups.set(name, group)
      groupOf.set(watched, group)
      // A timer keeps the context of the request that set it, which may end before the others.
      timer ??= setInterval(() => outsideRequests(lookAtAll), LOOK_EVERY_MS)
      return () => {
        group.delete(watched)
        groupOf.delete(watched)
        if (group.size === 0 && groups.get(name) === group) groups.delete(name)
        if (groups.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

function spacesOf(watched: readonly Watched[]): number[] {
  const spaces = new Set<number>()
  for (const one of watched) one.addSpaces(spaces)
  return [...spaces]
}
