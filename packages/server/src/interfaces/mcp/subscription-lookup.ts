import { outsideRequests } from '../../platform/database/connections/request-scope.ts'
import type { Db } from '../../platform/database/database.ts'
import type { SessionStream } from './sessions.ts'
import { findSubscribed } from './store-sessions.ts'

/** The lookups of all streams of this node within this time are one statement. */
const BATCH_WINDOW_MS = 5

export type SubscriptionLookup = ReturnType<typeof createSubscriptionLookup>

interface Pending extends SessionStream {
  readonly resources: readonly string[]
}

type Rows = Awaited<ReturnType<typeof findSubscribed>>

/**
 * Looks up the subscriptions of streams. They are read after each change, not cached: a client may subscribe at one
 * node while its stream is at another.
 */
export function createSubscriptionLookup(db: Db) {
  let pending: Pending[] = []
  let next: Promise<Rows> | undefined

  async function readAll(): Promise<Rows> {
    await new Promise((resolve) => setTimeout(resolve, BATCH_WINDOW_MS))
    const all = pending
    pending = []
    next = undefined
    return findSubscribed(db, {
      sessionIds: all.map(({ sessionId }) => sessionId),
      resources: [...new Set(all.flatMap(({ resources }) => resources))],
    })
  }

  return {
    /** The subscribed URIs of some resources; undefined if the session was deleted, or has another stream by now. */
    async find(stream: SessionStream, resources: readonly string[]) {
      pending.push({ ...stream, resources })
      next ??= outsideRequests(readAll)
      const rows = (await next).filter(({ stream_id }) => stream_id === stream.streamId)
      if (rows.length === 0) return undefined
      // Others look up changes that this caller cannot see.
      return rows.flatMap(({ resource, uri }) =>
        resource !== null && uri !== null && resources.includes(resource) ? [uri] : [],
      )
    },
  }
}
