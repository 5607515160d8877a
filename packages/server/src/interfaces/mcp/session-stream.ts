import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Ctx } from '../../access/ctx.ts'
import type { PlacedChanges, ReadChanges } from '../../events/feed/changes.ts'
import type { Follower } from '../../events/feed/follower.ts'
import type { Heartbeats } from '../../events/feed/heartbeats.ts'
import { joinFeed } from '../../events/feed/poll.ts'
import { EventStream, HEARTBEAT, nextChanges, STREAM_CACHE_CONTROL } from '../../events/feed/stream.ts'
import { watchesItself } from '../../identity/rights/watched-answers.ts'
import { classifyFailure } from '../../platform/database/availability/failure.ts'
import type { ListenDeps } from './listen.ts'
import { openStream, renewStream, type SessionStream } from './sessions.ts'
import { listResources, SUBSCRIBED_KINDS } from './subscription.ts'
import type { SubscriptionLookup } from './subscription-lookup.ts'

export interface SessionStreamDeps extends ListenDeps {
  readonly subscriptions: SubscriptionLookup
  /** Keep proxies from closing an idle connection. */
  readonly heartbeats: Heartbeats
}

interface Updates {
  readonly ctx: Ctx
  readonly session: SessionStream
  readonly input: ReadChanges
  readonly first: PlacedChanges
  readonly follower: Follower
  /** Whether the client resumes the stream from the id of the last event. */
  readonly resumable: boolean
}

const RENEW_MS = 60 * 60_000
const BATCH = 200
/** The first revision with events that have an id and no data, from which clients resume. */
const FIRST_RESUMABLE = '2025-11-25'

/**
 * Serves `GET /mcp`: the stream of a session, with the updates of the resources that it has subscribed to (MCP
 * specification before 2026-07-28, Streamable HTTP). The feed looks up the rights of its followers before each event.
 */
export async function serveSessionStream(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: SessionStreamDeps,
): Promise<FastifyReply> {
  const { ctx, headers, log } = request
  deps.slots.take(request, reply)
  watchesItself(request)
  const input = { since: toText(headers['last-event-id']) || 'now', kinds: SUBSCRIBED_KINDS, limit: BATCH }
  const { follower, first } = await joinFeed(ctx, input, deps.feed)
  const resources = new DisposableStack()
  resources.use(follower)
  resources.use(deps.readers.open('stream'))
  const stream = new EventStream()
  // The end does not wait for a reader that has disconnected.
  stream.once('close', () => follower[Symbol.dispose]())
  try {
    const session = await openStream(ctx, toText(headers['mcp-session-id']))
    const resumable = toText(headers['mcp-protocol-version']) >= FIRST_RESUMABLE
    sendUpdates(stream, { ctx, session, input, first, follower, resumable }, deps)
      .catch((error) => log.warn({ err: error }, 'the stream of an MCP session ended'))
      .finally(() => {
        resources.dispose()
        stream.push(null)
      })
  } catch (error) {
    resources.dispose()
    throw error
  }
  return reply
    .headers({ 'Content-Type': 'text/event-stream', 'Cache-Control': STREAM_CACHE_CONTROL, 'X-Accel-Buffering': 'no' })
    .send(stream)
}

/** Sends the updates until the client leaves, opens another stream or loses access, or the process stops. */
async function sendUpdates(
  stream: EventStream,
  { ctx, session, input, first, follower, resumable }: Updates,
  { feed, subscriptions, heartbeats }: SessionStreamDeps,
): Promise<void> {
  let changes = first
  const position = () => (resumable ? Buffer.from(`id: ${changes.nextCursor}\ndata:\n\n`) : HEARTBEAT)
  using _heartbeat = heartbeats.add(() => {
    if (!stream.full) stream.send(position())
  })
  using _renewal = every(RENEW_MS, () => renew(ctx, session))
  await stream.send(Buffer.concat([Buffer.from('retry: 1000\n'), position()]))
  while (!stream.destroyed && !follower.disposed && !feed.closed && follower.lost === undefined) {
    const changedUris = [...new Set(changes.placed.flatMap(({ change }) => listResources(change)))]
    const uris = changedUris.length === 0 ? [] : await subscriptions.find(session, changedUris)
    if (!uris) return
    // Only the last one has the id of all of them.
    const id = (index: number) => (resumable && index === uris.length - 1 ? `id: ${changes.nextCursor}\n` : '')
    for (const [index, uri] of uris.entries()) await stream.send(Buffer.from(id(index) + formatUpdate(uri)))
    changes = await nextChanges({ ctx, input, follower }, changes)
  }
}

function formatUpdate(uri: string): string {
  const message = { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } }
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`
}

/** A renewal that fails is made up for by the next one. */
async function renew(ctx: Ctx, session: SessionStream): Promise<void> {
  try {
    await renewStream(ctx, session)
  } catch (error) {
    if (classifyFailure(error) === 'away') return // the connection was closed
    ctx.log.warn({ err: error }, 'a stream of an MCP session was not renewed; this is tried again')
  }
}

function every(ms: number, task: () => Promise<void>): Disposable {
  const timer = setInterval(task, ms)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** A header as text; empty if it is absent. */
function toText(header: string | string[] | undefined): string {
  return typeof header === 'string' ? header : ''
}
