import type { Log } from '../access/ctx.ts'
import type { Db } from '../database/database.ts'
import { autocommit } from '../database/transaction.ts'
import { findAbsentClaimants, releaseClaimsOf } from './store-takeover.ts'

const LOOK_EVERY_MS = 1_000
/** A node that lost its lock with its connection, in a failover say, has it again by then. */
const ABSENT_MS = 3_000

/**
 * Gives the claims of nodes that died to the others, long before their leases end, until it is disposed. A node that only
 * lost its lock may go on sending: what it sends may arrive twice, and its outcome is not written.
 */
export function startTakeover(options: {
  readonly db: Db
  readonly log: Log
  readonly onReleased: () => void
}): AsyncDisposable {
  const { db, log } = options
  /** Since when each of them is absent. */
  let absent = new Map<number, number>()
  let looking: Promise<void> | undefined

  async function look(): Promise<void> {
    try {
      const now = performance.now()
      const nodes = await findAbsentClaimants(db)
      absent = new Map(nodes.map((node) => [node, absent.get(node) ?? now]))
      const dead = nodes.filter((node) => now - (absent.get(node) ?? now) >= ABSENT_MS)
      if (dead.length === 0) return
      const count = await releaseClaimsOf(autocommit(db), dead)
      log.info({ nodes: dead, count }, 'deliveries of nodes that died are taken over')
      options.onReleased()
    } catch (error) {
      // While the database is away nothing is known of anybody.
      absent.clear()
      log.warn(
        { err: error },
        'deliveries of nodes that died were not looked for: they wait for the next look',
      )
    }
  }

  const timer = setInterval(() => {
    looking ??= look().finally(() => {
      looking = undefined
    })
  }, LOOK_EVERY_MS)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await looking
    },
  }
}
