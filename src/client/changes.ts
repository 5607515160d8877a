import { withQuery } from './address.ts'
import { ConnectionError } from './errors.ts'
import { streamEvents } from './event-stream.ts'
import { read, requestJson } from './json.ts'
import { type CallOptions, type Connection, open, sleep } from './request.ts'
import type { Change, Changes } from './types.ts'

export interface ChangesQuery extends CallOptions {
  /** A cursor that an answer gave, or `now`; the beginning when absent. */
  readonly since?: string | undefined
  readonly space?: string | undefined
  /** Kinds of events, such as `page.updated`; all when absent. */
  readonly kinds?: readonly string[] | undefined
}

/** One event of the feed, and the cursor with which it goes on behind it. */
export interface PlacedChange {
  readonly change: Change
  readonly cursor: string
}

/** What happened, in order and without gaps. */
export interface ChangeMethods {
  /** A piece of the feed; `wait` up to 30 seconds where there is nothing yet. */
  getChanges(
    query?: ChangesQuery & { readonly limit?: number | undefined; readonly wait?: number | undefined },
  ): Promise<Changes>
  /** The feed up to now. */
  listChanges(query?: ChangesQuery): AsyncIterable<Change>
  /**
   * The feed, and everything that comes from then on, until the loop is left or the signal aborts. Lost connections are
   * made anew from where it was. Keep the cursor to go on from there another day.
   */
  followChanges(query?: ChangesQuery): AsyncIterable<PlacedChange>
}

const MOST = 200
const COME_BACK_MS = 1_000

/** The methods of the feed of changes. */
export function changeMethods(connection: Connection): ChangeMethods {
  const target = ({ kinds, since, space }: ChangesQuery, more: { limit?: number; wait?: number } = {}) =>
    withQuery('/changes', { since, space, kinds: kinds?.join(','), ...more })

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
        const asked = target({ ...query, since }, { limit: MOST })
        const piece: Changes = await requestJson(connection, { ...read, target: asked, signal })
        yield* piece.items
        since = piece.nextCursor
        more = piece.hasMore
      }
    },

    async *followChanges({ signal, ...query } = {}) {
      let since = await settled(connection, query.since, signal)
      while (true) {
        const headers = { Accept: 'text/event-stream' }
        const response = await open(connection, {
          ...read,
          target: target({ ...query, since }),
          headers,
          signal,
        })
        try {
          if (!response.body) throw new ConnectionError(connection.url, 'the answer has no body')
          for await (const { id, data } of streamEvents(response.body)) {
            since = id ?? since
            yield { change: JSON.parse(data) as Change, cursor: since ?? '' } // as the API's schema says
          }
        } catch (error) {
          signal?.throwIfAborted()
          // A stream that breaks off is a TypeError of fetch; anything else is the caller's own.
          if (!(error instanceof TypeError)) throw error
        }
        await sleep(COME_BACK_MS, signal)
      }
    },
  }
}

/** What `now` means is settled before the first stream: should that be lost, nothing is left out. */
async function settled(
  connection: Connection,
  since: string | undefined,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (since !== 'now') return since
  const piece = await requestJson<Changes>(connection, { ...read, target: '/changes?since=now', signal })
  return piece.nextCursor
}
