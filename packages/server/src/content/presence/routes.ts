import { inputError } from '@recto/contract/errors.ts'
import { parsePagePath, parseSlug } from '@recto/contract/page-address.ts'
import { Type } from 'typebox'
import type { StreamSlots } from '../../access/limits/stream-slots.ts'
import { createHeartbeats, HEARTBEAT_MS } from '../../events/feed/heartbeats.ts'
import { sendEvents } from '../../events/feed/stream.ts'
import { endpoint } from '../../platform/http/endpoint.ts'
import { strictObject } from '../../platform/http/schemas.ts'
import type { Server } from '../../platform/http/server.ts'
import { followOpenPages, type OpenPage, type PresenceDeps } from './open-pages.ts'

const MAX_PAGES = 50
const PAGE_HINT = `${MAX_PAGES} pages at most in all, each as \`<space>/<path>\`.`

export interface PresenceRouteOptions extends Omit<PresenceDeps, 'heartbeats'> {
  readonly slots: StreamSlots
}

/** The stream of the pages that a browser has open. */
export async function presenceRoutes(app: Server, options: PresenceRouteOptions): Promise<void> {
  presence(app, { ...options, heartbeats: createHeartbeats(HEARTBEAT_MS) })
}

const pages = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))

const presence = endpoint({
  route: 'GET /presence',
  tags: ['Changes'],
  operationId: 'presence.stream',
  summary: 'Follow pages that are open, and who has them open',
  description:
    'Server-Sent Events about the named pages that you may read: `presence` (`{ space, path, people: [{ id, name, state }], version? }`: the others at a page, first for each page with its version, then whenever somebody comes or leaves) and `change` (an event of the change feed about one of them). One stream serves all windows of a browser. People who are signed in with a browser are shown to the other readers of a page while their stream is open, unless they hide it; nothing is stored.',
  produces: ['text/event-stream'],
  querystring: strictObject({
    page: pages(`Pages in windows that are not in front: their reader is not shown there. ${PAGE_HINT}`),
    reading: pages('Pages that are read.'),
    editing: pages('Pages that are edited.'),
  }),
  response: { 200: Type.String() },
  handler: async (request, reply, { slots, ...deps }: PresenceRouteOptions & PresenceDeps) => {
    const { page = [], reading = [], editing = [] } = request.query
    const openPages = [
      ...page.map((each) => parseOpenPage(each, undefined)),
      ...reading.map((each) => parseOpenPage(each, 'reading')),
      ...editing.map((each) => parseOpenPage(each, 'editing')),
    ]
    if (openPages.length === 0 || openPages.length > MAX_PAGES) {
      throw inputError('invalid_request', `Name 1 to ${MAX_PAGES} pages.`, 'page', `must be 1 to ${MAX_PAGES} pages`)
    }
    slots.take(request, reply)
    const run = await followOpenPages(request.ctx, openPages, deps)
    return sendEvents(request, reply, run) as never // the schema is that of a text
  },
})

function parseOpenPage(text: string, state: OpenPage['state']): OpenPage {
  const slash = text.indexOf('/')
  if (slash === -1) throw inputError('invalid_request', `\`${text}\` has no path.`, 'page', 'must be <space>/<path>')
  return { space: parseSlug(text.slice(0, slash)), path: parsePagePath(text.slice(slash + 1)), state }
}
