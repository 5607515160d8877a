import { inputError } from '@recto/contract/errors.ts'
import { parsePagePath, parseSlug } from '@recto/contract/page-address.ts'
import { Type } from 'typebox'
import type { StreamSlots } from '../../access/limits/limits.ts'
import { createHeartbeats, HEARTBEAT_MS } from '../../events/feed/heartbeats.ts'
import { sendEvents } from '../../events/feed/stream.ts'
import { endpoint } from '../../platform/http/endpoint.ts'
import { accepts } from '../../platform/http/negotiate.ts'
import { enumSchema, strictObject } from '../../platform/http/schemas.ts'
import type { Server } from '../../platform/http/server.ts'
import { PRESENCE_STATES } from './hub.ts'
import { followOpenPages, listPresences, type OpenPage, type PresenceDeps } from './open-pages.ts'

const MAX_PAGES = 50
const PAGE_HINT = `${MAX_PAGES} pages at most in all, each as \`<space>/<path>\`.`

export interface PresenceRouteOptions extends Omit<PresenceDeps, 'heartbeats'> {
  readonly slots: StreamSlots
}

/** The stream of the pages that a browser has open. */
export async function presenceRoutes(app: Server, options: PresenceRouteOptions): Promise<void> {
  presence(app, { ...options, heartbeats: createHeartbeats(HEARTBEAT_MS) })
}

const presencesSchema = strictObject({
  items: Type.Array(
    strictObject({
      space: Type.String(),
      path: Type.String(),
      version: Type.Optional(Type.Integer({ description: 'Of the page; only of the first item of a page.' })),
      people: Type.Array(strictObject({ id: Type.String(), name: Type.String(), state: enumSchema(PRESENCE_STATES) }), {
        description: 'The others who have the page open, by name.',
      }),
    }),
  ),
  unread: Type.Optional(Type.Integer({ description: 'Notifications that are unread, up to 100; with `inbox`.' })),
})

const pages = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))

const presence = endpoint({
  route: 'GET /presence',
  tags: ['Changes'],
  operationId: 'presence.list',
  summary: 'See who else has pages open, and follow these pages',
  description:
    'The named pages that you may read. `Accept: text/event-stream` makes it a stream of Server-Sent Events: ' +
    '`presence` (an item, first for each page, then whenever somebody comes or leaves), ' +
    '`change` (an event of the change feed about one of them), and with `inbox` how many notifications are unread ' +
    '(`{"unread":3}`), first and whenever that may have changed. One stream serves all windows of a browser. ' +
    'People who are signed in with a browser are shown to the other readers of a page while their stream is open, ' +
    'unless they hide it; nothing is stored.',
  produces: ['application/json', 'text/event-stream'],
  querystring: strictObject({
    page: pages(`Pages in windows that are not in front: their reader is not shown there. ${PAGE_HINT}`),
    reading: pages('Pages that are read.'),
    editing: pages('Pages that are edited.'),
    inbox: Type.Optional(Type.Boolean({ description: 'Also how much of your inbox is unread.' })),
  }),
  response: { 200: presencesSchema },
  handler: async (request, reply, { slots, ...deps }: PresenceRouteOptions & PresenceDeps) => {
    const { page = [], reading = [], editing = [], inbox = false } = request.query
    // Of a page that is named twice, what most is done with it counts.
    const openPages = [
      ...editing.map((each) => parseOpenPage(each, 'editing')),
      ...reading.map((each) => parseOpenPage(each, 'reading')),
      ...page.map((each) => parseOpenPage(each, undefined)),
    ]
    if ((openPages.length === 0 && !inbox) || openPages.length > MAX_PAGES) {
      throw inputError('invalid_request', `Name 1 to ${MAX_PAGES} pages.`, 'page', `must be 1 to ${MAX_PAGES} pages`)
    }
    if (!accepts(request, 'text/event-stream')) {
      reply.header('Cache-Control', 'no-store')
      const unread = inbox ? await deps.inbox.count(request.ctx) : {}
      return reply.send({ items: await listPresences(request.ctx, openPages, deps.hub), ...unread })
    }
    slots.take(request, reply)
    const run = await followOpenPages(request.ctx, { pages: openPages, inbox }, deps)
    return sendEvents(request, reply, run) as never // the schema is that of the JSON response
  },
})

function parseOpenPage(text: string, state: OpenPage['state']): OpenPage {
  const slash = text.indexOf('/')
  if (slash === -1) throw inputError('invalid_request', `\`${text}\` has no path.`, 'page', 'must be <space>/<path>')
  return { space: parseSlug(text.slice(0, slash)), path: parsePagePath(text.slice(slash + 1)), state }
}
