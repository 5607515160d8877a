import { parseSlug } from '@recto/contract/page-address.ts'
import { Type } from 'typebox'
import { sendTagged } from '../../access/entity-tag.ts'
import { replayWithRole } from '../../access/replay-authorization.ts'
import { spaceParameter } from '../../access/schema.ts'
import { declareEndpoints, registerRoutes } from '../../platform/http/endpoint.ts'
import { notModifiedSchema, SET_HEADERS, TAGGED_HEADERS } from '../../platform/http/openapi/headers.ts'
import { listSchema, pagingQuery } from '../../platform/http/paging.ts'
import { memberCandidates } from './candidates.ts'
import { listGroupsWithRole, removeSpaceGroup, setSpaceGroup } from './groups.ts'
import { listSpaceMembers, removeMember, setMember } from './members.ts'
import { candidateQuery, candidateSchema, memberSchema, setMemberSchema, spaceGroupSchema } from './schema.ts'

const { action, endpoint } = declareEndpoints('Spaces', {
  space: spaceParameter,
  principal: Type.String({ description: 'Id of the principal.' }),
  group: Type.String({ description: 'Id of the group.' }),
})

/** The members and the groups of a space, and their roles. */
export const memberRoutes = registerRoutes(
  endpoint({
    route: 'GET /spaces/:space/members',
    config: { headers: TAGGED_HEADERS },
    operationId: 'spaces.members.list',
    summary: 'List the members of a space',
    querystring: pagingQuery,
    response: { 200: listSchema(memberSchema), 304: notModifiedSchema },
    handler: async (request, reply) => {
      const space = parseSlug(request.params.space)
      return sendTagged(request, reply, await listSpaceMembers(request.ctx, { space, ...request.query }))
    },
  }),
  endpoint({
    route: 'GET /spaces/:space/candidates',
    config: { scope: 'admin' },
    operationId: 'spaces.members.candidates',
    summary: 'Find people and agents by name or e-mail address, to give them a role in a space',
    querystring: candidateQuery,
    response: { 200: listSchema(candidateSchema) },
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
    body: setMemberSchema,
    response: { 200: memberSchema, 201: memberSchema },
    handler: async (request, reply) => {
      const { space, principal } = request.params
      const { role } = request.body
      const { member, added } = await setMember(request.ctx, { space: parseSlug(space), principal, role })
      return reply.code(added ? 201 : 200).send(member)
    },
  }),
  action({
    route: 'DELETE /spaces/:space/members/:principal',
    config: { scope: 'admin' },
    operationId: 'spaces.members.remove',
    summary: 'Remove a member from a space',
    act: ({ ctx, params: { space, principal } }) => removeMember(ctx, { space: parseSlug(space), principal }),
  }),
  endpoint({
    route: 'GET /spaces/:space/groups',
    config: { headers: TAGGED_HEADERS },
    operationId: 'spaces.groups.list',
    summary: 'List the groups with a role in a space',
    querystring: pagingQuery,
    response: { 200: listSchema(spaceGroupSchema), 304: notModifiedSchema },
    handler: async (request, reply) => {
      const space = parseSlug(request.params.space)
      return sendTagged(request, reply, await listGroupsWithRole(request.ctx, { space, ...request.query }))
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
    body: setMemberSchema,
    response: { 200: spaceGroupSchema, 201: spaceGroupSchema },
    handler: async (request, reply) => {
      const { space, group } = request.params
      const input = { space: parseSlug(space), group, role: request.body.role }
      const { group: set, added } = await setSpaceGroup(request.ctx, input)
      return reply.code(added ? 201 : 200).send(set)
    },
  }),
  action({
    route: 'DELETE /spaces/:space/groups/:group',
    config: { scope: 'admin' },
    operationId: 'spaces.groups.remove',
    summary: 'Take a group’s role in a space away',
    act: ({ ctx, params: { space, group } }) => removeSpaceGroup(ctx, { space: parseSlug(space), group }),
  }),
)
