import type { Log } from '../../access/ctx.ts'
import { autocommit, type Db } from '../../platform/database/database.ts'
import { findAbsentClaimants, releaseClaims } from './store-sweep.ts'

const CHECK_INTERVAL_MS = 1_000
/** Grace period: a node that lost its advisory lock in a failover has it again by then. */
const GRACE_MS = 3_000

/**
 * Failover of claims: releases those of dead nodes (see platform/database/availability/presence.ts) long before their
 * leases end, until it is disposed. A node that lost only its lock may still be sending: those deliveries may arrive
 * twice, and their outcomes are fenced off.
 */
export function startTakeover(options: {
  readonly db: Db
  readonly log: Log
  readonly onReleased: () => void
}): AsyncDisposable {
  const { db, log } = options
  /** When each absent node was first missed. */
  let missedSince = new Map<number, number>()
  let checking: Promise<void> | undefined

  async function check(): Promise<void> {
    try {
      const now = performance.now()
      const absent = await findAbsentClaimants(db)
      missedSince = new Map(absent.map((node) => [node, missedSince.get(node) ?? now]))
      const dead = absent.filter((node) => now - (missedSince.get(node) ?? now) >= GRACE_MS)
      if (dead.length === 0) return
      const count = await releaseClaims(autocommit(db), dead)
      log.info({ nodes: dead, count }, 'took over the deliveries of dead nodes')
      options.onReleased()
    } catch (error) {
      // Without the database no node can be observed: the grace periods start again.
      missedSince.clear()
      log.warn({ err: error }, 'the check for deliveries of dead nodes failed: the next check tries again')
    }
  }

  const timer = setInterval(() => {
    checking ??= check().finally(() => {
      checking = undefined
    })
  }, CHECK_INTERVAL_MS)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await checking
    },
  }
}
