import { parseSlug } from '@recto/contract/page-address.ts'
import { Type } from 'typebox'
import { sendTagged, withEntityTag } from '../../access/entity-tag.ts'
import { replayInCreatedSpace, replayWithRole } from '../../access/replay-authorization.ts'
import { spaceParameter } from '../../access/schema.ts'
import { declareEndpoints, registerRoutes } from '../../platform/http/endpoint.ts'
import {
  CREATE_HEADERS,
  notModifiedSchema,
  SET_HEADERS,
  TAGGED_HEADERS,
  WRITE_HEADERS,
} from '../../platform/http/openapi/headers.ts'
import { listSchema, pagingQuery } from '../../platform/http/schemas.ts'
import { memberCandidates } from './candidates.ts'
import { deleteSpace } from './delete.ts'
import { listRoles, removeRole, setRole } from './members.ts'
import { ASKED, approveRequest, askForAccess, declineRequest, listAccessRequests } from './requests/requests.ts'
import { accessRequestSchema, approveSchema, askedSchema, askSchema } from './requests/schema.ts'
import { ruleRoutes } from './rules/rule-routes.ts'
import * as schema from './schema.ts'
import { createSpace, listVisibleSpaces, planUpdate, readSpace, updateSpace } from './space.ts'

const { action, endpoint } = declareEndpoints('Spaces', {
  space: spaceParameter,
  principal: Type.String({ description: 'Id of the principal.' }),
  group: Type.String({ description: 'Id of the group.' }),
})

/** Spaces, their members and groups, and requests for access to them. */
export const spaceRoutes = registerRoutes(
  endpoint({
    route: 'GET /spaces/:space/members',
    config: { headers: TAGGED_HEADERS },
    operationId: 'spaces.members.list',
    summary: 'List the members of a space',
    querystring: pagingQuery,
    response: { 200: listSchema(schema.memberSchema), 304: notModifiedSchema },
    handler: async (request, reply) => {
      const space = parseSlug(request.params.space)
      return sendTagged(request, reply, await listRoles(request.ctx, 'principal', { space, ...request.query }))
    },
  }),
  endpoint({
    route: 'GET /spaces/:space/candidates',
    config: { scope: 'admin' },
    operationId: 'spaces.members.candidates',
    summary: 'Find people and agents by name or e-mail address, to give them a role in a space',
    querystring: schema.candidateQuery,
    response: { 200: listSchema(schema.candidateSchema) },
    handler: ({ ctx, params, query }) => memberCandidates(ctx, { ...query, space: parseSlug(params.space) }),
  }),
  endpoint({
    route: 'PUT /spaces/:space/members/:principal',
    config: {
      scope: 'admin',
      errors: ['confirmation_required'],
      idempotency: replayWithRole('admin'),
      headers: SET_HEADERS,
    },
    operationId: 'spaces.members.set',
    summary: 'Give a principal a role in a space',
    body: schema.setMemberSchema,
    response: { 200: schema.memberSchema, 201: schema.memberSchema },
    handler: async (request, reply) => {
      const { space, principal: id } = request.params
      const { role } = request.body
      const { given, added } = await setRole(request.ctx, 'principal', { space: parseSlug(space), id, role })
      return reply.code(added ? 201 : 200).send(given)
    },
  }),
  action({
    route: 'DELETE /spaces/:space/members/:principal',
    config: { scope: 'admin' },
    operationId: 'spaces.members.remove',
    summary: 'Remove a member from a space',
    act: ({ ctx, params: { space, principal } }) =>
      removeRole(ctx, 'principal', { space: parseSlug(space), id: principal }),
  }),
  endpoint({
    route: 'GET /spaces/:space/groups',
    config: { headers: TAGGED_HEADERS },
    operationId: 'spaces.groups.list',
    summary: 'List the groups with a role in a space',
    querystring: pagingQuery,
    response: { 200: listSchema(schema.spaceGroupSchema), 304: notModifiedSchema },
    handler: async (request, reply) => {
      const space = parseSlug(request.params.space)
      return sendTagged(request, reply, await listRoles(request.ctx, 'group', { space, ...request.query }))
    },
  }),
  endpoint({
    route: 'PUT /spaces/:space/groups/:group',
    config: {
      scope: 'admin',
      errors: ['confirmation_required'],
      idempotency: replayWithRole('admin'),
      headers: SET_HEADERS,
    },
    operationId: 'spaces.groups.set',
    summary: 'Give a group a role in a space',
    body: schema.setMemberSchema,
    response: { 200: schema.spaceGroupSchema, 201: schema.spaceGroupSchema },
    handler: async (request, reply) => {
      const { space, group: id } = request.params
      const { role } = request.body
      const { given, added } = await setRole(request.ctx, 'group', { space: parseSlug(space), id, role })
      return reply.code(added ? 201 : 200).send(given)
    },
  }),
  action({
    route: 'DELETE /spaces/:space/groups/:group',
    config: { scope: 'admin' },
    operationId: 'spaces.groups.remove',
    summary: 'Take a group’s role in a space away',
    act: ({ ctx, params: { space, group } }) => removeRole(ctx, 'group', { space: parseSlug(space), id: group }),
  }),
  ruleRoutes,
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
    config: { errors: ['invalid_slug', 'slug_taken'], idempotency: replayInCreatedSpace, headers: CREATE_HEADERS },
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
