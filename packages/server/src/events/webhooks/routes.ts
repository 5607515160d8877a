import { Type } from 'typebox'
import { sendTagged, withEntityTag } from '../../access/entity-tag.ts'
import { replayAsOrgAdmin } from '../../access/replay-authorization.ts'
import { declareEndpoints, registerRoutes } from '../../platform/http/endpoint.ts'
import { notModifiedSchema, TAGGED_HEADERS, WRITE_HEADERS } from '../../platform/http/openapi/headers.ts'
import { listSchema, pagingQuery } from '../../platform/http/schemas.ts'
import { listDeliveries, readDelivery, redeliver, type SendingDeps, testWebhook } from './deliveries.ts'
import * as schema from './schema.ts'
import * as webhook from './webhook.ts'

const { action, endpoint } = declareEndpoints('Webhooks', {
  id: Type.String({ description: 'Id of the webhook.' }),
  deliveryId: Type.String({ description: 'Id of the delivery.' }),
})
/** Responses with a secret are not cached. */
const NO_STORE = { 'Cache-Control': 'no-store' }

/** Administration of webhooks, for organisation admins. */
export const webhookRoutes = registerRoutes<webhook.WebhookDeps & SendingDeps>(
  endpoint({
    route: 'GET /admin/webhooks',
    config: { headers: TAGGED_HEADERS },
    operationId: 'webhooks.list',
    summary: 'List the webhooks and the event kinds',
    querystring: pagingQuery,
    response: { 200: schema.webhookListSchema, 304: notModifiedSchema },
    handler: async (request, reply) =>
      sendTagged(request, reply, await webhook.listWebhooks(request.ctx, request.query)),
  }),
  endpoint({
    route: 'POST /admin/webhooks',
    config: {
      errors: [
        'confirmation_required',
        'not_found',
        'invalid_slug',
        'webhook_url_invalid',
        'webhook_url_not_https',
        'webhook_url_private',
      ],
      headers: { response: ['ETag', 'Location'] },
    },
    operationId: 'webhooks.create',
    summary: 'Create a webhook',
    description: 'Only this response has the secret that signs the deliveries.',
    body: schema.createWebhookSchema,
    response: { 201: schema.webhookWithSecretSchema },
    handler: async (request, reply, deps) => {
      const createdWebhook = await webhook.createWebhook(request.ctx, deps, request.body)
      withEntityTag(reply, createdWebhook.webhook)
      return reply
        .code(201)
        .headers({ ...NO_STORE, Location: `/admin/webhooks/${createdWebhook.webhook.id}` })
        .send(createdWebhook)
    },
  }),
  endpoint({
    route: 'GET /admin/webhooks/:id',
    config: { headers: TAGGED_HEADERS },
    operationId: 'webhooks.get',
    summary: 'Read a webhook',
    response: { 200: schema.webhookSchema, 304: notModifiedSchema },
    handler: async (request, reply) =>
      sendTagged(request, reply, await webhook.readWebhook(request.ctx, request.params.id)),
  }),
  endpoint({
    route: 'PATCH /admin/webhooks/:id',
    config: {
      errors: [
        'confirmation_required',
        'invalid_slug',
        'webhook_url_invalid',
        'webhook_url_not_https',
        'webhook_url_private',
      ],
      mergePatch: true,
      idempotency: replayAsOrgAdmin,
      headers: WRITE_HEADERS,
    },
    operationId: 'webhooks.update',
    summary: 'Update a webhook',
    body: schema.updateWebhookSchema,
    response: { 200: schema.webhookSchema },
    handler: async (request, reply, deps) => {
      const { ctx, params, body, headers } = request
      const condition = { ifMatch: headers['if-match'] }
      return withEntityTag(reply, await webhook.updateWebhook(ctx, deps, params.id, body, condition))
    },
  }),
  action({
    route: 'DELETE /admin/webhooks/:id',
    config: { headers: { request: ['if-match'] } },
    operationId: 'webhooks.delete',
    summary: 'Delete a webhook',
    act: (request) => webhook.deleteWebhook(request.ctx, request.params.id, { ifMatch: request.headers['if-match'] }),
  }),
  endpoint({
    route: 'POST /admin/webhooks/:id/rotate-secret',
    config: { errors: ['confirmation_required'] },
    operationId: 'webhooks.rotateSecret',
    summary: 'Rotate the secret of a webhook',
    description: 'The old secret signs as well for `graceSeconds`. Only this response has the new one.',
    body: Type.Optional(schema.rotateSchema),
    response: { 200: schema.webhookWithSecretSchema },
    preValidation: async (request) => {
      request.body ??= {}
    },
    handler: async (request, reply, deps) => {
      const grace = request.body?.graceSeconds ?? webhook.DEFAULT_GRACE_SECONDS
      return reply.headers(NO_STORE).send(await webhook.rotateSecret(request.ctx, deps, request.params.id, grace))
    },
  }),
  endpoint({
    route: 'POST /admin/webhooks/:id/test',
    config: { idempotency: replayAsOrgAdmin, errors: ['webhook_secret_lost'] },
    operationId: 'webhooks.test',
    summary: 'Send a webhook.test delivery and return the outcome',
    response: { 200: schema.testResultSchema },
    handler: (request, _reply, deps) => testWebhook(request.ctx, deps, request.params.id),
  }),
  endpoint({
    route: 'GET /admin/webhooks/:id/deliveries',
    operationId: 'webhooks.deliveries.list',
    summary: 'List the deliveries of a webhook, newest first',
    querystring: schema.deliveryQuery,
    response: { 200: listSchema(schema.deliverySchema) },
    handler: (request) => listDeliveries(request.ctx, request.params.id, request.query),
  }),
  endpoint({
    route: 'GET /admin/webhooks/:id/deliveries/:deliveryId',
    operationId: 'webhooks.deliveries.get',
    summary: 'Read a delivery',
    response: { 200: schema.deliverySchema },
    handler: (request) => readDelivery(request.ctx, request.params.id, request.params.deliveryId),
  }),
  endpoint({
    route: 'POST /admin/webhooks/:id/deliveries/:deliveryId/redeliver',
    config: { idempotency: replayAsOrgAdmin, headers: { response: ['Location'] } },
    operationId: 'webhooks.deliveries.redeliver',
    summary: 'Send a delivery again, as a new one',
    response: { 202: schema.deliverySchema },
    handler: async (request, reply) => {
      const delivery = await redeliver(request.ctx, request.params.id, request.params.deliveryId)
      return reply
        .code(202)
        .header('Location', `/admin/webhooks/${request.params.id}/deliveries/${delivery.id}`)
        .send(delivery)
    },
  }),
)
