import { declareEndpoints, registerRoutes } from '../../platform/http/endpoint.ts'
import { createScimToken, endProvisioning, readProvisioning } from './provisioning.ts'
import { createdTokenSchema, provisioningSchema } from './schema.ts'

const { action, endpoint } = declareEndpoints('Administration')

/** The administration of SCIM. */
export const scimAdminRoutes = registerRoutes(
  endpoint({
    route: 'GET /admin/scim',
    operationId: 'scim.get',
    summary: 'Read the state of SCIM',
    response: { 200: provisioningSchema },
    handler: (request) => readProvisioning(request.ctx),
  }),
  endpoint({
    route: 'POST /admin/scim/token',
    config: { errors: ['confirmation_required'] },
    operationId: 'scim.createToken',
    summary: 'Switch SCIM on, or replace its token',
    response: { 201: createdTokenSchema },
    handler: async (request, reply) =>
      reply
        .code(201)
        .header('Cache-Control', 'no-store')
        .send(await createScimToken(request.ctx)),
  }),
  action({
    route: 'DELETE /admin/scim/token',
    config: { errors: ['confirmation_required'] },
    operationId: 'scim.endToken',
    summary: 'Switch SCIM off: its token ends',
    act: (request) => endProvisioning(request.ctx),
  }),
)
