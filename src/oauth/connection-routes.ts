import { Type } from 'typebox'
import { idParams } from '../access/admin-schema.ts'
import { listOf, pagingQuery } from '../http/paging.ts'
import type { Server } from '../http/server.ts'
import { endOwnConnection, listOwnConnections } from './connections.ts'
import { connectionSchema } from './schema.ts'

/** The apps that act for the caller. */
export async function connectionRoutes(app: Server): Promise<void> {
  app.get(
    '/me/connections',
    {
      schema: {
        tags: ['Access'],
        operationId: 'me.connections.list',
        summary: 'List the apps that act for you',
        querystring: pagingQuery,
        response: { 200: listOf(connectionSchema) },
      },
    },
    (request) => listOwnConnections(request.ctx, request.query),
  )

  app.delete(
    '/me/connections/:id',
    {
      schema: {
        tags: ['Access'],
        operationId: 'me.connections.end',
        summary: 'Disconnect an app',
        params: idParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await endOwnConnection(request.ctx, request.params.id)
      return reply.code(204).send(null)
    },
  )
}
