import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { listOf } from '../../http/paging.ts'
import type { Server } from '../../http/server.ts'
import {
  apiKeySchema,
  createdKeySchema,
  createKeySchema,
  createOwnKeySchema,
  idParams,
  keyQuery,
  ownKeyQuery,
} from '../admin-schema.ts'
import {
  type CreatedApiKey,
  createKeyFor,
  createOwnKey,
  listAllKeys,
  listOwnKeys,
  revokeAnyKey,
  revokeOwnKey,
} from './api-keys.ts'

/** Keys: everybody's own, and all of them for organisation admins. */
export async function keyRoutes(app: Server): Promise<void> {
  app.get(
    '/me/api-keys',
    {
      schema: {
        tags: ['Access'],
        operationId: 'me.keys.list',
        summary: 'List your keys',
        querystring: ownKeyQuery,
        response: { 200: listOf(apiKeySchema) },
      },
    },
    (request) => listOwnKeys(request.ctx, request.query),
  )

  app.post(
    '/me/api-keys',
    {
      schema: {
        tags: ['Access'],
        operationId: 'me.keys.create',
        summary: 'Create a key for yourself',
        body: createOwnKeySchema,
        response: { 201: createdKeySchema },
      },
    },
    async (request, reply) => sendSecret(reply, await createOwnKey(request.ctx, request.body)),
  )

  app.delete(
    '/me/api-keys/:id',
    {
      schema: {
        tags: ['Access'],
        operationId: 'me.keys.revoke',
        summary: 'Revoke one of your keys',
        params: idParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await revokeOwnKey(request.ctx, request.params.id)
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/admin/api-keys',
    {
      schema: {
        tags: ['Administration'],
        operationId: 'keys.list',
        summary: 'List the keys of the organisation',
        querystring: keyQuery,
        response: { 200: listOf(apiKeySchema) },
      },
    },
    (request) => listAllKeys(request.ctx, request.query),
  )

  app.post(
    '/admin/api-keys',
    {
      schema: {
        tags: ['Administration'],
        operationId: 'keys.create',
        summary: 'Create a key for a principal',
        body: createKeySchema,
        response: { 201: createdKeySchema },
      },
    },
    async (request, reply) => sendSecret(reply, await createKeyFor(request.ctx, request.body)),
  )

  app.delete(
    '/admin/api-keys/:id',
    {
      schema: {
        tags: ['Administration'],
        operationId: 'keys.revoke',
        summary: 'Revoke a key',
        params: idParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await revokeAnyKey(request.ctx, request.params.id)
      return reply.code(204).send(null)
    },
  )
}

function sendSecret(reply: FastifyReply, created: CreatedApiKey): FastifyReply {
  return reply.code(201).header('Cache-Control', 'no-store').send(created)
}
