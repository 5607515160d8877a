import { declareEndpoints, registerRoutes } from '../../platform/http/endpoint.ts'
import { listSchema, pagingQuery } from '../../platform/http/schemas.ts'
import { endOwnConnection, listOwnConnections } from './connections.ts'
import { connectionSchema } from './schema.ts'

const { action, endpoint } = declareEndpoints('Access')

/** The apps that act for the caller. */
export const connectionRoutes = registerRoutes(
  endpoint({
    route: 'GET /me/connections',
    operationId: 'me.connections.list',
    summary: 'List the apps that act for you',
    querystring: pagingQuery,
    response: { 200: listSchema(connectionSchema) },
    handler: (request) => listOwnConnections(request.ctx, request.query),
  }),
  action({
    route: 'DELETE /me/connections/:id',
    config: { scope: 'admin' },
    operationId: 'me.connections.end',
    summary: 'Disconnect an app',
    act: (request) => endOwnConnection(request.ctx, request.params.id),
  }),
)
