import { PassThrough } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { unauthorized } from '../access/authenticate.ts'
import type { Caller } from '../access/caller.ts'
import { spaceParameter } from '../access/schema.ts'
import { accepts } from '../http/negotiate.ts'
import { parseSlug } from '../http/page-address.ts'
import type { Server } from '../http/server.ts'
import { type Changes, parseKinds, type ReadChanges, readChanges, readPlaced } from './changes.ts'
import type { Pulse } from './pulse.ts'
import type { FeedReader, FeedReaders } from './readers.ts'
import { changesSchema } from './schema.ts'

export interface ChangeRouteOptions {
  readonly pulse: Pulse
  readonly readers: FeedReaders
  /** Who sends the request, asked again: a stream must end when its key does. */
  readonly callerOf: (request: FastifyRequest) => Promise<Caller | undefined>
}

const query = Type.Object(
  {
    since: Type.Optional(
      Type.String({
        maxLength: 4096,
        description: '`nextCursor` of the answer before, or `now`; absent: the beginning.',
      }),
    ),
    space: Type.Optional(spaceParameter),
    kinds: Type.Optional(
      Type.String({ maxLength: 1000, description: 'Comma-separated, such as `page.created,page.updated`.' }),
    ),
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 30,
        default: 0,
        description: 'Seconds to wait for a change where there is none.',
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  },
  { additionalProperties: false },
)

const HEARTBEAT_MS = 15_000

/** The feed of everything that the caller may see, by polling, by waiting, or as a stream. */
export async function changeRoutes(app: Server, options: ChangeRouteOptions): Promise<void> {
  const { pulse, readers } = options
  // Who waits is let go at once, so that stopping takes no longer for them.
  app.addHook('preClose', async () => pulse.close())

  app.get(
    '/changes',
    {
      schema: {
        tags: ['Changes'],
        summary: 'Read what happened, in order and without gaps',
        description:
          'Every event that you may see, your personal space included. `Accept: text/event-stream` makes it a stream of Server-Sent Events, which goes on from `Last-Event-ID`.',
        produces: ['application/json', 'text/event-stream'],
        querystring: query,
        response: { 200: changesSchema },
      },
    },
    async (request, reply) => {
      const { since, space, kinds, wait = 0, limit } = request.query
      const input: ReadChanges = {
        ...(since !== undefined && { since }),
        ...(space !== undefined && { space: parseSlug(space) }),
        ...(kinds !== undefined && { kinds: parseKinds(kinds) }),
        ...(limit !== undefined && { limit }),
      }
      if (!accepts(request, 'text/event-stream')) {
        using _reader = wait > 0 ? readers.open('wait') : undefined
        return reply
          .header('Cache-Control', 'no-store')
          .send(await waitForChanges(request, reply, input, wait, options))
      }
      const last = request.headers['last-event-id']
      const from = typeof last === 'string' && last !== '' ? { ...input, since: last } : input
      // Refused before the stream begins, while a status can still be sent.
      const first = await readPlaced(request.ctx, from)
      const stream = new PassThrough()
      const reader = readers.open('stream')
      send({ stream, reader, request, input: from }, first, options)
        .catch((error) => {
          request.log.warn({ err: error }, 'a stream of changes ended')
          stream.end()
        })
        .finally(() => reader[Symbol.dispose]())
      return reply
        .headers({
          'Content-Type': 'text/event-stream; charset=utf-8',
          'Cache-Control': 'no-store',
          'X-Accel-Buffering': 'no',
        })
        .send(stream as never) // the schema is that of the JSON answer
    },
  )
}

/** Whoever waits is asked again before the answer: a key that was revoked meanwhile is told nothing. */
async function waitForChanges(
  request: FastifyRequest,
  reply: FastifyReply,
  input: ReadChanges,
  seconds: number,
  { pulse, callerOf }: ChangeRouteOptions,
): Promise<Changes> {
  const until = Date.now() + seconds * 1000
  const left = new Promise((resolve) => reply.raw.once('close', resolve))
  let changes = await readChanges(request.ctx, input)
  // What `now` meant is settled by the first answer.
  while (changes.items.length === 0 && Date.now() < until && !pulse.over && !reply.raw.destroyed) {
    await Promise.race([pulse.wait(until - Date.now()), left])
    const actor = await callerOf(request)
    if (!actor) throw unauthorized('The session has ended.')
    changes = await readChanges({ ...request.ctx, actor }, { ...input, since: changes.nextCursor })
  }
  return changes
}

interface Subscription {
  readonly stream: PassThrough
  readonly reader: FeedReader
  readonly request: FastifyRequest
  readonly input: ReadChanges
}

/** Writes changes to the stream until its reader leaves, its key ends, or the process does. */
async function send(
  { stream, reader, request, input }: Subscription,
  first: Awaited<ReturnType<typeof readPlaced>>,
  { pulse, callerOf }: ChangeRouteOptions,
): Promise<void> {
  let changes = first
  let quietSince = Date.now()
  stream.write('retry: 1000\n\n')
  while (!stream.destroyed && !pulse.over) {
    const { placed, hasMore } = changes
    reader.behindSince = hasMore ? placed.at(-1)?.change.occurredAt : placed[0]?.change.occurredAt
    for (const { change, cursor } of placed) {
      const text = `id: ${cursor}\nevent: ${change.event}\ndata: ${JSON.stringify(change)}\n\n`
      if (!stream.write(text))
        await new Promise((resolve) => stream.once('drain', resolve).once('close', resolve))
    }
    if (!hasMore) reader.behindSince = undefined
    if (placed.length > 0) quietSince = Date.now()
    if (!hasMore) await pulse.wait(1000)
    if (Date.now() - quietSince > HEARTBEAT_MS) {
      stream.write(': still here\n\n')
      quietSince = Date.now()
    }
    const actor = await callerOf(request)
    if (!actor) break
    changes = await readPlaced({ ...request.ctx, actor }, { ...input, since: changes.nextCursor })
  }
  stream.end()
}
