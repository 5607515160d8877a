import type { Db } from '../database/database.ts'
import type { Caller } from './caller.ts'
import type { Log } from './ctx.ts'
import { findRights, type Rights } from './store-rights.ts'

/** Somebody who is being answered for a while, such as the reader of a stream. */
export interface Watched {
  /** The caller with the rights of the last look. */
  readonly actor: Caller
  /** The spaces that the answer is about; without one that it needs, the answer ends. */
  spaces(): Iterable<number>
  /** What the last look found; undefined: the key or the session has ended, or the principal was disabled. */
  seen(rights: Rights | undefined): void
}

/** Looks after the rights of all who are answered for longer than a moment: one statement a second for all of them. */
export interface RightsWatch extends Disposable {
  /** Begins to look, until what is returned is called. */
  add(watched: Watched): () => void
  /** Looks at some of them at once, before they are answered. */
  look(some: Iterable<Watched>): Promise<void>
}

/** With the time that the statement takes, a right that is gone is noticed within a second. */
const LOOK_EVERY_MS = 800

export function createRightsWatch(db: Db, log: Log): RightsWatch {
  const all = new Set<Watched>()
  let timer: NodeJS.Timeout | undefined
  let looking = false

  async function look(some: Iterable<Watched>): Promise<void> {
    const groups = new Map<string, { readonly watched: Watched[]; readonly spaces: Set<number> }>()
    for (const watched of some) {
      const { id, keyId, sessionId } = watched.actor
      const name = `${id} ${keyId} ${sessionId}`
      const group = groups.get(name) ?? { watched: [], spaces: new Set() }
      group.watched.push(watched)
      for (const space of watched.spaces()) group.spaces.add(space)
      groups.set(name, group)
    }
    if (groups.size === 0) return
    const asked = [...groups.values()]
    const found = await findRights(
      db,
      asked.map(({ watched, spaces }) => ({ actor: (watched[0] as Watched).actor, spaceIds: [...spaces] })), // has one
    )
    for (const [index, { watched }] of asked.entries()) for (const one of watched) one.seen(found[index])
  }

  function lookAtAll(): void {
    if (looking) return
    looking = true
    look(all)
      .catch((error) => log.warn({ err: error }, 'the rights of open answers could not be looked up'))
      .finally(() => {
        looking = false
      })
  }

  return {
    look,
    add(watched) {
      all.add(watched)
      timer ??= setInterval(lookAtAll, LOOK_EVERY_MS)
      return () => {
        all.delete(watched)
        if (all.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
