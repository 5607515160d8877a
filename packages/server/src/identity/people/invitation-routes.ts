import { parseSlug } from '@recto/contract/page-address.ts'
import type { FastifyReply } from 'fastify'
import { spaceParams } from '../../access/schema.ts'
import { declareEndpoints, registerRoutes } from '../../platform/http/endpoint.ts'
import { listSchema, pagingQuery } from '../../platform/http/schemas.ts'
import {
  invite,
  listInvitations,
  resendInvitation,
  revokeInvitation,
  type SentInvitation,
  toSpaceInvitation,
} from './invitations.ts'
import type { Mailer } from './mail.ts'
import { createInvitationSchema, invitationSchema, inviteToSpaceSchema, sentSchema } from './schema.ts'

const administration = declareEndpoints('Administration')
const spaces = declareEndpoints('Spaces', spaceParams.properties)

/** Invitations: of the organisation for its admins, and of each space for the admins of the space. */
export const invitationRoutes = registerRoutes<{ readonly mailer: Mailer | undefined }>(
  administration.endpoint({
    route: 'GET /admin/invitations',
    operationId: 'invitations.list',
    summary: 'List the open invitations',
    querystring: pagingQuery,
    response: { 200: listSchema(invitationSchema) },
    handler: (request) => listInvitations(request.ctx, request.query),
  }),
  administration.endpoint({
    route: 'POST /admin/invitations',
    config: { errors: ['confirmation_required', 'email_taken', 'invalid_path', 'not_found'] },
    operationId: 'invitations.create',
    summary: 'Invite somebody into the organisation and some spaces',
    body: createInvitationSchema,
    response: { 201: sentSchema },
    handler: async ({ ctx, body }, reply, { mailer }) => sendLink(reply.code(201), await invite(ctx, mailer, body)),
  }),
  administration.endpoint({
    route: 'POST /admin/invitations/:id/resend',
    config: { errors: ['confirmation_required'] },
    operationId: 'invitations.resend',
    summary: 'Make a new link for an invitation',
    response: { 200: sentSchema },
    handler: async ({ ctx, params }, reply, { mailer }) => sendLink(reply, await resendInvitation(ctx, mailer, params)),
  }),
  administration.action({
    route: 'DELETE /admin/invitations/:id',
    operationId: 'invitations.revoke',
    summary: 'Revoke an invitation',
    act: ({ ctx, params }) => revokeInvitation(ctx, params),
  }),
  spaces.endpoint({
    route: 'GET /spaces/:space/invitations',
    config: { scope: 'admin' },
    operationId: 'spaces.invitations.list',
    summary: 'List the open invitations into a space',
    querystring: pagingQuery,
    response: { 200: listSchema(invitationSchema) },
    handler: ({ ctx, params, query }) => listInvitations(ctx, { ...query, space: parseSlug(params.space) }),
  }),
  spaces.endpoint({
    route: 'POST /spaces/:space/invitations',
    config: { scope: 'admin', errors: ['confirmation_required', 'email_taken', 'invalid_path'] },
    operationId: 'spaces.invitations.create',
    summary: 'Invite somebody into a space',
    body: inviteToSpaceSchema,
    response: { 201: sentSchema },
    handler: async ({ ctx, params, body }, reply, { mailer }) =>
      sendLink(reply.code(201), await invite(ctx, mailer, toSpaceInvitation(parseSlug(params.space), body))),
  }),
  spaces.endpoint({
    route: 'POST /spaces/:space/invitations/:id/resend',
    config: { errors: ['confirmation_required'], scope: 'admin' },
    operationId: 'spaces.invitations.resend',
    summary: 'Create a new link for an invitation into a space',
    response: { 200: sentSchema },
    handler: async ({ ctx, params: { space, id } }, reply, { mailer }) =>
      sendLink(reply, await resendInvitation(ctx, mailer, { id, space: parseSlug(space) })),
  }),
  spaces.action({
    route: 'DELETE /spaces/:space/invitations/:id',
    config: { scope: 'admin' },
    operationId: 'spaces.invitations.revoke',
    summary: 'Revoke an invitation into a space',
    act: ({ ctx, params: { space, id } }) => revokeInvitation(ctx, { id, space: parseSlug(space) }),
  }),
)

function sendLink(reply: FastifyReply, sentInvitation: SentInvitation): FastifyReply {
  return reply.header('Cache-Control', 'no-store').send(sentInvitation)
}
