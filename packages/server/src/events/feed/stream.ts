import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Ctx } from '../../access/ctx.ts'
import { watchesItself } from '../../identity/rights/watched-answers.ts'
import { type PlacedChange, type PlacedChanges, type ReadChanges, readPlaced } from './changes.ts'
import type { Feed } from './feed.ts'
import type { Follower } from './follower.ts'
import type { Heartbeats } from './heartbeats.ts'
import type { FeedReader } from './readers.ts'

const BATCH = 100
/** How soon a reader connects again. */
export const RETRY = Buffer.from('retry: 1000\n\n')
export const HEARTBEAT = Buffer.from(': still here\n\n')

/** A proxy that compressed a stream of events would hold them back. */
export const STREAM_CACHE_CONTROL = 'no-store, no-transform'

/** The body of a response of Server-Sent Events. Its readers share the bytes of an event. */
export class EventStream extends Readable {
  #full = false
  #resume = () => {}

  override _read(): void {
    this.#full = false
    this.#resume()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#resume()
    done(error)
  }

  /** Whether the reader is slower than the stream (back-pressure). */
  get full(): boolean {
    return this.#full
  }

  /** Sends bytes; if there is a result, wait for it before you send more. */
  send(bytes: Buffer): Promise<void> | undefined {
    if (this.destroyed) return undefined
    this.#full = !this.push(bytes)
    if (!this.#full) return undefined
    return new Promise((resolve) => {
      this.#resume = resolve
    })
  }
}

/** Answers with a stream of events, which checks the rights of its reader itself, until `run` ends. */
export function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  run: (stream: EventStream) => Promise<void>,
): FastifyReply {
  watchesItself(request)
  const stream = new EventStream()
  run(stream).catch((error) => {
    request.log.warn({ err: error }, 'a stream of changes ended')
    stream.push(null)
  })
  // Without chunks an event is one write of shared bytes; the end of the connection is the end of the stream (RFC 9112,
  // 6.3).
  reply.raw.removeHeader('Transfer-Encoding')
  return reply
    .headers({
      Connection: 'close',
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': STREAM_CACHE_CONTROL,
      'X-Accel-Buffering': 'no',
    })
    .send(stream)
}

interface Reading {
  readonly ctx: Ctx
  readonly input: ReadChanges
  readonly first: PlacedChanges
  readonly feed: Feed
  readonly follower: Follower
  readonly reader: FeedReader
  /** Keep proxies from closing an idle connection. */
  readonly heartbeats: Heartbeats
}

/** Sends changes as Server-Sent Events until the reader leaves, loses access, or the process stops. */
export async function streamChanges(stream: EventStream, reading: Reading): Promise<void> {
  const { first, feed, follower, reader, heartbeats } = reading
  // The end does not wait for a reader that has disconnected.
  stream.once('close', () => follower[Symbol.dispose]())
  stream.send(RETRY)
  using _heartbeat = heartbeats.add(() => {
    if (!stream.full) stream.send(HEARTBEAT)
  })
  let changes = first
  await sendChanges(stream, changes, reader)
  while (!stream.destroyed && !feed.closed && follower.lost === undefined) {
    changes = await nextChanges(reading, changes)
    const drainPromise = sendChanges(stream, changes, reader)
    if (drainPromise) await drainPromise
  }
  stream.push(null)
}

/** Waits for the events after those that were read, and reads them. */
export async function nextChanges(
  { ctx, input, follower }: Pick<Reading, 'ctx' | 'input' | 'follower'>,
  before: PlacedChanges,
): Promise<PlacedChanges> {
  if (before.hasMore || follower.overrun) {
    follower.reset()
    return readPlaced({ ...ctx, actor: follower.actor }, { ...input, since: before.nextCursor })
  }
  await follower.wait()
  const placedChanges = follower.take(before.end, BATCH)
  const { cursor: nextCursor, position: end } = placedChanges.at(-1) ?? {
    cursor: before.nextCursor,
    position: before.end,
  }
  return { placed: placedChanges, nextCursor, end, hasMore: false }
}

/** If there is a result, wait for it before you send more. */
function sendChanges(
  stream: EventStream,
  { placed, hasMore }: PlacedChanges,
  reader: FeedReader,
): Promise<void> | undefined {
  if (placed.length === 0) return undefined
  reader.behindSince = placed.at(hasMore ? -1 : 0)?.change.occurredAt
  const onSent = () => {
    if (!hasMore) reader.behindSince = undefined
  }
  const drainPromise = stream.send(formatFrames(placed))
  if (drainPromise) return drainPromise.then(onSent)
  onSent()
  return undefined
}

/** The bytes of an event, and of a list of events, shared by all their readers. */
const frames = new WeakMap<PlacedChange, Buffer>()
const listFrames = new WeakMap<readonly PlacedChange[], Buffer>()

function formatFrames(placedChanges: readonly PlacedChange[]): Buffer {
  const listFrame = listFrames.get(placedChanges)
  if (listFrame !== undefined) return listFrame
  const bytes = Buffer.concat(placedChanges.map(formatFrame))
  listFrames.set(placedChanges, bytes)
  return bytes
}

function formatFrame(placedChange: PlacedChange): Buffer {
  const knownFrame = frames.get(placedChange)
  if (knownFrame !== undefined) return knownFrame
  const { change, cursor } = placedChange
  const frame = Buffer.from(`id: ${cursor}\nevent: ${change.event}\ndata: ${JSON.stringify(change)}\n\n`)
  frames.set(placedChange, frame)
  return frame
}
