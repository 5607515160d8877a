import { Type } from 'typebox'
import { replayInCreatedSpace, replayWithRole } from '../access/replay-authorization.ts'
import { spaceParams } from '../access/schema.ts'
import { parseSlug } from '../http/page-address.ts'
import { listOf, pagingQuery } from '../http/paging.ts'
import type { Server } from '../http/server.ts'
import { deleteSpace } from './delete.ts'
import { spaceGroupRoutes } from './group-routes.ts'
import { memberRoutes } from './member-routes.ts'
import { createSpaceSchema, deleteSpaceQuery, spaceSchema, updateSpaceSchema } from './schema.ts'
import { createSpace, readSpace, spacesOf, updateSpace } from './space.ts'

const tags = ['Spaces']

/** Spaces and their members. */
export async function spaceRoutes(app: Server): Promise<void> {
  await app.register(memberRoutes)
  await app.register(spaceGroupRoutes)

  app.get(
    '/spaces',
    {
      schema: {
        tags,
        operationId: 'spaces.list',
        summary: 'List the spaces that you can read',
        querystring: pagingQuery,
        response: { 200: listOf(spaceSchema) },
      },
    },
    (request) => spacesOf(request.ctx, request.query),
  )

  app.post(
    '/spaces',
    {
      config: { idempotency: replayInCreatedSpace, headers: { response: ['Location'] } },
      schema: {
        tags,
        operationId: 'spaces.create',
        summary: 'Create a space',
        body: createSpaceSchema,
        response: { 201: spaceSchema },
      },
    },
    async (request, reply) => {
      const space = await createSpace(request.ctx, request.body)
      return reply.code(201).header('Location', `/spaces/${space.slug}`).send(space)
    },
  )

  app.get(
    '/spaces/:slug',
    {
      schema: {
        tags,
        operationId: 'spaces.get',
        summary: 'Read a space',
        params: spaceParams,
        response: { 200: spaceSchema },
      },
    },
    (request) => readSpace(request.ctx, parseSlug(request.params.slug)),
  )

  app.patch(
    '/spaces/:slug',
    {
      config: { idempotency: replayWithRole('admin') },
      schema: {
        tags,
        operationId: 'spaces.update',
        summary: 'Change a space',
        params: spaceParams,
        body: updateSpaceSchema,
        response: { 200: spaceSchema },
      },
    },
    (request) => updateSpace(request.ctx, parseSlug(request.params.slug), request.body),
  )

  app.delete(
    '/spaces/:slug',
    {
      schema: {
        tags,
        operationId: 'spaces.delete',
        summary: 'Delete a space',
        params: spaceParams,
        querystring: deleteSpaceQuery,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const slug = parseSlug(request.params.slug)
      await deleteSpace(request.ctx, { slug, force: request.query.force ?? false })
      return reply.code(204).send(null)
    },
  )
}
