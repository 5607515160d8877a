import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { AppError } from '../../../../contract/src/errors.ts'
import { noneMatch } from '../../../../lib/src/network/etag.ts'
import { parseJsonBody } from '../../platform/http/bodies/body.ts'
import { SCIM_JSON } from '../../platform/http/problems/scim-error.ts'
import type { Server } from '../../platform/http/server.ts'
import { definitionList, resourceTypes, schemaDefinitions, serviceProviderConfig } from './definitions.ts'
import { createGroup, deleteGroup, listGroups, patchGroup, readGroup, replaceGroup } from './groups.ts'
import { patchSchema } from './patch.ts'
import { type Json, type Resource, SCIM_PATH, type ScimQuery, scimQuery } from './protocol.ts'
import { selectAttributes } from './select-attributes.ts'
import { createUser, deleteUser, listUsers, patchUser, readUser, replaceUser } from './users.ts'

/** Described by its own documents (RFC 7643, 5 to 7), not by OpenAPI. */
const config = { isScim: true }
const hide = true
const params = Type.Object({ id: Type.String({ maxLength: 200 }) })
const body = Type.Unsafe<Json>({ type: 'object' })

const reading = { config, schema: { hide, querystring: scimQuery } } as const
const readingOne = { config, schema: { hide, params, querystring: scimQuery } } as const
const creating = { config, schema: { hide, querystring: scimQuery, body } } as const
const replacing = { config, schema: { hide, params, querystring: scimQuery, body } } as const
const patching = { config, schema: { hide, params, querystring: scimQuery, body: patchSchema } } as const
const deleting = { config, schema: { hide, params } } as const

/** SCIM 2.0 (RFC 7644): an identity provider keeps people and groups. */
export async function scimRoutes(app: Server): Promise<void> {
  app.addContentTypeParser(
    SCIM_JSON,
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, bytes: Buffer) =>
      bytes.length === 0 ? undefined : parseJsonBody(bytes),
  )
  discoveryRoutes(app)
  userRoutes(app)
  groupRoutes(app)
}

function discoveryRoutes(app: Server): void {
  const url = (request: FastifyRequest) => request.ctx.config.publicUrl
  app.get(`${SCIM_PATH}/ServiceProviderConfig`, reading, async (request, reply) =>
    send(reply, serviceProviderConfig(url(request))),
  )
  for (const [name, all] of [
    ['ResourceTypes', resourceTypes],
    ['Schemas', schemaDefinitions],
  ] as const) {
    app.get(`${SCIM_PATH}/${name}`, reading, async (request, reply) =>
      send(reply, definitionList(all(url(request)))),
    )
    app.get(`${SCIM_PATH}/${name}/:id`, readingOne, async (request, reply) => {
      const found = all(url(request)).find(({ id }) => id === request.params.id)
      if (!found) throw new AppError('not_found', `There is nothing with this id in ${name}.`)
      return send(reply, found)
    })
  }
}

function userRoutes(app: Server): void {
  const url = `${SCIM_PATH}/Users`
  app.get(url, reading, async ({ ctx, query }, reply) => send(reply, await listUsers(ctx, query)))
  app.get(`${url}/:id`, readingOne, async (request, reply) =>
    sendResource(request, reply, await readUser(request.ctx, request.params.id)),
  )
  app.post(url, creating, async (request, reply) =>
    sendCreated(request, reply, await createUser(request.ctx, request.body)),
  )
  app.put(`${url}/:id`, replacing, async (request, reply) => {
    const input = { body: request.body, ...precondition(request) }
    return sendResource(request, reply, await replaceUser(request.ctx, request.params.id, input))
  })
  app.patch(`${url}/:id`, patching, async (request, reply) => {
    const input = { body: request.body, ...precondition(request) }
    return sendResource(request, reply, await patchUser(request.ctx, request.params.id, input))
  })
  app.delete(`${url}/:id`, deleting, async (request, reply) => {
    await deleteUser(request.ctx, request.params.id, precondition(request))
    return reply.code(204).send()
  })
}

function groupRoutes(app: Server): void {
  const url = `${SCIM_PATH}/Groups`
  app.get(url, reading, async ({ ctx, query }, reply) => send(reply, await listGroups(ctx, query)))
  app.get(`${url}/:id`, readingOne, async (request, reply) =>
    sendResource(request, reply, await readGroup(request.ctx, request.params.id, request.query)),
  )
  app.post(url, creating, async (request, reply) =>
    sendCreated(request, reply, await createGroup(request.ctx, request.body)),
  )
  app.put(`${url}/:id`, replacing, async (request, reply) => {
    const input = { body: request.body, ...precondition(request) }
    return sendResource(request, reply, await replaceGroup(request.ctx, request.params.id, input))
  })
  // Without the group, which may have thousands of members (RFC 7644, 3.5.2).
  app.patch(`${url}/:id`, patching, async (request, reply) => {
    await patchGroup(request.ctx, request.params.id, { body: request.body, ...precondition(request) })
    const { attributes } = request.query
    if (attributes === undefined) return reply.code(204).send()
    return sendResource(request, reply, await readGroup(request.ctx, request.params.id, request.query))
  })
  app.delete(`${url}/:id`, deleting, async (request, reply) => {
    await deleteGroup(request.ctx, request.params.id, precondition(request))
    return reply.code(204).send()
  })
}

function precondition({ headers }: FastifyRequest): { readonly ifMatch: string | undefined } {
  return { ifMatch: headers['if-match'] }
}

function send(reply: FastifyReply, json: Json): FastifyReply {
  return reply.type(SCIM_JSON).serializer(JSON.stringify).send(json)
}

type Queried = FastifyRequest<{ Querystring: ScimQuery }>

function sendCreated(request: Queried, reply: FastifyReply, resource: Resource): FastifyReply {
  reply.code(201).header('Location', resource.meta.location)
  return sendResource(request, reply, resource)
}

function sendResource(request: Queried, reply: FastifyReply, resource: Resource): FastifyReply {
  const { version } = resource.meta
  const known = request.headers['if-none-match']
  reply.header('ETag', version)
  if (request.method === 'GET' && known !== undefined && !noneMatch(known, version)) {
    return reply.code(304).send()
  }
  return send(reply, selectAttributes(resource, request.query))
}
