import { parseSlug } from '@recto/contract/page-address.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import {
  approveRequest,
  askForAccess,
  declineRequest,
  listAccessRequests,
} from '../../../content/spaces/requests/requests.ts'
import { approveSchema, askSchema } from '../../../content/spaces/requests/schema.ts'
import { readSpace } from '../../../content/spaces/space.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject } from '../../../platform/http/schemas.ts'
import { checked, filled, readText } from '../fields.ts'
import { findText, msg } from '../html.ts'
import { formRoute, type Screen, type Shown, screenRoute, whenDone } from '../screen.ts'
import { ASK, HOME, settingsUrl } from '../urls.ts'
import { requestsScreen } from './requests-view.ts'

const DONE: Readonly<Record<string, string>> = { approved: msg('They have access now.'), declined: msg('Declined.') }
const query = strictObject({ cursor: pagingParameters.cursor, done: Type.Optional(Type.String()) })

type SlugRequest = FastifyRequest<{ Params: { slug: string } }>

/** The form that asks for access, and the requests to a space. */
export const requestScreenRoutes = registerRoutes(
  formRoute(ASK, {
    act: ({ ctx, body }) => {
      const input = { space: readText(body, 'space'), ...filled(body, 'path', 'note') }
      return whenDone(askForAccess(ctx, checked(askSchema, input)), HOME, 'asked')
    },
  }),
  screenRoute('/settings/:slug/requests', {
    query,
    view: (request) => list(request, { ...request.query, done: findText(DONE, request.query.done) }),
  }),
  formRoute('/settings/:slug/requests/:id/approve', {
    act: ({ ctx, params: { slug, id }, body }) => {
      const approval = checked(approveSchema, filled(body, 'role', 'folder'))
      const work = approveRequest(ctx, { space: parseSlug(slug), id }, approval)
      return whenDone(work, settingsUrl(slug, 'requests'), 'approved')
    },
    view: (request, failed) => list(request, { failed }),
  }),
  formRoute('/settings/:slug/requests/:id/decline', {
    act: ({ ctx, params: { slug, id } }) =>
      whenDone(declineRequest(ctx, { space: parseSlug(slug), id }), settingsUrl(slug, 'requests'), 'declined'),
    view: (request, failed) => list(request, { failed }),
  }),
)

async function list({ ctx, params }: SlugRequest, { cursor, ...shown }: Shown): Promise<Screen> {
  const slug = parseSlug(params.slug)
  const requests = await listAccessRequests(ctx, { space: slug, ...(cursor !== undefined && { cursor }) })
  return requestsScreen({ space: await readSpace(ctx, slug), requests, cursor, ...shown })
}
