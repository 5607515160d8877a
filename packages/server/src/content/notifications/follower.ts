import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { Runtime } from '../../access/ctx.ts'
import { WakeLoop } from '../../events/webhooks/wake-loop.ts'
import { outsideRequests } from '../../platform/database/connections/request-scope.ts'
import { autocommit } from '../../platform/database/database.ts'
import { returnNodeLease, takeNodeLease } from '../../platform/database/lease.ts'
import { fanOut, readCursor, tellDue } from './store-fan-out.ts'

/** Commits within this time are read together. */
const INTERVAL_MS = 200
/** In case a notice was lost, or the node with the lease has stopped. */
const POLL_MS = 5_000
/** While another node has the lease, it is asked for less often than there are wake-ups. */
const DENIED_MS = 4_000
/** Events that an older transaction holds back are looked for again. */
const HELD_BACK_MS = 500
const LEASE_SECONDS = 30
/** Verifications that have ended are looked for so often. */
const DUE_EVERY_MS = 60_000
/** Events of one statement: fewer after a slow one. */
const MAX_BATCH = 500
const SLOW_MS = 250

export interface InboxFollower extends AsyncDisposable {
  /** Adds a listener that runs after each batch that told somebody of something, with the ids of the people. */
  onNotified(listener: (ids: readonly string[]) => void): void
  /** Something was committed, on this or on another node. */
  wake(): void
}

/**
 * Fills the inboxes: a follower of the feed, on one node at a time (ADR 36). The lease keeps other nodes from the same
 * work; the cursor, which moves in the transaction of the notifications, decides. `mails`: whether people get mail,
 * too.
 */
export function startInboxFollower({ db, log }: Pick<Runtime, 'db' | 'log'>, mails: boolean): InboxFollower {
  const lease = { name: 'inbox', holder: uuid7(), seconds: LEASE_SECONDS }
  let heldUntil = 0
  let deniedUntil = 0
  let limit = MAX_BATCH
  let dueAt = 0
  let again: NodeJS.Timeout | undefined
  const listeners: ((ids: readonly string[]) => void)[] = []

  /** Renews the lease in its second half. */
  async function holdsLease(): Promise<boolean> {
    const now = performance.now()
    if (heldUntil - now > (LEASE_SECONDS * 1000) / 2) return true
    if (deniedUntil <= now) {
      const isHeld = await takeNodeLease(autocommit(db), lease)
      heldUntil = isHeld ? now + LEASE_SECONDS * 1000 : 0
      if (!isHeld) deniedUntil = now + DENIED_MS
    }
    return heldUntil > now
  }

  function wakeLater(): void {
    again ??= setTimeout(() => {
      again = undefined
      loop.wake()
    }, HELD_BACK_MS)
  }

  function tellListeners(ids: readonly string[]): void {
    if (ids.length > 0) for (const listener of listeners) listener(ids)
  }

  async function tellOfDue(): Promise<void> {
    if (performance.now() < dueAt) return
    const told = await tellDue.first(autocommit(db), { mails })
    dueAt = performance.now() + DUE_EVERY_MS
    if (told) tellListeners(told.notified)
  }

  /** Tells of one batch; whether there may be another one. */
  async function follow(): Promise<boolean> {
    if (!(await holdsLease())) return false
    await tellOfDue()
    const position = await readCursor.first(db, {})
    if (!position) return false
    const startedAt = performance.now()
    const batch = await fanOut.first(autocommit(db), { ...position, limit, mails })
    if (!batch) return false
    const isFull = batch.events === limit
    limit = performance.now() - startedAt > SLOW_MS ? Math.max(1, limit >> 1) : Math.min(MAX_BATCH, limit * 2)
    tellListeners(batch.notified)
    if (batch.is_held_back) wakeLater()
    return isFull
  }

  async function run(): Promise<void> {
    try {
      if (await outsideRequests(follow)) loop.wake()
    } catch (error) {
      log.warn({ err: error }, 'people could not be told of events: the next poll tries again')
    }
  }

  const loop = new WakeLoop(run, INTERVAL_MS)
  const poll = setInterval(() => loop.wake(), POLL_MS)
  loop.wake()
  return {
    onNotified: (listener) => void listeners.push(listener),
    wake: () => loop.wake(),
    async [Symbol.asyncDispose]() {
      clearInterval(poll)
      clearTimeout(again)
      await loop.stop()
      if (heldUntil > 0) await returnNodeLease(autocommit(db), lease).catch(() => {}) // it ends by itself
    },
  }
}
