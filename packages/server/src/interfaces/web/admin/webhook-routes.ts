import { given } from '@recto/lib/given.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import {
  listDeliveries,
  readDelivery,
  redeliver,
  type SendingDeps,
  testWebhook,
} from '../../../events/webhooks/deliveries.ts'
import {
  createWebhookSchema,
  deliveryQuery,
  rotateSchema,
  updateWebhookSchema,
} from '../../../events/webhooks/schema.ts'
import {
  createWebhook,
  DEFAULT_GRACE_SECONDS,
  deleteWebhook,
  listWebhooks,
  readWebhook,
  rotateSecret,
  updateWebhook,
  type WebhookDeps,
} from '../../../events/webhooks/webhook.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject } from '../../../platform/http/schemas.ts'
import { checked, type Fields, readNumber, readText, readTexts } from '../fields.ts'
import { findText, msg, t } from '../html.ts'
import { secretBox } from '../keys-view.ts'
import { type FailedForm, formRoute, type Screen, type Shown, screenRoute, whenDone } from '../screen.ts'
import { spaceChoices } from '../space-field.ts'
import { adminUrl, withQuery } from '../urls.ts'
import { deliveryScreen, deliveryUrl } from './delivery-view.ts'
import { type WebhookView, webhookScreen } from './webhook-view.ts'
import { webhooksScreen } from './webhooks-view.ts'

const field = Type.Optional(Type.String({ maxLength: 8192 }))
const listQuery = strictObject({ cursor: pagingParameters.cursor, done: field })
const webhookQuery = strictObject({ status: field, event: field, cursor: pagingParameters.cursor, done: field })
const DONE: Readonly<Record<string, string>> = {
  saved: msg('Saved.'),
  enabled: msg('Enabled. Pending deliveries are being sent.'),
  disabled: msg('Disabled. New events are not sent; pending deliveries wait.'),
  deleted: msg('The webhook was deleted.'),
  delivered: msg('The test was delivered.'),
  undelivered: msg('The test could not be delivered. See the reason below.'),
  again: msg('Sent again as a new delivery.'),
}
const SECRET_HELP = msg(
  'It signs the deliveries. Copy it now and pass it to the receiver. You won’t be able to see it again.',
)

type WebhookRequest = FastifyRequest<{ Params: { id: string } }>

const listRoutes = registerRoutes<WebhookDeps>(
  screenRoute('/manage/webhooks', {
    query: listQuery,
    view: (request) => {
      const { cursor, done } = request.query
      return webhooks(request, { cursor, done: findText(DONE, done) })
    },
  }),
  formRoute('/manage/webhooks', {
    act: async (request, deps) => {
      const input = checked(createWebhookSchema, parseWebhookFields(request.body))
      const createdWebhook = await createWebhook(request.ctx, deps, input)
      const secret = secretBox({ label: t('The signing secret'), value: createdWebhook.secret, about: t(SECRET_HELP) })
      return { status: 201, ...(await webhook(request, createdWebhook.webhook.id, { secret })) }
    },
    view: (request, failed) => webhooks(request, { failed }),
  }),
)

const view = (request: WebhookRequest, failed: FailedForm) => webhook(request, request.params.id, { failed })

const settingsRoutes = registerRoutes<WebhookDeps>(
  screenRoute('/manage/webhooks/:id', {
    query: webhookQuery,
    view: (request) => {
      const { cursor, done, status, event } = request.query
      const filter = { status, event }
      return webhook(request, request.params.id, { cursor, done: findText(DONE, done), filter })
    },
  }),

  formRoute('/manage/webhooks/:id', {
    act: ({ ctx, params: { id }, body }, deps) => {
      const webhookInput = { spaceSlug: null, description: null, ...parseWebhookFields(body) }
      const change = checked(updateWebhookSchema, webhookInput)
      return whenDone(updateWebhook(ctx, deps, id, change), adminUrl('webhooks', id), 'saved')
    },
    view,
  }),

  formRoute('/manage/webhooks/:id/state', {
    act: ({ ctx, params: { id }, body }, deps) => {
      const isEnabled = readText(body, 'enabled') === 'true'
      const done = isEnabled ? 'enabled' : 'disabled'
      return whenDone(updateWebhook(ctx, deps, id, { enabled: isEnabled }), adminUrl('webhooks', id), done)
    },
    view,
  }),

  formRoute('/manage/webhooks/:id/rotate', {
    act: async (request, deps) => {
      const { ctx, body, params } = request
      const { graceSeconds = DEFAULT_GRACE_SECONDS } = checked(
        rotateSchema,
        readText(body, 'graceSeconds') === '' ? {} : { graceSeconds: readNumber(body, 'graceSeconds') },
      )
      const { secret: value } = await rotateSecret(ctx, deps, params.id, graceSeconds)
      const secret = secretBox({ label: t('The new signing secret'), value, about: t(SECRET_HELP) })
      return { status: 201, ...(await webhook(request, params.id, { secret })) }
    },
    view,
  }),

  formRoute('/manage/webhooks/:id/delete', {
    act: ({ ctx, params }) => whenDone(deleteWebhook(ctx, params.id), adminUrl('webhooks'), 'deleted'),
  }),
)

const deliveryRoutes = registerRoutes<SendingDeps>(
  formRoute('/manage/webhooks/:id/test', {
    act: async ({ ctx, params: { id } }, deps) => {
      const { delivered, delivery } = await testWebhook(ctx, deps, id)
      return withQuery(deliveryUrl(id, delivery.id), { done: delivered ? 'delivered' : 'undelivered' })
    },
  }),
  screenRoute('/manage/webhooks/:id/deliveries/:deliveryId', {
    query: Type.Object({ done: field }),
    view: async (request) => {
      const { id, deliveryId } = request.params
      const delivery = await readDelivery(request.ctx, id, deliveryId)
      const done = findText(DONE, request.query.done)
      return deliveryScreen({ webhookId: id, delivery, done })
    },
  }),
  formRoute('/manage/webhooks/:id/deliveries/:deliveryId/redeliver', {
    act: async ({ ctx, params: { id, deliveryId } }) => {
      const again = await redeliver(ctx, id, deliveryId)
      return withQuery(deliveryUrl(id, again.id), { done: 'again' })
    },
  }),
)

/** Webhooks and their deliveries. */
export const webhookScreenRoutes = registerRoutes<WebhookDeps & SendingDeps>(listRoutes, settingsRoutes, deliveryRoutes)

/** The input of the fields of `webhookFields`. */
function parseWebhookFields(fields: Fields) {
  const spaceSlug = readText(fields, 'spaceSlug').trim()
  const description = readText(fields, 'description')
  return {
    url: readText(fields, 'url').trim(),
    format: readText(fields, 'format') || 'json',
    events: readTexts(fields, 'events'),
    ...(spaceSlug !== '' && { spaceSlug }),
    ...(description !== '' && { description }),
  }
}

async function webhooks(request: FastifyRequest, options: Shown): Promise<Screen> {
  const { cursor } = options
  const { ctx } = request
  const [list, spaces] = await Promise.all([
    listWebhooks(ctx, cursor === undefined ? {} : { cursor }),
    spaceChoices(ctx),
  ])
  return webhooksScreen({ webhooks: list, spaces, ...options })
}

async function webhook(
  request: FastifyRequest,
  id: string,
  options: Shown & { readonly filter?: WebhookView['filter'] },
): Promise<Screen> {
  const { ctx } = request
  const { filter = {}, cursor } = options
  const { status, event } = filter
  const wantedDeliveries = checked(deliveryQuery, {
    limit: 30,
    ...given({ status: status || undefined, event: event || undefined, cursor }),
  })
  const shownWebhook = await readWebhook(ctx, id)
  const [deliveries, { eventKinds }, spaces] = await Promise.all([
    listDeliveries(ctx, id, wantedDeliveries),
    listWebhooks(ctx, { limit: 1 }),
    spaceChoices(ctx),
  ])
  return webhookScreen({ webhook: shownWebhook, eventKinds, spaces, deliveries, ...options, filter })
}
