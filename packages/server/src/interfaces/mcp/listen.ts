import type { FastifyReply, FastifyRequest } from 'fastify'
import type { StreamSlots } from '../../access/limits/limits.ts'
import type { Feed } from '../../events/feed/feed.ts'
import { joinFeed } from '../../events/feed/poll.ts'
import type { FeedReaders } from '../../events/feed/readers.ts'
import { nextChanges } from '../../events/feed/stream.ts'
import { watchesItself } from '../../identity/rights/watched-answers.ts'
import { onClosed } from '../../platform/http/request-scope.ts'
import type { loadHandlerModule } from './load.ts'
import { SUBSCRIBED_KINDS, subscribedUris, toEvents } from './subscription.ts'

type HandlerModule = Awaited<ReturnType<typeof loadHandlerModule>>
type McpHandler = ReturnType<HandlerModule['createHandler']>

export interface ListenDeps {
  readonly feed: Feed
  readonly readers: FeedReaders
  readonly slots: StreamSlots
}

/**
 * Serves `subscriptions/listen`: a stream of notifications, by a handler of its own, whose bus gets only what this
 * caller can see. The feed looks up the rights of its followers before each event, and the stream ends when the
 * credential does.
 */
export async function serveListen(
  request: FastifyRequest,
  reply: FastifyReply,
  { feed, readers, slots }: ListenDeps,
  start: { readonly createHandler: () => McpHandler; fetch(handler: McpHandler): Promise<Response> },
): Promise<Response> {
  slots.take(request, reply)
  watchesItself(request)
  const { ctx, body, log } = request
  const input = { since: 'now', kinds: SUBSCRIBED_KINDS }
  const { follower, first } = await joinFeed(ctx, input, feed)
  const reader = readers.open('stream')
  onClosed(reply, () => {
    follower[Symbol.dispose]()
    reader[Symbol.dispose]()
  })
  const handler = start.createHandler()
  const uris = subscribedUris(body)
  const publish = async () => {
    let changes = first
    while (!follower.disposed && !feed.closed && follower.lost === undefined) {
      changes = await nextChanges({ ctx, input, follower }, changes)
      for (const { change } of changes.placed) {
        for (const event of toEvents(change, uris)) handler.bus.publish(event)
      }
    }
  }
  const response = await start.fetch(handler)
  publish()
    .catch((error) => log.warn({ err: error }, 'a subscription ended'))
    .finally(() => handler.close())
  return response
}
