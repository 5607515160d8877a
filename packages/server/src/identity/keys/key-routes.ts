import type { FastifyReply } from 'fastify'
import { declareEndpoints, registerRoutes } from '../../platform/http/endpoint.ts'
import { listSchema } from '../../platform/http/schemas.ts'
import * as schema from '../principals/admin-schema.ts'
import * as keys from './api-keys.ts'

const access = declareEndpoints('Access')
const administration = declareEndpoints('Administration')

/** Keys: those of the caller, and all of them for organisation admins. */
export const keyRoutes = registerRoutes<{ readonly tellOwner: keys.TellOwner }>(
  access.endpoint({
    route: 'GET /me/api-keys',
    operationId: 'me.keys.list',
    summary: 'List your keys',
    querystring: schema.ownKeyQuery,
    response: { 200: listSchema(schema.apiKeySchema) },
    handler: (request) => keys.listOwnKeys(request.ctx, request.query),
  }),
  access.endpoint({
    route: 'POST /me/api-keys',
    config: { errors: ['confirmation_required'], scope: 'admin' },
    operationId: 'me.keys.create',
    summary: 'Create a key for yourself',
    body: schema.createOwnKeySchema,
    response: { 201: schema.createdKeySchema },
    handler: async (request, reply) => sendSecret(reply, await keys.createOwnKey(request.ctx, request.body)),
  }),
  access.action({
    route: 'DELETE /me/api-keys/:id',
    config: { scope: 'read', errors: ['last_admin'] },
    operationId: 'me.keys.revoke',
    summary: 'Revoke one of your keys',
    act: (request) => keys.revokeOwnKey(request.ctx, request.params.id),
  }),
  administration.endpoint({
    route: 'GET /admin/api-keys',
    operationId: 'keys.list',
    summary: 'List the keys of the organisation',
    querystring: schema.keyQuery,
    response: { 200: listSchema(schema.apiKeySchema) },
    handler: (request) => keys.listAllKeys(request.ctx, request.query),
  }),
  administration.endpoint({
    route: 'POST /admin/api-keys',
    config: { errors: ['confirmation_required', 'not_found'] },
    operationId: 'keys.create',
    summary: 'Create a key for a principal',
    body: schema.createKeySchema,
    response: { 201: schema.createdKeySchema },
    handler: async (request, reply, { tellOwner }) =>
      sendSecret(reply, await keys.createKeyFor(request.ctx, request.body, tellOwner)),
  }),
  administration.action({
    route: 'DELETE /admin/api-keys/:id',
    config: { errors: ['last_admin'] },
    operationId: 'keys.revoke',
    summary: 'Revoke a key',
    act: (request) => keys.revokeAnyKey(request.ctx, request.params.id),
  }),
)

function sendSecret(reply: FastifyReply, createdKey: keys.CreatedApiKey): FastifyReply {
  return reply.code(201).header('Cache-Control', 'no-store').send(createdKey)
}
