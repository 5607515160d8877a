import { parseSlug } from '@recto/contract/page-address.ts'
import { spaceParams } from '../../../access/schema.ts'
import { declareEndpoints, registerRoutes } from '../../../platform/http/endpoint.ts'
import { listSchema, pagingQuery } from '../../../platform/http/paging.ts'
import { ASKED, approveRequest, askForAccess, declineRequest, listAccessRequests } from './requests.ts'
import { accessRequestSchema, approveSchema, askedSchema, askSchema } from './schema.ts'

const { action, endpoint } = declareEndpoints('Spaces', spaceParams.properties)

/** Asking for access, and the requests to a space for its admins. */
export const requestRoutes = registerRoutes(
  endpoint({
    route: 'POST /access-requests',
    config: { scope: 'admin', errors: ['forbidden', 'invalid_path', 'invalid_slug', 'too_many_requests'] },
    operationId: 'accessRequests.create',
    summary: 'Ask for access to a space, or to a page or file',
    description: 'The response is the same whether or not it exists. Repeated requests for the same are one.',
    body: askSchema,
    response: { 202: askedSchema },
    handler: async ({ ctx, body }, reply) => {
      await askForAccess(ctx, body)
      return reply.code(202).send({ message: ASKED })
    },
  }),
  endpoint({
    route: 'GET /spaces/:space/access-requests',
    config: { scope: 'admin' },
    operationId: 'spaces.accessRequests.list',
    summary: 'List the open requests for access to a space',
    querystring: pagingQuery,
    response: { 200: listSchema(accessRequestSchema) },
    handler: ({ ctx, params, query }) => listAccessRequests(ctx, { ...query, space: parseSlug(params.space) }),
  }),
  action({
    route: 'POST /spaces/:space/access-requests/:id/approve',
    config: { scope: 'admin', errors: ['confirmation_required', 'invalid_path'] },
    operationId: 'spaces.accessRequests.approve',
    summary: 'Give somebody who asked for access a role in a space, or access to a folder',
    body: approveSchema,
    act: ({ ctx, params: { space, id }, body }) => approveRequest(ctx, { id, space: parseSlug(space) }, body),
  }),
  action({
    route: 'POST /spaces/:space/access-requests/:id/decline',
    config: { scope: 'admin' },
    operationId: 'spaces.accessRequests.decline',
    summary: 'Decline a request for access',
    act: ({ ctx, params: { space, id } }) => declineRequest(ctx, { id, space: parseSlug(space) }),
  }),
)
