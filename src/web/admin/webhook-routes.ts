import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { pagingParameters } from '../../http/paging.ts'
import type { Server } from '../../http/server.ts'
import {
  deliveriesOf,
  readDelivery,
  redeliver,
  type SendingDeps,
  testWebhook,
} from '../../webhooks/deliveries.ts'
import {
  createWebhookSchema,
  deliveryQuery,
  rotateSchema,
  updateWebhookSchema,
} from '../../webhooks/schema.ts'
import {
  createWebhook,
  DEFAULT_GRACE_SECONDS,
  deleteWebhook,
  readWebhook,
  rotateSecret,
  updateWebhook,
  type WebhookDeps,
  webhooksOf,
} from '../../webhooks/webhook.ts'
import { csrfField } from '../forms.ts'
import { secretBox } from '../keys-view.ts'
import {
  checked,
  type Fields,
  fieldsSchema,
  numberOf,
  type Screen,
  sendScreen,
  submitForm,
  textOf,
  textsOf,
} from '../screen.ts'
import { showSecret } from '../secret.ts'
import { deliveryScreen, deliveryUrl } from './delivery-view.ts'
import { type WebhookView, webhookScreen } from './webhook-view.ts'
import { type WebhooksView, webhooksScreen } from './webhooks-view.ts'

const params = Type.Object({ id: Type.String() })
const deliveryParams = Type.Object({ id: Type.String(), deliveryId: Type.String() })
const forms = { schema: { hide: true, params, body: fieldsSchema } }
const word = Type.Optional(Type.String({ maxLength: 8192 }))
const listQuery = Type.Object(
  { cursor: pagingParameters.cursor, done: word },
  { additionalProperties: false },
)
const webhookQuery = Type.Object(
  { status: word, event: word, cursor: pagingParameters.cursor, done: word },
  { additionalProperties: false },
)
const DONE: Readonly<Record<string, string>> = {
  saved: 'Saved.',
  enabled: 'Enabled. Pending deliveries are being sent.',
  disabled: 'Disabled. New events are not sent; pending deliveries wait.',
  deleted: 'The webhook was deleted.',
  delivered: 'The test was delivered.',
  undelivered: 'The test could not be delivered. See the reason below.',
  again: 'Sent again as a new delivery.',
}
const ONCE =
  'It signs the deliveries. Copy it now and pass it to the receiver. You won’t be able to see it again.'

type Shown = Partial<Pick<WebhookView, 'filter' | 'cursor' | 'done' | 'secret' | 'attempt'>>

/** Webhooks and their deliveries. */
export async function manageWebhookRoutes(app: Server, means: WebhookDeps & SendingDeps): Promise<void> {
  app.get('/manage/webhooks', { schema: { hide: true, querystring: listQuery } }, async (request, reply) => {
    const { cursor, done } = request.query
    return sendScreen(reply, await webhooks(request, { cursor, done: DONE[done ?? ''] }))
  })

  app.post('/manage/webhooks', { schema: { hide: true, body: fieldsSchema } }, async (request, reply) => {
    let made = ''
    return showSecret(request, reply, {
      make: async () => {
        const created = await createWebhook(
          request.ctx,
          means,
          checked(createWebhookSchema, webhookOf(request.body)),
        )
        made = created.webhook.id
        return secretBox({ label: 'The signing secret', value: created.secret, about: ONCE })
      },
      screen: (shown) => (shown.secret ? webhook(request, made, shown) : webhooks(request, shown)),
    })
  })

  app.get(
    '/manage/webhooks/:id',
    { schema: { hide: true, params, querystring: webhookQuery } },
    async (request, reply) => {
      const { cursor, done, status, event } = request.query
      const shown = { cursor, done: DONE[done ?? ''], filter: { status, event } }
      return sendScreen(reply, await webhook(request, request.params.id, shown))
    },
  )

  app.post('/manage/webhooks/:id', forms, async (request, reply) => {
    const { id } = request.params
    return submitForm(request, reply, {
      act: async () => {
        const fields = webhookOf(request.body)
        const change = { spaceSlug: null, description: null, ...fields }
        await updateWebhook(request.ctx, means, id, checked(updateWebhookSchema, change))
        return `/manage/webhooks/${id}?done=saved`
      },
      again: (attempt) => webhook(request, id, { attempt }),
    })
  })

  app.post('/manage/webhooks/:id/state', forms, async (request, reply) => {
    const { id } = request.params
    const enabled = textOf(request.body, 'enabled') === 'true'
    await updateWebhook(request.ctx, means, id, { enabled })
    return reply.redirect(`/manage/webhooks/${id}?done=${enabled ? 'enabled' : 'disabled'}`, 303)
  })

  app.post('/manage/webhooks/:id/rotate', forms, async (request, reply) => {
    const { id } = request.params
    return showSecret(request, reply, {
      make: async () => {
        const { graceSeconds = DEFAULT_GRACE_SECONDS } = checked(
          rotateSchema,
          textOf(request.body, 'graceSeconds') === ''
            ? {}
            : { graceSeconds: numberOf(request.body, 'graceSeconds') },
        )
        const { secret } = await rotateSecret(request.ctx, means, id, graceSeconds)
        return secretBox({ label: 'The new signing secret', value: secret, about: ONCE })
      },
      screen: (shown) => webhook(request, id, shown),
    })
  })

  app.post('/manage/webhooks/:id/test', forms, async (request, reply) => {
    const { id } = request.params
    const { delivered, delivery } = await testWebhook(request.ctx, means, id)
    const done = delivered ? 'delivered' : 'undelivered'
    return reply.redirect(`${deliveryUrl(id, delivery.id)}?done=${done}`, 303)
  })

  app.post('/manage/webhooks/:id/delete', forms, async (request, reply) => {
    await deleteWebhook(request.ctx, request.params.id)
    return reply.redirect('/manage/webhooks?done=deleted', 303)
  })

  app.get(
    '/manage/webhooks/:id/deliveries/:deliveryId',
    { schema: { hide: true, params: deliveryParams, querystring: Type.Object({ done: word }) } },
    async (request, reply) => {
      const { id, deliveryId } = request.params
      const delivery = await readDelivery(request.ctx, id, deliveryId)
      const view = { webhookId: id, delivery, csrf: csrfField(request), done: DONE[request.query.done ?? ''] }
      return sendScreen(reply, deliveryScreen(view))
    },
  )

  app.post(
    '/manage/webhooks/:id/deliveries/:deliveryId/redeliver',
    { schema: { hide: true, params: deliveryParams, body: fieldsSchema } },
    async (request, reply) => {
      const { id, deliveryId } = request.params
      const again = await redeliver(request.ctx, id, deliveryId)
      return reply.redirect(`${deliveryUrl(id, again.id)}?done=again`, 303)
    },
  )
}

/** What the fields of `webhookFields` say. */
function webhookOf(fields: Fields) {
  const spaceSlug = textOf(fields, 'spaceSlug').trim()
  const description = textOf(fields, 'description')
  return {
    url: textOf(fields, 'url').trim(),
    events: textsOf(fields, 'events'),
    ...(spaceSlug !== '' && { spaceSlug }),
    ...(description !== '' && { description }),
  }
}

async function webhooks(
  request: FastifyRequest,
  shown: Partial<Pick<WebhooksView, 'cursor' | 'done' | 'attempt'>>,
): Promise<Screen> {
  const { cursor } = shown
  const list = await webhooksOf(request.ctx, cursor === undefined ? {} : { cursor })
  return webhooksScreen({ webhooks: list, csrf: csrfField(request), ...shown })
}

async function webhook(request: FastifyRequest, id: string, shown: Shown): Promise<Screen> {
  const { ctx } = request
  const { filter = {}, cursor } = shown
  const { status, event } = filter
  const asked = checked(deliveryQuery, {
    limit: 30,
    ...(status && { status }),
    ...(event && { event }),
    ...(cursor !== undefined && { cursor }),
  })
  const found = await readWebhook(ctx, id)
  const [deliveries, { eventKinds }] = await Promise.all([
    deliveriesOf(ctx, id, asked),
    webhooksOf(ctx, { limit: 1 }),
  ])
  return webhookScreen({ webhook: found, eventKinds, deliveries, csrf: csrfField(request), ...shown, filter })
}
