import { parseSlug } from '@recto/contract/page-address.ts'
import { sendTagged, withEntityTag } from '../../access/entity-tag.ts'
import { replayInCreatedSpace, replayWithRole } from '../../access/replay-authorization.ts'
import { spaceParams } from '../../access/schema.ts'
import { declareEndpoints, registerRoutes } from '../../platform/http/endpoint.ts'
import {
  CREATE_HEADERS,
  notModifiedSchema,
  TAGGED_HEADERS,
  WRITE_HEADERS,
} from '../../platform/http/openapi/headers.ts'
import { listSchema, pagingQuery } from '../../platform/http/paging.ts'
import { deleteSpace } from './delete.ts'
import { memberRoutes } from './member-routes.ts'
import { requestRoutes } from './requests/request-routes.ts'
import { ruleRoutes } from './rules/rule-routes.ts'
import * as schema from './schema.ts'
import { createSpace, listVisibleSpaces, planUpdate, readSpace, updateSpace } from './space.ts'

const { action, endpoint } = declareEndpoints('Spaces', spaceParams.properties)

/** Spaces and their members. */
export const spaceRoutes = registerRoutes(
  memberRoutes,
  ruleRoutes,
  requestRoutes,
  endpoint({
    route: 'GET /spaces',
    config: { visitors: ['limit', 'cursor'], headers: TAGGED_HEADERS },
    operationId: 'spaces.list',
    summary: 'List the spaces that you can read',
    querystring: pagingQuery,
    response: { 200: listSchema(schema.spaceSchema), 304: notModifiedSchema },
    handler: async (request, reply) => sendTagged(request, reply, await listVisibleSpaces(request.ctx, request.query)),
  }),
  endpoint({
    route: 'POST /spaces',
    config: {
      errors: ['invalid_slug', 'slug_taken'],
      idempotency: replayInCreatedSpace,
      headers: CREATE_HEADERS,
    },
    operationId: 'spaces.create',
    summary: 'Create a space',
    body: schema.createSpaceSchema,
    response: { 201: schema.spaceSchema },
    handler: async (request, reply) => {
      const space = await createSpace(request.ctx, request.body)
      return reply.code(201).header('Location', `/spaces/${space.slug}`).send(withEntityTag(reply, space))
    },
  }),
  endpoint({
    route: 'GET /spaces/:space',
    config: { visitors: [], headers: TAGGED_HEADERS },
    operationId: 'spaces.get',
    summary: 'Read a space',
    response: { 200: schema.spaceSchema, 304: notModifiedSchema },
    handler: async (request, reply) =>
      sendTagged(request, reply, await readSpace(request.ctx, parseSlug(request.params.space))),
  }),
  endpoint({
    route: 'PATCH /spaces/:space',
    config: {
      scope: 'admin',
      errors: ['confirmation_required', 'slug_taken'],
      mergePatch: true,
      idempotency: replayWithRole('admin'),
      headers: WRITE_HEADERS,
    },
    operationId: 'spaces.update',
    summary: 'Change a space',
    querystring: schema.updateSpaceQuery,
    body: schema.updateSpaceSchema,
    response: { 200: schema.changedSpaceSchema },
    handler: async (request, reply) => {
      const { ctx, params, query, body, headers } = request
      const [slug, condition] = [parseSlug(params.space), { ifMatch: headers['if-match'] }]
      if (query.dryRun) return planUpdate(ctx, slug, body, condition)
      return withEntityTag(reply, await updateSpace(ctx, slug, body, condition))
    },
  }),
  action({
    route: 'DELETE /spaces/:space',
    config: {
      scope: 'admin',
      errors: ['confirmation_required', 'space_not_empty'],
      headers: { request: ['if-match'] },
    },
    operationId: 'spaces.delete',
    summary: 'Delete a space',
    querystring: schema.deleteSpaceQuery,
    act: async (request) => {
      const slug = parseSlug(request.params.space)
      const { force = false } = request.query
      await deleteSpace(request.ctx, { slug, force, ifMatch: request.headers['if-match'] })
    },
  }),
)
