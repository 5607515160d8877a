import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { idParams } from '../access/admin-schema.ts'
import { actorSchema, spaceParameter, spaceParams, timeSchema } from '../access/schema.ts'
import { parseSlug } from '../http/page-address.ts'
import { listOf, pagingQuery } from '../http/paging.ts'
import type { Server } from '../http/server.ts'
import { createInvitationSchema, inviteToSpaceSchema, orgRole, spaceRole } from './invitation-schema.ts'
import {
  invite,
  listInvitations,
  resendInvitation,
  revokeInvitation,
  type SentInvitation,
} from './invitations.ts'
import type { Mailer } from './mail.ts'

const invitationSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  email: Type.String(),
  role: orgRole,
  spaces: Type.Array(Type.Object({ space: Type.String(), role: spaceRole })),
  groups: Type.Array(Type.Object({ id: Type.String({ format: 'uuid' }), name: Type.String() })),
  invitedBy: actorSchema,
  createdAt: timeSchema,
  expiresAt: timeSchema,
  expired: Type.Boolean(),
})
const sentSchema = Type.Object({
  invitation: invitationSchema,
  url: Type.String({ description: 'The link, which works once. It is shown this once.' }),
  mailed: Type.Boolean({ description: 'Whether the link was sent to the e-mail address.' }),
})
const ofSpace = Type.Object({ slug: spaceParameter, id: Type.String() })
const admin = ['Administration']
const spaces = ['Spaces']

/** Invitations: of the organisation for its admins, and of each space for the admins of the space. */
export async function invitationRoutes(
  app: Server,
  { mailer }: { readonly mailer: Mailer | undefined },
): Promise<void> {
  app.get(
    '/admin/invitations',
    {
      schema: {
        tags: admin,
        operationId: 'invitations.list',
        summary: 'List the open invitations',
        querystring: pagingQuery,
        response: { 200: listOf(invitationSchema) },
      },
    },
    (request) => listInvitations(request.ctx, request.query),
  )
  app.post(
    '/admin/invitations',
    {
      schema: {
        tags: admin,
        operationId: 'invitations.create',
        summary: 'Invite somebody into the organisation and some spaces',
        body: createInvitationSchema,
        response: { 201: sentSchema },
      },
    },
    async ({ ctx, body }, reply) => sendLink(reply.code(201), await invite(ctx, mailer, body)),
  )
  app.post(
    '/admin/invitations/:id/resend',
    {
      schema: {
        tags: admin,
        operationId: 'invitations.resend',
        summary: 'Make a new link for an invitation',
        params: idParams,
        response: { 200: sentSchema },
      },
    },
    async ({ ctx, params }, reply) => sendLink(reply, await resendInvitation(ctx, mailer, params)),
  )
  app.delete(
    '/admin/invitations/:id',
    {
      schema: {
        tags: admin,
        operationId: 'invitations.revoke',
        summary: 'Revoke an invitation',
        params: idParams,
        response: { 204: Type.Null() },
      },
    },
    async ({ ctx, params }, reply) => {
      await revokeInvitation(ctx, params)
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/spaces/:slug/invitations',
    {
      schema: {
        tags: spaces,
        operationId: 'spaces.invitations.list',
        summary: 'List the open invitations into a space',
        params: spaceParams,
        querystring: pagingQuery,
        response: { 200: listOf(invitationSchema) },
      },
    },
    ({ ctx, params, query }) => listInvitations(ctx, { ...query, space: parseSlug(params.slug) }),
  )
  app.post(
    '/spaces/:slug/invitations',
    {
      schema: {
        tags: spaces,
        operationId: 'spaces.invitations.create',
        summary: 'Invite somebody into a space',
        params: spaceParams,
        body: inviteToSpaceSchema,
        response: { 201: sentSchema },
      },
    },
    async ({ ctx, params, body }, reply) => {
      const space = parseSlug(params.slug)
      const input = { email: body.email, space, spaces: [{ space, role: body.role }] }
      return sendLink(reply.code(201), await invite(ctx, mailer, input))
    },
  )
  app.post(
    '/spaces/:slug/invitations/:id/resend',
    {
      schema: {
        tags: spaces,
        operationId: 'spaces.invitations.resend',
        summary: 'Make a new link for an invitation into a space',
        params: ofSpace,
        response: { 200: sentSchema },
      },
    },
    async ({ ctx, params: { slug, id } }, reply) =>
      sendLink(reply, await resendInvitation(ctx, mailer, { id, space: parseSlug(slug) })),
  )
  app.delete(
    '/spaces/:slug/invitations/:id',
    {
      schema: {
        tags: spaces,
        operationId: 'spaces.invitations.revoke',
        summary: 'Revoke an invitation into a space',
        params: ofSpace,
        response: { 204: Type.Null() },
      },
    },
    async ({ ctx, params: { slug, id } }, reply) => {
      await revokeInvitation(ctx, { id, space: parseSlug(slug) })
      return reply.code(204).send(null)
    },
  )
}

function sendLink(reply: FastifyReply, sent: SentInvitation): FastifyReply {
  return reply.header('Cache-Control', 'no-store').send(sent)
}
