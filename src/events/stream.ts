import type { PassThrough } from 'node:stream'
import type { Ctx } from '../access/ctx.ts'
import { type PlacedChange, type PlacedChanges, type ReadChanges, readPlaced } from './changes.ts'
import type { Feed, Follower } from './feed.ts'
import type { Heartbeats } from './heartbeats.ts'
import type { FeedReader } from './readers.ts'

const BATCH = 100

/** Sends changes as Server-Sent Events until the reader leaves, loses access, or the process stops. */
export async function streamChanges(
  stream: PassThrough,
  reading: {
    readonly ctx: Ctx
    readonly input: ReadChanges
    readonly first: PlacedChanges
    readonly feed: Feed
    readonly follower: Follower
    readonly reader: FeedReader
    /** Keep proxies from closing an idle connection. */
    readonly heartbeats: Heartbeats
  },
): Promise<void> {
  const { ctx, input, first, feed, follower, reader, heartbeats } = reading
  // A reader that left is not waited for.
  stream.once('close', () => follower[Symbol.dispose]())
  stream.write('retry: 1000\n\n')
  using _heartbeat = heartbeats.add(() => {
    if (!stream.writableNeedDrain && !stream.writableEnded) stream.write(': still here\n\n')
  })
  await sendAll(first)
  let { nextCursor, end, hasMore } = first
  while (!stream.destroyed && !feed.closed && follower.lost === undefined) {
    if (hasMore || follower.overrun) {
      follower.reset()
      const read = await readPlaced({ ...ctx, actor: follower.actor }, { ...input, since: nextCursor })
      await sendAll(read)
      ;({ nextCursor, end, hasMore } = read)
      continue
    }
    await follower.wait()
    const placed = follower.take(end, BATCH)
    await sendAll({ placed, hasMore: false })
    const last = placed.at(-1)
    if (last) ({ cursor: nextCursor, position: end } = last)
  }
  stream.end()

  async function sendAll({
    placed,
    hasMore: more,
  }: Pick<PlacedChanges, 'placed' | 'hasMore'>): Promise<void> {
    reader.behindSince = placed.at(more ? -1 : 0)?.change.occurredAt
    await send(stream, placed)
    if (!more) reader.behindSince = undefined
  }
}

/** The text of an event, shared by all its readers. */
const frames = new WeakMap<PlacedChange, string>()

async function send(stream: PassThrough, placed: readonly PlacedChange[]): Promise<void> {
  if (placed.length === 0 || stream.destroyed) return
  if (stream.write(placed.map(frameOf).join(''))) return
  await new Promise((resolve) => stream.once('drain', resolve).once('close', resolve))
}

function frameOf(placed: PlacedChange): string {
  const known = frames.get(placed)
  if (known !== undefined) return known
  const { change, cursor } = placed
  const frame = `id: ${cursor}\nevent: ${change.event}\ndata: ${JSON.stringify(change)}\n\n`
  frames.set(placed, frame)
  return frame
}
