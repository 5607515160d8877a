import { targetWithQuery } from './address.ts'
import { ConnectionError } from './errors.ts'
import { streamEvents } from './event-stream.ts'
import { read, requestJson } from './json.ts'
import { type CallOptions, type Connection, open, sleep } from './request.ts'
import type { Change, Changes } from './types.ts'

export interface ChangesQuery extends CallOptions {
  /** A cursor of an earlier response, or `now`; the oldest event if absent. */
  readonly since?: string | undefined
  readonly space?: string | undefined
  /** Kinds of events, such as `page.updated`; all if absent. */
  readonly kinds?: readonly string[] | undefined
}

/** An event of the feed, and the cursor to continue after it. */
export interface PlacedChange {
  readonly change: Change
  readonly cursor: string
}

/** The change feed: all events in order, without gaps. */
export interface ChangeMethods {
  /** One page of events; `wait` up to 30 seconds if there are none yet (long polling). */
  getChanges(
    query?: ChangesQuery & { readonly limit?: number | undefined; readonly wait?: number | undefined },
  ): Promise<Changes>
  /** All events up to now. */
  listChanges(query?: ChangesQuery): AsyncIterable<Change>
  /**
   * All events and then new ones, until the loop is left or the signal aborts. It reconnects after connection errors and
   * continues after the last event. Keep the cursor to continue later.
   */
  followChanges(query?: ChangesQuery): AsyncIterable<PlacedChange>
}

const PAGE_SIZE = 200
const RECONNECT_MS = 1_000

/** The methods of the feed of changes. */
export function changeMethods(connection: Connection): ChangeMethods {
  const target = ({ kinds, since, space }: ChangesQuery, more: { limit?: number; wait?: number } = {}) =>
    targetWithQuery('/changes', { since, space, kinds: kinds?.join(','), ...more })

  return {
    getChanges: ({ limit, wait, signal, ...query } = {}) =>
      requestJson(connection, {
        ...read,
        target: target(query, { ...(limit !== undefined && { limit }), ...(wait !== undefined && { wait }) }),
        signal,
      }),

    async *listChanges({ signal, ...query } = {}) {
      let since = query.since
      for (let more = true; more; ) {
        const url = target({ ...query, since }, { limit: PAGE_SIZE })
        const page: Changes = await requestJson(connection, { ...read, target: url, signal })
        yield* page.items
        since = page.nextCursor
        more = page.hasMore
      }
    },

    async *followChanges({ signal, ...query } = {}) {
      let since = await resolveNow(connection, query.since, signal)
      while (true) {
        for await (const { id, data } of readStream(connection, target({ ...query, since }), signal)) {
          since = id ?? since
          yield { change: JSON.parse(data) as Change, cursor: since ?? '' } // as the API's schema says
        }
        await sleep(RECONNECT_MS, signal)
      }
    },
  }
}

/** The events of one stream, until it ends or its connection is lost. */
async function* readStream(connection: Connection, target: string, signal: AbortSignal | undefined) {
  const response = await open(connection, {
    ...read,
    target,
    headers: { Accept: 'text/event-stream' },
    signal,
  })
  try {
    if (!response.body) throw new ConnectionError(connection.url, 'the response has no body')
    yield* streamEvents(response.body)
  } catch (error) {
    signal?.throwIfAborted()
    // A broken stream is a TypeError of fetch.
    if (!(error instanceof TypeError)) throw error
  }
}

/** Resolves `now` to a cursor before the first stream, so that no event is lost if that stream breaks. */
async function resolveNow(
  connection: Connection,
  since: string | undefined,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (since !== 'now') return since
  const page = await requestJson<Changes>(connection, { ...read, target: '/changes?since=now', signal })
  return page.nextCursor
}
