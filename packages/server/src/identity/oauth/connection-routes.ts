import { endpointsOf, routesOf } from '../../platform/http/endpoint.ts'
import { listOf, pagingQuery } from '../../platform/http/paging.ts'
import { endOwnConnection, listOwnConnections } from './connections.ts'
import { connectionSchema } from './schema.ts'

const { action, endpoint } = endpointsOf('Access')

/** The apps that act for the caller. */
export const connectionRoutes = routesOf(
  endpoint({
    route: 'GET /me/connections',
    operationId: 'me.connections.list',
    summary: 'List the apps that act for you',
    querystring: pagingQuery,
    response: { 200: listOf(connectionSchema) },
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
