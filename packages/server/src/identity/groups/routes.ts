import { Type } from 'typebox'
import { sendTagged, withEntityTag } from '../../access/entity-tag.ts'
import { replayAsOrgAdmin } from '../../access/replay-authorization.ts'
import { declareEndpoints, registerRoutes } from '../../platform/http/endpoint.ts'
import {
  CREATE_HEADERS,
  notModifiedSchema,
  SET_HEADERS,
  TAGGED_HEADERS,
  WRITE_HEADERS,
} from '../../platform/http/openapi/headers.ts'
import { listSchema, pagingQuery } from '../../platform/http/schemas.ts'
import { createGroup, deleteGroup, listGroups, readGroup, spacesOfGroup, updateGroup } from './groups.ts'
import { addGroupMember, membersOfGroup, removeGroupMember } from './members.ts'
import * as schema from './schema.ts'

const { action, endpoint } = declareEndpoints('Administration', {
  principal: Type.String({ description: 'Id of the principal.' }),
})

/** Groups of principals, for organisation admins. */
export const groupRoutes = registerRoutes(
  endpoint({
    route: 'GET /admin/groups',
    config: { headers: TAGGED_HEADERS },
    operationId: 'groups.list',
    summary: 'List the groups of the organisation',
    querystring: schema.groupQuery,
    response: { 200: listSchema(schema.groupSchema), 304: notModifiedSchema },
    handler: async (request, reply) => sendTagged(request, reply, await listGroups(request.ctx, request.query)),
  }),
  endpoint({
    route: 'POST /admin/groups',
    config: { errors: ['group_name_taken'], idempotency: replayAsOrgAdmin, headers: CREATE_HEADERS },
    operationId: 'groups.create',
    summary: 'Create a group',
    body: schema.createGroupSchema,
    response: { 201: schema.groupSchema },
    handler: async (request, reply) => {
      const group = await createGroup(request.ctx, request.body)
      return reply.code(201).header('Location', `/admin/groups/${group.id}`).send(withEntityTag(reply, group))
    },
  }),
  endpoint({
    route: 'GET /admin/groups/:id',
    config: { headers: TAGGED_HEADERS },
    operationId: 'groups.get',
    summary: 'Read a group',
    response: { 200: schema.groupSchema, 304: notModifiedSchema },
    handler: async (request, reply) => sendTagged(request, reply, await readGroup(request.ctx, request.params.id)),
  }),
  endpoint({
    route: 'PATCH /admin/groups/:id',
    config: {
      errors: ['group_name_taken', 'group_managed'],
      mergePatch: true,
      idempotency: replayAsOrgAdmin,
      headers: WRITE_HEADERS,
    },
    operationId: 'groups.update',
    summary: 'Change the name or description of a group',
    body: schema.updateGroupSchema,
    response: { 200: schema.groupSchema },
    handler: async (request, reply) => {
      const { ctx, params, body, headers } = request
      return withEntityTag(reply, await updateGroup(ctx, params.id, body, { ifMatch: headers['if-match'] }))
    },
  }),
  action({
    route: 'DELETE /admin/groups/:id',
    config: { headers: { request: ['if-match'] } },
    operationId: 'groups.delete',
    summary: 'Delete a group',
    act: (request) => deleteGroup(request.ctx, request.params.id, { ifMatch: request.headers['if-match'] }),
  }),
  endpoint({
    route: 'GET /admin/groups/:id/spaces',
    operationId: 'groups.spaces',
    summary: 'List the spaces where a group has a role',
    querystring: pagingQuery,
    response: { 200: listSchema(schema.groupSpaceSchema) },
    handler: (request) => spacesOfGroup(request.ctx, { ...request.params, ...request.query }),
  }),
  endpoint({
    route: 'GET /admin/groups/:id/members',
    operationId: 'groups.members.list',
    summary: 'List the members of a group',
    querystring: pagingQuery,
    response: { 200: listSchema(schema.groupMemberSchema) },
    handler: (request) => membersOfGroup(request.ctx, { ...request.params, ...request.query }),
  }),
  endpoint({
    route: 'PUT /admin/groups/:id/members/:principal',
    config: { errors: ['confirmation_required', 'group_managed'], idempotency: replayAsOrgAdmin, headers: SET_HEADERS },
    operationId: 'groups.members.add',
    summary: 'Add a principal to a group',
    response: { 200: schema.groupMemberSchema, 201: schema.groupMemberSchema },
    handler: async (request, reply) => {
      const { member, added } = await addGroupMember(request.ctx, request.params)
      return reply.code(added ? 201 : 200).send(member)
    },
  }),
  action({
    route: 'DELETE /admin/groups/:id/members/:principal',
    config: { errors: ['group_managed'] },
    operationId: 'groups.members.remove',
    summary: 'Remove a principal from a group',
    act: (request) => removeGroupMember(request.ctx, request.params),
  }),
)
