import { AppError } from '@recto/contract/errors.ts'
import { noneMatch } from '@recto/lib/network/header-values.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../access/ctx.ts'
import { parseJsonBody } from '../../platform/http/bodies/body.ts'
import { SCIM_JSON } from '../../platform/http/problems/scim-error.ts'
import type { Server } from '../../platform/http/server.ts'
import { definitionList, resourceTypes, schemaDefinitions, serviceProviderConfig } from './definitions.ts'
import { groups } from './groups.ts'
import { type PatchBody, patchSchema } from './patch.ts'
import { type Json, type Precondition, type Resource, SCIM_PATH, type ScimQuery, scimQuery } from './protocol.ts'
import { selectAttributes } from './select-attributes.ts'
import { users } from './users.ts'

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
  app.addContentTypeParser(SCIM_JSON, { parseAs: 'buffer' }, async (_request: FastifyRequest, bytes: Buffer) =>
    bytes.length === 0 ? undefined : parseJsonBody(bytes),
  )
  discoveryRoutes(app)
  resourceRoutes(app, 'Users', users)
  resourceRoutes(app, 'Groups', groups)
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
    app.get(`${SCIM_PATH}/${name}`, reading, async (request, reply) => send(reply, definitionList(all(url(request)))))
    app.get(`${SCIM_PATH}/${name}/:id`, readingOne, async (request, reply) => {
      const resource = all(url(request)).find(({ id }) => id === request.params.id)
      if (!resource) throw new AppError('not_found', `There is nothing with this id in ${name}.`)
      return send(reply, resource)
    })
  }
}

/** The use cases of one kind of resources. */
interface Resources {
  list(ctx: Ctx, query: ScimQuery): Promise<Json>
  read(ctx: Ctx, id: string, query: ScimQuery): Promise<Resource>
  create(ctx: Ctx, body: Json): Promise<Resource>
  replace(ctx: Ctx, id: string, input: Precondition & { readonly body: Json }): Promise<Resource>
  /** Undefined: the response has no body. */
  patch(
    ctx: Ctx,
    id: string,
    input: Precondition & { readonly body: PatchBody },
    query: ScimQuery,
  ): Promise<Resource | undefined>
  remove(ctx: Ctx, id: string, precondition: Precondition): Promise<void>
}

function resourceRoutes(app: Server, name: string, resources: Resources): void {
  const url = `${SCIM_PATH}/${name}`
  app.get(url, reading, async ({ ctx, query }, reply) => send(reply, await resources.list(ctx, query)))
  app.get(`${url}/:id`, readingOne, async (request, reply) =>
    sendResource(request, reply, await resources.read(request.ctx, request.params.id, request.query)),
  )
  app.post(url, creating, async (request, reply) => {
    const resource = await resources.create(request.ctx, request.body)
    reply.code(201).header('Location', resource.meta.location)
    return sendResource(request, reply, resource)
  })
  app.put(`${url}/:id`, replacing, async (request, reply) => {
    const input = { body: request.body, ...precondition(request) }
    return sendResource(request, reply, await resources.replace(request.ctx, request.params.id, input))
  })
  app.patch(`${url}/:id`, patching, async (request, reply) => {
    const input = { body: request.body, ...precondition(request) }
    const resource = await resources.patch(request.ctx, request.params.id, input, request.query)
    return resource ? sendResource(request, reply, resource) : reply.code(204).send()
  })
  app.delete(`${url}/:id`, deleting, async (request, reply) => {
    await resources.remove(request.ctx, request.params.id, precondition(request))
    return reply.code(204).send()
  })
}

function precondition({ headers }: FastifyRequest): Precondition {
  return { ifMatch: headers['if-match'] }
}

function send(reply: FastifyReply, json: Json): FastifyReply {
  return reply.type(SCIM_JSON).serializer(JSON.stringify).send(json)
}

type Queried = FastifyRequest<{ Querystring: ScimQuery }>

function sendResource(request: Queried, reply: FastifyReply, resource: Resource): FastifyReply {
  const { version } = resource.meta
  const knownTag = request.headers['if-none-match']
  reply.header('ETag', version)
  if (request.method === 'GET' && knownTag !== undefined && !noneMatch(knownTag, version)) return reply.code(304).send()
  return send(reply, selectAttributes(resource, request.query))
}
