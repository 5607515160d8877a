import { parseSlug } from '@recto/contract/page-address.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { StreamSlots } from '../../access/limits/limits.ts'
import { spaceParameter } from '../../access/schema.ts'
import { endpoint } from '../../platform/http/endpoint.ts'
import { accepts } from '../../platform/http/negotiate.ts'
import { onClosed } from '../../platform/http/request-scope.ts'
import { strictObject } from '../../platform/http/schemas.ts'
import type { Server } from '../../platform/http/server.ts'
import { parseKinds, type ReadChanges, readChanges } from './changes.ts'
import type { Feed } from './feed.ts'
import { createHeartbeats, HEARTBEAT_MS, type Heartbeats } from './heartbeats.ts'
import { joinFeed, pollChanges } from './poll.ts'
import type { FeedReaders } from './readers.ts'
import { changesSchema } from './schema.ts'
import { sendEvents, streamChanges } from './stream.ts'

export interface ChangeRouteOptions {
  readonly feed: Feed
  readonly readers: FeedReaders
  readonly slots: StreamSlots
}

const query = strictObject({
  since: Type.Optional(
    Type.String({
      maxLength: 4096,
      description: '`nextCursor` of the answer before, or `now`; absent: the beginning.',
    }),
  ),
  space: Type.Optional(spaceParameter),
  movesAway: Type.Optional(
    Type.Boolean({
      description: 'Has no effect any more: with `space`, what leaves the space is always told there.',
      deprecated: true,
    }),
  ),
  kinds: Type.Optional(
    Type.String({ maxLength: 1000, description: 'Comma-separated, such as `page.created,page.updated`.' }),
  ),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 30,
      default: 0,
      description: 'Seconds to wait for a change if there is none yet.',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
})

type ChangesRequest = FastifyRequest<{ Querystring: Static<typeof query> }>

interface ChangeDeps extends ChangeRouteOptions {
  readonly heartbeats: Heartbeats
}

/** The change feed: polling, long polling and Server-Sent Events. */
export async function changeRoutes(app: Server, options: ChangeRouteOptions): Promise<void> {
  // Waiting requests end at once, so that a shutdown does not wait for them.
  app.addHook('preClose', async () => options.feed.close())
  changes(app, { ...options, heartbeats: createHeartbeats(HEARTBEAT_MS) })
}

const changes = endpoint({
  route: 'GET /changes',
  config: { errors: ['invalid_cursor'] },
  tags: ['Changes'],
  operationId: 'changes.list',
  summary: 'Read the change feed, in order and without gaps',
  description:
    'Every event that you may see, your personal space included. `Accept: ' +
    'text/event-stream` makes it a stream of Server-Sent Events, which continues from `Last-Event-ID`.',
  produces: ['application/json', 'text/event-stream'],
  querystring: query,
  response: { 200: changesSchema },
  handler: async (request, reply, deps: ChangeDeps) => {
    const { since, space, kinds, wait = 0, limit } = request.query
    const input: ReadChanges = {
      ...(since !== undefined && { since }),
      ...(space !== undefined && { space: parseSlug(space) }),
      ...(kinds !== undefined && { kinds: parseKinds(kinds) }),
      ...(limit !== undefined && { limit }),
    }
    if (accepts(request, 'text/event-stream')) return sendStream(request, reply, input, deps)
    reply.header('Cache-Control', 'no-store')
    if (wait === 0) return reply.send(await readChanges(request.ctx, input))
    deps.slots.take(request, reply)
    const readerLeft = new Promise<void>((resolve) => onClosed(reply, resolve))
    using _reader = deps.readers.open('wait')
    return reply.send(await pollChanges(request.ctx, input, { feed: deps.feed, seconds: wait, left: readerLeft }))
  },
})

async function sendStream(
  request: ChangesRequest,
  reply: FastifyReply,
  input: ReadChanges,
  { feed, readers, slots, heartbeats }: ChangeDeps,
): Promise<never> {
  const { ctx } = request
  slots.take(request, reply)
  const last = request.headers['last-event-id']
  const from = typeof last === 'string' && last !== '' ? { ...input, since: last } : input
  // Fails before the stream begins, while a status can still be sent.
  const { follower, first } = await joinFeed(ctx, from, feed)
  const reader = readers.open('stream')
  return sendEvents(request, reply, (stream) =>
    streamChanges(stream, { ctx, input: from, first, feed, follower, reader, heartbeats }).finally(() => {
      follower[Symbol.dispose]()
      reader[Symbol.dispose]()
    }),
  ) as never // the schema is that of the JSON response
}
