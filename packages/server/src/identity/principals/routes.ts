import { scopesUpTo } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { sendTagged, withEntityTag } from '../../access/entity-tag.ts'
import { replayAsOrgAdmin } from '../../access/replay-authorization.ts'
import { type Me, meSchema } from '../../access/schema.ts'
import { declareEndpoints, endpoint, registerRoutes } from '../../platform/http/endpoint.ts'
import {
  CREATE_HEADERS,
  notModifiedSchema,
  TAGGED_HEADERS,
  WRITE_HEADERS,
} from '../../platform/http/openapi/headers.ts'
import { listSchema } from '../../platform/http/schemas.ts'
import { groupRoutes } from '../groups/routes.ts'
import type { TellOwner } from '../keys/api-keys.ts'
import { keyRoutes } from '../keys/key-routes.ts'
import * as schema from './admin-schema.ts'
import { auditLog } from './audit.ts'
import { createPrincipal, listPrincipals, readPrincipal, updatePrincipal } from './principals.ts'

const administration = declareEndpoints('Administration')

/** The authenticated principal, keys, and the administration of the organisation. */
export const accessRoutes = registerRoutes<{ readonly tellOwner: TellOwner }>(
  keyRoutes,
  administration.endpoint({
    route: 'GET /admin/principals',
    config: { headers: TAGGED_HEADERS },
    operationId: 'principals.list',
    summary: 'List the principals of the organisation',
    querystring: schema.principalQuery,
    response: { 200: listSchema(schema.principalSchema), 304: notModifiedSchema },
    handler: async (request, reply) => sendTagged(request, reply, await listPrincipals(request.ctx, request.query)),
  }),
  administration.endpoint({
    route: 'POST /admin/principals',
    config: {
      errors: ['confirmation_required', 'email_taken'],
      idempotency: replayAsOrgAdmin,
      headers: CREATE_HEADERS,
    },
    operationId: 'principals.create',
    summary: 'Create a principal',
    body: schema.createPrincipalSchema,
    response: { 201: schema.principalSchema },
    handler: async (request, reply) => {
      const principal = await createPrincipal(request.ctx, request.body)
      return reply
        .code(201)
        .header('Location', `/admin/principals/${principal.id}`)
        .send(withEntityTag(reply, principal))
    },
  }),
  administration.endpoint({
    route: 'GET /admin/principals/:id',
    config: { headers: TAGGED_HEADERS },
    operationId: 'principals.get',
    summary: 'Read a principal',
    response: { 200: schema.principalSchema, 304: notModifiedSchema },
    handler: async (request, reply) => sendTagged(request, reply, await readPrincipal(request.ctx, request.params.id)),
  }),
  administration.endpoint({
    route: 'PATCH /admin/principals/:id',
    config: {
      errors: ['confirmation_required', 'email_taken', 'last_admin'],
      mergePatch: true,
      idempotency: replayAsOrgAdmin,
      headers: WRITE_HEADERS,
    },
    operationId: 'principals.update',
    summary: 'Change the name or role of a principal, disable or enable it',
    body: schema.updatePrincipalSchema,
    response: { 200: schema.principalSchema },
    handler: async (request, reply) => {
      const { ctx, params, body, headers } = request
      return withEntityTag(reply, await updatePrincipal(ctx, params.id, body, { ifMatch: headers['if-match'] }))
    },
  }),
  administration.endpoint({
    route: 'GET /admin/audit',
    operationId: 'audit.list',
    summary: 'List the audit log, latest first',
    querystring: schema.auditQuery,
    response: { 200: listSchema(schema.auditEntrySchema) },
    handler: (request) => auditLog(request.ctx, request.query),
  }),
  groupRoutes,
  endpoint({
    route: 'GET /me',
    tags: ['Access'],
    operationId: 'me.get',
    summary: 'Who you are, and what your key allows',
    response: { 200: meSchema },
    handler: async (request) => whoAmI(request.ctx),
  }),
)

/** The authenticated principal with the permissions of the credential. */
export function whoAmI({ actor }: Ctx): Me {
  return { id: actor.id, name: actor.name, kind: actor.kind, role: actor.orgRole, scopes: scopesUpTo(actor.scope) }
}
