import { Type } from 'typebox'
import { sendTagged } from '../access/entity-tag.ts'
import { replayWithRole } from '../access/replay-authorization.ts'
import { spaceParameter } from '../access/schema.ts'
import { parseSlug } from '../http/addresses/page-address.ts'
import { endpointsOf, routesOf } from '../http/endpoint.ts'
import { notModifiedSchema, SET_HEADERS, TAGGED_HEADERS } from '../http/openapi/headers.ts'
import { listOf, pagingQuery } from '../http/paging.ts'
import { groupsOf, removeSpaceGroup, setSpaceGroup } from './groups.ts'
import { setMemberSchema, spaceGroupSchema } from './schema.ts'

const { action, endpoint } = endpointsOf('Spaces')
const params = Type.Object({
  space: spaceParameter,
  group: Type.String({ description: 'Id of the group.' }),
})

/** The groups of a space and their roles. */
export const spaceGroupRoutes = routesOf(
  endpoint({
    route: 'GET /spaces/:space/groups',
    config: { headers: TAGGED_HEADERS },
    operationId: 'spaces.groups.list',
    summary: 'List the groups with a role in a space',
    params: Type.Object({ space: spaceParameter }),
    querystring: pagingQuery,
    response: { 200: listOf(spaceGroupSchema), 304: notModifiedSchema },
    handler: async (request, reply) => {
      const space = parseSlug(request.params.space)
      return sendTagged(request, reply, await groupsOf(request.ctx, { space, ...request.query }))
    },
  }),
  endpoint({
    route: 'PUT /spaces/:space/groups/:group',
    config: { scope: 'admin', idempotency: replayWithRole('admin'), headers: SET_HEADERS },
    operationId: 'spaces.groups.set',
    summary: 'Give a group a role in a space',
    params,
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
    params,
    act: async (request) => {
      const { space, group } = request.params
      await removeSpaceGroup(request.ctx, { space: parseSlug(space), group })
    },
  }),
)
