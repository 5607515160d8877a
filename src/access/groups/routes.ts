import { Type } from 'typebox'
import { listOf, pagingParameters } from '../../http/paging.ts'
import type { Server } from '../../http/server.ts'
import { idParams } from '../admin-schema.ts'
import { replayAsOrgAdmin } from '../replay-authorization.ts'
import { createGroup, deleteGroup, listGroups, readGroup, spacesOfGroup, updateGroup } from './groups.ts'
import { addGroupMember, membersOfGroup, removeGroupMember } from './members.ts'
import {
  createGroupSchema,
  groupMemberSchema,
  groupQuery,
  groupSchema,
  groupSpaceSchema,
  updateGroupSchema,
} from './schema.ts'

const tags = ['Administration']
const paging = Type.Object(pagingParameters, { additionalProperties: false })
const memberParams = Type.Object({
  id: Type.String(),
  principal: Type.String({ description: 'Id of the principal.' }),
})

/** Groups of principals, for organisation admins. */
export async function groupRoutes(app: Server): Promise<void> {
  app.get(
    '/admin/groups',
    {
      schema: {
        tags,
        operationId: 'groups.list',
        summary: 'List the groups of the organisation',
        querystring: groupQuery,
        response: { 200: listOf(groupSchema) },
      },
    },
    (request) => listGroups(request.ctx, request.query),
  )

  app.post(
    '/admin/groups',
    {
      config: { idempotency: replayAsOrgAdmin },
      schema: {
        tags,
        operationId: 'groups.create',
        summary: 'Create a group',
        body: createGroupSchema,
        response: { 201: groupSchema },
      },
    },
    async (request, reply) => {
      const group = await createGroup(request.ctx, request.body)
      return reply.code(201).header('Location', `/admin/groups/${group.id}`).send(group)
    },
  )

  app.get(
    '/admin/groups/:id',
    {
      schema: {
        tags,
        operationId: 'groups.get',
        summary: 'Read a group',
        params: idParams,
        response: { 200: groupSchema },
      },
    },
    (request) => readGroup(request.ctx, request.params.id),
  )

  app.patch(
    '/admin/groups/:id',
    {
      config: { idempotency: replayAsOrgAdmin },
      schema: {
        tags,
        operationId: 'groups.update',
        summary: 'Change the name or description of a group',
        params: idParams,
        body: updateGroupSchema,
        response: { 200: groupSchema },
      },
    },
    (request) => updateGroup(request.ctx, request.params.id, request.body),
  )

  app.delete(
    '/admin/groups/:id',
    {
      schema: {
        tags,
        operationId: 'groups.delete',
        summary: 'Delete a group',
        params: idParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await deleteGroup(request.ctx, request.params.id)
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/admin/groups/:id/spaces',
    {
      schema: {
        tags,
        operationId: 'groups.spaces',
        summary: 'List the spaces where a group has a role',
        params: idParams,
        querystring: paging,
        response: { 200: listOf(groupSpaceSchema) },
      },
    },
    (request) => spacesOfGroup(request.ctx, { ...request.params, ...request.query }),
  )

  app.get(
    '/admin/groups/:id/members',
    {
      schema: {
        tags,
        operationId: 'groups.members.list',
        summary: 'List the members of a group',
        params: idParams,
        querystring: paging,
        response: { 200: listOf(groupMemberSchema) },
      },
    },
    (request) => membersOfGroup(request.ctx, { ...request.params, ...request.query }),
  )

  app.put(
    '/admin/groups/:id/members/:principal',
    {
      config: { idempotency: replayAsOrgAdmin },
      schema: {
        tags,
        operationId: 'groups.members.add',
        summary: 'Add a principal to a group',
        params: memberParams,
        response: { 200: groupMemberSchema, 201: groupMemberSchema },
      },
    },
    async (request, reply) => {
      const { member, added } = await addGroupMember(request.ctx, request.params)
      return reply.code(added ? 201 : 200).send(member)
    },
  )

  app.delete(
    '/admin/groups/:id/members/:principal',
    {
      schema: {
        tags,
        operationId: 'groups.members.remove',
        summary: 'Remove a principal from a group',
        params: memberParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await removeGroupMember(request.ctx, request.params)
      return reply.code(204).send(null)
    },
  )
}
