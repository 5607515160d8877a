import { targetWithQuery } from '../transport/address.ts'
import type { CallOptions, Connection } from '../transport/connection.ts'
import { ConnectionError } from '../transport/errors.ts'
import { type StreamEvent, streamEvents } from '../transport/event-stream.ts'
import { read, requestJson } from '../transport/json.ts'
import type { Query } from '../transport/operation-types.ts'
import { createListing, type Listing } from '../transport/paging.ts'
import { jittered, open, sleep } from '../transport/request.ts'
import type { Change, Changes } from '../types.ts'

export interface ChangesQuery extends CallOptions, Pick<Query<'changes.list'>, 'since' | 'space'> {
  /** Kinds of events, such as `page.updated`; all if absent. */
  readonly kinds?: readonly string[] | undefined
}

export interface FollowOptions extends ChangesQuery {
  /** How long the connection may be silent, in milliseconds; 45 seconds by default. A heartbeat comes every 15. */
  readonly heartbeatTimeout?: number | undefined
}

/** An event of the feed, and the cursor to continue after it. */
export interface PlacedChange {
  readonly change: Change
  readonly cursor: string
}

const PAGE_SIZE = 200
const RECONNECT_MS = 1_000
const HEARTBEAT_TIMEOUT_MS = 45_000

/** The change feed: all events in order, without gaps. */
export function changeMethods(connection: Connection) {
  const target = ({ kinds, since, space }: ChangesQuery, more: { limit?: number; wait?: number } = {}) =>
    targetWithQuery('/changes', { since, space, kinds: kinds?.join(','), ...more })

  return {
    /** The events up to now. With `wait`, a page waits up to 30 seconds for the first event (long polling). */
    list: ({
      limit = PAGE_SIZE,
      wait,
      ...query
    }: ChangesQuery & Pick<Query<'changes.list'>, 'limit' | 'wait'> = {}): Listing<Change, Changes> =>
      createListing(
        (since = query.since) => {
          const url = target({ ...query, since }, { limit, ...(wait !== undefined && { wait }) })
          return requestJson<Changes>(connection, { ...read, target: url, call: query })
        },
        ({ hasMore, nextCursor }) => (hasMore ? nextCursor : null),
      ),

    /**
     * All events and then new ones, until the loop is left or the signal aborts. It reconnects for as long as it takes
     * when the connection is lost or silent, and continues after the last event. Keep the cursor to continue later.
     *
     * ```js
     * for await (const { change, cursor } of recto.changes.follow({ since: await lastCursor() })) {
     *   await handle(change)
     *   await remember(cursor)
     * }
     * ```
     */
    async *follow(options: FollowOptions = {}): AsyncIterable<PlacedChange> {
      const { heartbeatTimeout = HEARTBEAT_TIMEOUT_MS, ...query } = options
      const retrying = { ...connection, retryTimeout: Number.POSITIVE_INFINITY, maxRetries: Number.POSITIVE_INFINITY }
      let since = await resolveNow(retrying, query)
      while (true) {
        const stream = { target: target({ ...query, since }), call: query, heartbeatTimeout }
        for await (const { id, data } of readStream(retrying, stream)) {
          since = id ?? since
          yield { change: JSON.parse(data) as Change, cursor: since ?? '' } // as the API's schema says
        }
        await sleep(jittered(RECONNECT_MS), query.signal)
      }
    },
  }
}

interface Stream {
  readonly target: string
  readonly call: CallOptions
  readonly heartbeatTimeout: number
}

/** The events of one stream, until it ends or its connection is lost or silent. */
async function* readStream(
  connection: Connection,
  { target, call, heartbeatTimeout }: Stream,
): AsyncGenerator<StreamEvent> {
  const headers = { Accept: 'text/event-stream' }
  const response = await open(connection, { ...read, target, headers, call })
  if (!response.body) throw new ConnectionError(connection.url, 'the response has no body')
  try {
    yield* streamEvents(response.body, heartbeatTimeout)
  } catch {
    // The stream was cut or silent; nothing else fails in it.
    call.signal?.throwIfAborted()
  }
}

/** Resolves `now` to a cursor before the first stream, so that no event is lost if that stream breaks. */
async function resolveNow(connection: Connection, query: ChangesQuery): Promise<string | undefined> {
  if (query.since !== 'now') return query.since
  const page = await requestJson<Changes>(connection, { ...read, target: '/changes?since=now', call: query })
  return page.nextCursor
}
