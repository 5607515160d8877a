import { listOf } from '../http/paging.ts'
import type { Server } from '../http/server.ts'
import {
  auditEntrySchema,
  auditQuery,
  createPrincipalSchema,
  idParams,
  principalQuery,
  principalSchema,
  updatePrincipalSchema,
} from './admin-schema.ts'
import { auditLog } from './audit.ts'
import { createPrincipal, listPrincipals, readPrincipal, updatePrincipal } from './principals.ts'
import { replayAsOrgAdmin } from './replay-authorization.ts'

const tags = ['Administration']

/** The administration of principals, and the audit log. */
export async function adminRoutes(app: Server): Promise<void> {
  app.get(
    '/admin/principals',
    {
      schema: {
        tags,
        operationId: 'principals.list',
        summary: 'List the principals of the organisation',
        querystring: principalQuery,
        response: { 200: listOf(principalSchema) },
      },
    },
    (request) => listPrincipals(request.ctx, request.query),
  )

  app.post(
    '/admin/principals',
    {
      config: { idempotency: replayAsOrgAdmin, headers: { response: ['Location'] } },
      schema: {
        tags,
        operationId: 'principals.create',
        summary: 'Create a principal',
        body: createPrincipalSchema,
        response: { 201: principalSchema },
      },
    },
    async (request, reply) => {
      const principal = await createPrincipal(request.ctx, request.body)
      return reply.code(201).header('Location', `/admin/principals/${principal.id}`).send(principal)
    },
  )

  app.get(
    '/admin/principals/:id',
    {
      schema: {
        tags,
        operationId: 'principals.get',
        summary: 'Read a principal',
        params: idParams,
        response: { 200: principalSchema },
      },
    },
    (request) => readPrincipal(request.ctx, request.params.id),
  )

  app.patch(
    '/admin/principals/:id',
    {
      config: { idempotency: replayAsOrgAdmin },
      schema: {
        tags,
        operationId: 'principals.update',
        summary: 'Change the name or role of a principal, disable or enable it',
        params: idParams,
        body: updatePrincipalSchema,
        response: { 200: principalSchema },
      },
    },
    (request) => updatePrincipal(request.ctx, request.params.id, request.body),
  )

  app.get(
    '/admin/audit',
    {
      schema: {
        tags,
        operationId: 'audit.list',
        summary: 'List administrative acts, the latest first',
        querystring: auditQuery,
        response: { 200: listOf(auditEntrySchema) },
      },
    },
    (request) => auditLog(request.ctx, request.query),
  )
}
